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
    var history: String { path + "/shell-history" }

    /// The one that is set, or the one that is usual.
    init(_ setting: String?, environment: [String: String]) throws(DataFolderError) {
        guard let folder = setting ?? Self.usual(environment) else { throw .noHome }
        let home = environment["HOME"] ?? ""
        // What a shell would have done, had it not been in quotes.
        path = folder == "~" || folder.hasPrefix("~/") ? home + folder.dropFirst() : folder
    }

    private static func usual(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") { return folder + "/heybot" }
        if let home = environment["HOME"], !home.isEmpty { return home + "/.local/share/heybot" }
        return nil
    }

    /// Makes it where it isn't there.
    func make() throws(DataFolderError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            var isFolder = false
            let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            throw isThere && !isFolder ? .isFile(path) : .cannotMake(path)
        }
        guard access(path, W_OK | X_OK) == 0 else { throw .cannotWrite(path) }
    }

    /// Keeps other robots out until the process ends, however it ends.
    func lock() throws(DataFolderError) {
        let file = path + "/robot.lock"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotWrite(path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            defer { close(descriptor) }
            var digits = [UInt8](repeating: 0, count: 20)
            let count = read(descriptor, &digits, digits.count)
            throw .taken(path, by: String(decoding: digits.prefix(max(count, 0)), as: UTF8.self))
        }
        // Whoever comes later can tell who it is.
        let digits = Array("\(getpid())".utf8)
        _ = ftruncate(descriptor, 0)
        _ = digits.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }
}

/// Why a data folder can't be used.
enum DataFolderError: Error, CustomStringConvertible {
    case noHome
    case cannotMake(String)
    case cannotWrite(String)
    case isFile(String)
    case taken(String, by: String)

    var description: String {
        switch self {
        case .noHome:
            "there is no home to keep the data in: set HEYBOT_DATA, or give --data a folder"
        case .cannotMake(let path):
            "the data folder \(path) can't be made: check its parent's permissions, or give --data another"
        case .cannotWrite(let path):
            "the data folder \(path) can't be written by this user: check its permissions, or give --data another"
        case .isFile(let path):
            "\(path) is a file, where the data folder should be: give --data another"
        case .taken(let path, let process):
            "another robot runs with the data folder \(path)\(process.isEmpty ? "" : ", as process \(process)"): stop it, "
                + "give this one a folder of its own with --data, or set HEYBOT_SHARED=true where both are meant to share it"
        }
    }
}
