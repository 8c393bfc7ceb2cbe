import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folder for what a robot remembers.
struct DataFolder: Sendable {
    let path: String

    var brain: String { path + "/brain.sqlite" }
    /// Where crashes are recorded.
    var crashes: String { path + "/crashes" }
    var history: String { path + "/shell-history" }

    /// - Parameter setting: The one that is set; nil if there is none, and none is usual.
    init(_ setting: String?, environment: [String: String]) throws(DataFolderError) {
        guard var setting else { throw .noHome }
        while setting.count > 1, setting.hasSuffix("/") { setting.removeLast() }
        guard setting == "~" || setting.hasPrefix("~/") else {
            path = setting
            return
        }
        // What a shell would have done, had it not been in quotes.
        guard let home = environment["HOME"], !home.isEmpty else { throw .noHome }
        path = home + setting.dropFirst()
    }

    /// Where it is when nothing is set; nil if there is no home.
    static func usual(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") { return folder + "/heybot" }
        if let home = environment["HOME"], !home.isEmpty { return home + "/.local/share/heybot" }
        return nil
    }

    /// Makes it if it isn't there, for nobody else to read.
    func make() throws(DataFolderError) {
        let files = FileManager.default
        var isFolder = false
        if files.fileExists(atPath: path, isDirectory: &isFolder), !isFolder { throw .isFile(path) }
        if !isFolder {
            let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
            do {
                if !parent.isEmpty { try files.createDirectory(atPath: parent, withIntermediateDirectories: true) }
            } catch {
                throw .cannotMake(path)
            }
            // Another robot may be quicker.
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .cannotMake(path) }
        }
        guard access(path, W_OK | X_OK) == 0 else { throw Self.unwritable(path) }
    }

    /// Why the last call couldn't write there.
    private static func unwritable(_ path: String) -> DataFolderError {
        if errno == EROFS { return .isReadOnly(path) }
        var folder = stat()
        return .cannotWrite(path, user: getuid(), owner: stat(path, &folder) == 0 ? folder.st_uid : nil)
    }

    /// Takes everybody else's rights to our files in it away: the folder may have been there before us, open to all.
    ///
    /// - Returns: The names of the files that others could use.
    func tighten() -> [String] {
        [
            "brain.sqlite", "brain.sqlite-wal", "brain.sqlite-shm", "crashes", "crashes.new", "shell-history",
            "robot.lock"
        ].filter { name in
            var file = stat()
            guard lstat("\(path)/\(name)", &file) == 0, file.st_mode & S_IFMT == S_IFREG, file.st_mode & 0o077 != 0
            else {
                return false
            }
            return chmod("\(path)/\(name)", file.st_mode & 0o700) == 0
        }
    }

    /// Keeps other robots out until the process ends, however it ends; if it is shared, only those that don't share it.
    func lock(isShared: Bool) throws(DataFolderError) {
        let descriptor = open(path + "/robot.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.unwritable(path) }
        guard flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
            let reason = errno
            defer { close(descriptor) }
            guard reason == EWOULDBLOCK else { throw .cannotLock(path, String(cString: strerror(reason))) }
            var digits = [UInt8](repeating: 0, count: 20)
            let count = read(descriptor, &digits, digits.count)
            throw .taken(path, by: String(decoding: digits.prefix(max(count, 0)), as: UTF8.self))
        }
        // Whoever comes later can tell who it is.
        let digits = Array((isShared ? "" : "\(getpid())").utf8)
        _ = ftruncate(descriptor, 0)
        _ = digits.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }
}

/// Why a data folder can't be used.
enum DataFolderError: CuredError, CustomStringConvertible {
    case noHome
    case cannotMake(String)
    /// Nil if the owner can't be told.
    case cannotWrite(String, user: UInt32, owner: UInt32?)
    case isReadOnly(String)
    case isFile(String)
    case cannotLock(String, String)
    case cannotKeep(String, String)
    case taken(String, by: String)

    var description: String { "\(parts.reason): \(parts.cure)" }

    var reason: String { parts.reason }
    var cure: String? { parts.cure }

    private var parts: (reason: String, cure: String) {
        switch self {
        case .noHome:
            ("there is no home to keep the data in", "set HEYBOT_DATA, or give --data a folder")
        case .cannotMake(let path):
            ("the data folder \(path) can't be made", "check its parent's permissions, or give --data another")
        case .cannotWrite(let path, let user, let owner):
            (
                "the data folder \(path) can't be written by this user (uid \(user))",
                owner == user
                    ? "give its owner, who this is, the right to write there, or give --data another"
                    : "give it to uid \(user)\(owner.map { " (its owner is uid \($0))" } ?? ""), or give --data another"
            )
        case .isReadOnly(let path):
            ("the data folder \(path) is mounted read-only", "mount it read-write, or give --data another")
        case .isFile(let path):
            ("\(path) is a file, where the data folder should be", "give --data another")
        case .cannotLock(let path, let reason):
            ("the data folder \(path) can't be locked (\(reason))", "give --data another, on a disk of this machine's")
        case .cannotKeep(let path, let reason):
            ("\(path) can't be written (\(reason))", "check its permissions, and that its disk has room")
        case .taken(let path, let process):
            (
                "another robot runs with the data folder \(path)\(process.isEmpty ? "" : ", as process \(process)")",
                "stop it, give this one a folder of its own with --data, or set HEYBOT_SHARED=true where both are meant to "
                    + "share it"
            )
        }
    }
}
