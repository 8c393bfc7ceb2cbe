import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ends the host's processes if the robot dies without having ended them.
///
/// A host ends by itself when its standard input ends, but not while a script is in an endless loop. Therefore a shell waits
/// beside it: its own input ends when the robot does, however that dies.
enum OrphanGuard {
    /// Waits for a line, which says that nothing is left to end.
    private static let command = "read -r line || kill -KILL \"-$1\""

    /// Guards a process group while the body runs.
    static func guarding(_ group: pid_t, while body: () async -> Void) async {
        var options = PlatformOptions()
        // A Ctrl-C in the robot's terminal doesn't reach it.
        options.processGroupID = 0
        var hasStarted = false
        do {
            _ = try await Subprocess.run(
                .path("/bin/sh"), arguments: ["-c", command, "sh", "\(group)"], environment: .custom([:]),
                platformOptions: options, input: .inputWriter, output: .discarded, error: .discarded
            ) { shell in
                hasStarted = true
                await body()
                // If it fails, the shell has ended, and guards nothing.
                _ = try? await shell.standardInputWriter.write("\n")
            }
        } catch {
            // Without a shell there is no guard, but the host works.
            if !hasStarted { await body() }
        }
    }
}
