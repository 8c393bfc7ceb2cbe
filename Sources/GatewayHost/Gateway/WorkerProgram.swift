package import GatewayLink
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// What runs a gateway's workers.
package protocol WorkerLauncher: Sendable {
    /// Runs a worker until it has ended.
    ///
    /// - Parameters:
    ///   - socket: The worker's end of the connection; the launcher closes it here when the worker has it.
    ///   - body: Called when the worker has started, with a closure that kills it; returns when the connection has ended.
    /// - Returns: How it has ended.
    func run(
        _ socket: CInt, generation: Int, _ body: @Sendable (_ kill: @escaping @Sendable () -> Void) async -> Void
    ) async throws -> WorkerEnd
}

/// The program that a worker runs: usually that of the gateway, with the same arguments, as it is on disk when the worker starts.
package struct WorkerProgram: WorkerLauncher {
    /// The path of the program, or its name in `PATH`.
    private let executable: String
    private let arguments: [String]
    /// The environment variable that makes a process a worker; its value is the worker's generation.
    private let variable: String

    /// Describes a program.
    ///
    /// - Parameters:
    ///   - executable: Its path, or its name in `PATH`.
    ///   - arguments: Its arguments, without its name.
    ///   - variable: The environment variable that makes a process a worker.
    package init(_ executable: String, arguments: [String], variable: String) {
        (self.executable, self.arguments, self.variable) = (executable, arguments, variable)
    }

    /// Runs a worker until it has ended.
    ///
    /// Its standard input is the socket to the gateway; what it prints and logs goes where the gateway's goes. It is the leader of
    /// a process group of its own: a Ctrl-C in a terminal reaches only the gateway, which lets it finish.
    package func run(
        _ socket: CInt, generation: Int, _ body: @Sendable (_ kill: @escaping @Sendable () -> Void) async -> Void
    ) async throws -> WorkerEnd {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .milliseconds(100))
        ]
        var changes: [Environment.Key: String?] = [:]
        if let key = Environment.Key(rawValue: variable) { changes.updateValue("\(generation)", forKey: key) }
        let configuration = Configuration(
            executable: executable.contains("/") ? .path(FilePath(executable)) : .name(executable),
            arguments: Arguments(arguments), environment: Environment.inherit.updating(changes),
            platformOptions: options)
        let result = try await Subprocess.run(
            configuration, input: .fileDescriptor(FileDescriptor(rawValue: socket), closeAfterSpawningProcess: true),
            output: .currentStandardOutput, error: .currentStandardError
        ) { execution in
            await body { try? execution.send(signal: .kill) }
        }
        let process = Int(result.processIdentifier.value)
        return switch result.terminationStatus {
        case .exited(let code): WorkerEnd("status \(code)", status: Int(code), process: process)
        case .signaled(let signal): WorkerEnd("signal \(signal)", process: process)
        }
    }
}
