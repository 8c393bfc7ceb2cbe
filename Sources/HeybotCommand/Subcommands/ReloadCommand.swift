import ArgumentParser
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// `heybot reload`: has the robot that runs with the data directory load its settings and scripts again.
struct ReloadCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Have the running robot load its settings and scripts again, as SIGHUP does.")

    @ParentCommand var root: Command
    @OptionGroup var flags: PathOptions

    func run() async throws {
        let assembly = try RobotAssembly(options, Command.scripts)
        let folder = assembly.data
        guard let process = folder.robot else {
            throw ExitError(
                "no robot is running with the data directory \(folder.path), or several share it: "
                    + "send SIGUSR1 to the robot's process", 1)
        }
        guard kill(process, SIGUSR1) == 0 else {
            throw ExitError("process \(process) can't be reached: \(String(cString: strerror(errno)))", EX_NOPERM)
        }
        try StandardOutput.writeLine("reloading; the robot's log says what has changed")
    }
}

extension DataFolder {
    /// The process of the robot that has locked the directory for itself; nil if there is none.
    fileprivate var robot: pid_t? {
        let descriptor = open(path + "/robot.lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // If the lock is free, what the file says is old.
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
        var digits = [UInt8](repeating: 0, count: 20)
        let count = read(descriptor, &digits, digits.count)
        return pid_t(String(decoding: digits.prefix(max(count, 0)), as: UTF8.self))
    }
}
