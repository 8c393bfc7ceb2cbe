import Subprocess
import Synchronization

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// Starts the program that runs Hubot scripts, and connects its standard streams.
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

    /// What it writes.
    enum Output: Sendable {
        /// Lines on standard output that were read at once.
        case lines([HostOutputLine])
        /// A line on standard error.
        case error([UInt8])
    }

    /// Runs a process until it has ended.
    ///
    /// The process is the leader of a group of its own: a Ctrl-C in the robot's terminal doesn't reach it, and what its
    /// scripts start ends with it.
    ///
    /// - Parameters:
    ///   - outbox: What is written to it.
    ///   - receive: Called with what it writes.
    /// - Returns: How it ended, for the log.
    func run(_ outbox: Outbox, _ receive: @escaping @Sendable (Output) -> Void) async throws -> String {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .milliseconds(100))
        ]
        let configuration = Configuration(
            executable: .path(FilePath(node)), arguments: Arguments(self.options + [program]),
            environment: environment,
            workingDirectory: FilePath(folder), platformOptions: options)
        let input = try HostPipe()
        let output: HostPipe
        do {
            output = try HostPipe()
        } catch {
            input.close()
            throw error
        }
        input.makeWritingNonBlocking()
        // The outbox closes the robot's end of the input.
        outbox.open(input.writeEnd.rawValue)
        defer {
            outbox.close()
            try? output.readEnd.close()
        }
        let result = try await Subprocess.run(
            configuration, input: .fileDescriptor(input.readEnd, closeAfterSpawningProcess: true),
            output: .fileDescriptor(output.writeEnd, closeAfterSpawningProcess: true), error: .sequence
        ) { execution in
            let kill: @Sendable () -> Void = { try? execution.send(signal: .kill, toProcessGroup: true) }
            outbox.whenKilled(kill)
            await OrphanGuard.guarding(execution.processIdentifier.value) {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await Self.readErrors(execution.standardError, receive) }
                    let splitter = Mutex(LineSplitter(limit: Self.lineLimit))
                    _ = await ProcessOutputReader.read(
                        output.readEnd.rawValue, ofProcess: execution.endDescriptor
                    ) { bytes in
                        let lines = splitter.withLock { $0.split(bytes) }
                        if !lines.isEmpty { receive(.lines(lines.map { HostOutputLine($0) })) }
                    }
                    if let last = splitter.withLock({ $0.finish() }) { receive(.lines([HostOutputLine(last)])) }
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

    private static func readErrors(
        _ stream: SubprocessOutputSequence, _ receive: @Sendable (Output) -> Void
    ) async {
        var splitter = LineSplitter(limit: 64 << 10)
        func takeLine(_ line: LineSplitter.Line) { if case .line(let bytes) = line { receive(.error(bytes)) } }
        do {
            for try await buffer in stream {
                for line in buffer.withUnsafeBytes({ splitter.split($0) }) { takeLine(line) }
            }
        } catch {
            // The stream is closed, which is how it ends too.
        }
        if let last = splitter.finish() { takeLine(last) }
    }
}

extension Execution {
    /// A descriptor that becomes readable when the process has ended; -1 if the system has none.
    fileprivate var endDescriptor: CInt {
        #if os(Linux) || os(Android) || os(FreeBSD)
            processIdentifier.processDescriptor
        #else
            -1
        #endif
    }
}
