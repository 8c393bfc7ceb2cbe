// The compiler takes the members of `stat` from the first C module that it has loaded, which can be Dispatch's.
#if canImport(CDispatch)
    import CDispatch
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The status of a file (stat(2)).
struct FileStatus {
    private let status: stat

    /// The status of the file at the path, or of a symbolic link itself; nil if it can't be read.
    ///
    /// - Parameter followsLinks: Whether the status is that of a link's target.
    init?(_ path: String, followsLinks: Bool = true) {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.status = status
    }

    /// The status of an open file; nil if it can't be read.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.status = status
    }

    /// The device and the inode, as in systemd's `JOURNAL_STREAM`.
    var identity: String { "\(status.st_dev):\(status.st_ino)" }
    var owner: uid_t { status.st_uid }
    var permissions: mode_t { status.st_mode & 0o777 }
    var isRegularFile: Bool { status.st_mode & S_IFMT == S_IFREG }
    var isSocket: Bool { status.st_mode & S_IFMT == S_IFSOCK }
}
