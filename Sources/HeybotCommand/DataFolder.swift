import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The directory of the robot's data: brain, crashes, history, lock.
struct DataFolder: Sendable {
    let path: String

    var brain: String { path + "/brain.sqlite" }
    /// The file in which crashes are recorded.
    var crashes: String { path + "/crashes" }
    var history: String { path + "/shell-history" }

    /// - Parameter setting: The path in the settings; nil if there is none and no default.
    init(_ setting: String?, environment: [String: String]) throws(DataFolderError) {
        guard var setting else { throw .noHome }
        while setting.count > 1, setting.hasSuffix("/") { setting.removeLast() }
        guard setting == "~" || setting.hasPrefix("~/") else {
            path = setting
            return
        }
        // As a shell does outside of quotes.
        guard let home = environment["HOME"], !home.isEmpty else { throw .noHome }
        path = home + setting.dropFirst()
    }

    /// The default path; nil if there is no home directory.
    static func defaultPath(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") { return folder + "/heybot" }
        if let home = environment["HOME"], !home.isEmpty { return home + "/.local/share/heybot" }
        return nil
    }

    /// Creates the directory if it doesn't exist, for its owner only.
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
            // Another robot may create it at the same time.
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .cannotMake(path) }
        }
        guard access(path, W_OK | X_OK) == 0 else { throw Self.unwritable(path) }
    }

    /// The reason why the last call couldn't write, from `errno`.
    private static func unwritable(_ path: String) -> DataFolderError {
        if errno == EROFS { return .isReadOnly(path) }
        return .cannotWrite(path, user: getuid(), owner: FileStatus(path)?.owner)
    }

    /// Removes other users' permissions from the robot's files: the directory may have existed before, open to all.
    ///
    /// - Returns: The names of the files that other users could access.
    func restrictPermissions() -> [String] {
        [
            "brain.sqlite", "brain.sqlite-wal", "brain.sqlite-shm", "crashes", "crashes.new", "shell-history",
            "robot.lock"
        ].filter { name in
            guard let file = FileStatus("\(path)/\(name)", followsLinks: false), file.isRegularFile,
                file.permissions & 0o077 != 0
            else { return false }
            return chmod("\(path)/\(name)", file.permissions & 0o700) == 0
        }
    }

    /// Locks the directory until the process ends.
    ///
    /// - Parameter isShared: Whether other robots that share it may run too.
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
        // For the error message of a second robot.
        let digits = Array((isShared ? "" : "\(getpid())").utf8)
        _ = ftruncate(descriptor, 0)
        _ = digits.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }
}

/// The reason why a data directory can't be used.
enum DataFolderError: ErrorWithFix, CustomStringConvertible {
    case noHome
    case cannotMake(String)
    /// The owner is nil if it is unknown.
    case cannotWrite(String, user: UInt32, owner: UInt32?)
    case isReadOnly(String)
    case isFile(String)
    case cannotLock(String, String)
    case cannotKeep(String, String)
    case taken(String, by: String)

    var description: String { "\(parts.reason): \(parts.fix)" }

    var reason: String { parts.reason }
    var fix: String? { parts.fix }

    private var parts: (reason: String, fix: String) {
        switch self {
        case .noHome:
            ("no data directory is set, and there is no home directory", "set HEYBOT_DATA or --data")
        case .cannotMake(let path):
            (
                "the data directory \(path) can't be created",
                "check the permissions of its parent, or choose another directory with --data"
            )
        case .cannotWrite(let path, let user, let owner):
            (
                "the data directory \(path) isn't writable by this user (uid \(user))",
                owner == user
                    ? "give its owner write permission, or choose another directory with --data"
                    : "give it to uid \(user)\(owner.map { " (its owner is uid \($0))" } ?? ""), or choose another directory with --data"
            )
        case .isReadOnly(let path):
            (
                "the data directory \(path) is mounted read-only",
                "mount it read-write, or choose another directory with --data"
            )
        case .isFile(let path):
            ("\(path) is a file, but the data directory must be a directory", "choose another directory with --data")
        case .cannotLock(let path, let reason):
            ("the data directory \(path) can't be locked (\(reason))", "set --data to a directory on a local disk")
        case .cannotKeep(let path, let reason):
            ("\(path) can't be written (\(reason))", "check its permissions and the free space on its disk")
        case .taken(let path, let process):
            (
                "another robot uses the data directory \(path)\(process.isEmpty ? "" : " (process \(process))")",
                "stop that robot, choose another directory with --data, or set HEYBOT_SHARED_DATA=true for "
                    + "both"
            )
        }
    }
}
