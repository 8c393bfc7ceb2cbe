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
    /// With less free space than this, in bytes, the check warns.
    private static let minimumSpace: UInt64 = 64 << 20

    /// Whether this process is root and the directory belongs to another user: the robot couldn't access what is created now.
    var isForeign: Bool { geteuid() == 0 && FileStatus(path).map { $0.owner != 0 } ?? false }

    /// Checks that the directory exists or can be created, belongs to this user, is writable, and has free space.
    func check() -> PreflightCheckResult.Outcome {
        let isNew = !FileManager.default.fileExists(atPath: path)
        do { try make() } catch { return .failed(error, setting: "HEYBOT_DATA") }
        guard !isForeign else {
            return .warned(
                "belongs to another user, and the check runs as root", fix: "run the check as the robot's user")
        }
        guard !isNew || geteuid() != 0 else {
            return .warned(
                "just created, owned by root",
                fix:
                    "if the robot runs as another user, give the directory to that user (chown), and run the check as that user"
            )
        }
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return .passed("writable") }
        let room = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
        guard room >= Self.minimumSpace else {
            return .warned("writable, but its disk has only \(Self.size(room)) left", fix: "free some space")
        }
        return .passed("writable, \(Self.size(room)) free")
    }

    private static func size(_ bytes: UInt64) -> String {
        bytes >= 1 << 30 ? "\(bytes >> 30) GB" : bytes >= 1 << 20 ? "\(bytes >> 20) MB" : "\(bytes >> 10) KB"
    }
}
