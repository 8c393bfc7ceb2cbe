import FoundationEssentials
import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension DataFolder {
    /// With less room than that on its disk something may soon be lost.
    private static let leastRoom: UInt64 = 64 << 20

    /// Whether what we make there might be closed to the robot: it belongs to somebody else, and we may do anything.
    var isForeign: Bool {
        var folder = stat()
        return geteuid() == 0 && stat(path, &folder) == 0 && folder.st_uid != 0
    }

    /// Whether it is there, or can be made, is ours, may be written, and has room.
    func check() -> CheckStep.Outcome {
        let isNew = !FileManager.default.fileExists(atPath: path)
        do { try make() } catch { return .failed(error, setting: "HEYBOT_DATA") }
        guard !isForeign else {
            return .warned("it isn't root's, and this is root", cure: "run this as the user that the robot runs as")
        }
        guard !isNew || geteuid() != 0 else {
            return .warned(
                "it was made now, and belongs to root",
                cure: "where the robot runs as another user, give it to that user, and run this as that one")
        }
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return .passed("may be written") }
        let room = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
        guard room >= Self.leastRoom else {
            return .warned("may be written, but its disk has only \(Self.size(room)) left", cure: "make room there")
        }
        return .passed("may be written, \(Self.size(room)) left")
    }

    private static func size(_ bytes: UInt64) -> String {
        bytes >= 1 << 30 ? "\(bytes >> 30) GB" : bytes >= 1 << 20 ? "\(bytes >> 20) MB" : "\(bytes >> 10) KB"
    }
}
