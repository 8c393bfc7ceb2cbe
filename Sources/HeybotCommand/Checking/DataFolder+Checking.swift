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

    /// Whether it is there, or can be made, is ours, may be written, and has room.
    func check() -> CheckStep.Outcome {
        do { try make() } catch { return .failed("\(error)", setting: "HEYBOT_DATA") }
        var folder = stat()
        guard stat(path, &folder) == 0 else { return .failed("\(DataFolderError.cannotWrite(path))") }
        guard folder.st_uid == geteuid() else {
            return .failed(
                "it belongs to the user \(folder.st_uid), and this is \(geteuid())",
                cure: "run this as the user the robot runs as, or give it a folder of its own (HEYBOT_DATA)")
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
