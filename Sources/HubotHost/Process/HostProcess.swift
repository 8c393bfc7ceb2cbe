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

/// Starts the program that runs Hubot scripts, and connects its standard streams.
///
/// It makes this process ignore SIGPIPE: if the program has ended, writing to it must fail instead of ending the robot.
struct HostProcess: Sendable {
    /// The longest line that the robot accepts, in bytes.
    private static let lineLimit = 16 << 20

    /// The path of Node.
    let node: String
    /// The path of the program.
    let program: String
    /// The folder that it runs in.
    let folder: String
    /// The options of Node.
    let options: [String]
    /// The environment variables of the robot that it doesn't get.
    let withheldVariables: Set<String>

    /// A line of output.
    enum Output: Sendable {
        /// On standard output.
        case line(HostOutputLine)
        /// On standard error.
        case error([UInt8])
    }

    /// Runs a process until it has ended.
    ///
    /// The process is the leader of a group of its own: a Ctrl-C in the robot's terminal doesn't reach it, and what its
    /// scripts start ends with it.
    ///
    /// - Parameters:
    ///   - outbox: What is written to it.
    ///   - receive: Called with each line that it writes.
    /// - Returns: How it ended, for the log.
    func run(_ outbox: Outbox, _ receive: @escaping @Sendable (Output) -> Void) async throws -> String {
        signal(SIGPIPE, SIG_IGN)
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .milliseconds(100))
        ]
        let configuration = Configuration(
            executable: .path(FilePath(node)), arguments: Arguments(self.options + [program]),
            environment: environment,
            workingDirectory: FilePath(folder), platformOptions: options)
        let result = try await Subprocess.run(
            configuration, input: .inputWriter, output: .sequence, error: .sequence
        ) { execution in
            let kill: @Sendable () -> Void = { try? execution.send(signal: .kill, toProcessGroup: true) }
            outbox.whenKilled(kill)
            await OrphanGuard.guarding(execution.processIdentifier.value) {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await message in outbox.messages {
                            // If it fails, the process has ended, and its output ends too.
                            _ = try? await execution.standardInputWriter.write(message.line)
                            outbox.written(message)
                        }
                    }
                    group.addTask {
                        var splitter = LineSplitter(limit: 64 << 10)
                        await Self.read(execution.standardError, &splitter) { line in
                            if case .line(let bytes) = line { receive(.error(bytes)) }
                        }
                    }
                    var splitter = LineSplitter(limit: Self.lineLimit)
                    await Self.read(execution.standardOutput, &splitter) { receive(.line(HostOutputLine($0))) }
                    // What its scripts have started may still hold the streams.
                    kill()
                    outbox.close()
                    group.cancelAll()
                }
            }
            outbox.forgetProcess()
        }
        return switch result.terminationStatus {
        case .exited(let code): "status \(code)"
        case .signaled(let signal): "signal \(signal)"
        }
    }

    /// The robot's environment without what is withheld.
    private var environment: Environment {
        var changes: [Environment.Key: String?] = [:]
        for name in withheldVariables {
            guard let key = Environment.Key(rawValue: name) else { continue }
            // A key without a value is removed.
            changes.updateValue(nil, forKey: key)
        }
        return Environment.inherit.updating(changes)
    }

    private static func read(
        _ stream: SubprocessOutputSequence, _ splitter: inout LineSplitter, _ receive: (LineSplitter.Line) -> Void
    ) async {
        do {
            for try await buffer in stream {
                for line in buffer.withUnsafeBytes({ splitter.split($0) }) { receive(line) }
            }
        } catch {
            // The stream is closed, which is how it ends too.
        }
        if let last = splitter.finish() { receive(last) }
    }
}
