import FoundationEssentials

#if AllParts || Hubot
    import Subprocess

    #if canImport(System)
        import System
    #else
        import SystemPackage
    #endif
#endif

/// A program that deploys, with its arguments.
///
/// What was typed in chat reaches it in environment variables only. Of the robot's own environment it gets only a few harmless
/// variables, because the others may be secrets.
struct DeployCommand: Sendable {
    /// How a command ended.
    enum Outcome: Hashable, Sendable {
        case succeeded
        /// With its status or signal, and the last lines of its output.
        case failed(String, output: String)
        /// It took longer than its limit, in minutes.
        case expired(Int, output: String)
        /// The robot stopped.
        case cancelled
        /// It couldn't be started.
        case unstarted(String)

        var event: DeployEvent {
            switch self {
            case .succeeded: .ended(isSuccess: true, "")
            case .failed(let status, let output): .ended(isSuccess: false, Self.words(status, output))
            case .expired(let minutes, let output):
                .ended(isSuccess: false, Self.words("it took longer than \(minutes) min, so I ended it", output))
            case .cancelled: .lost("I was stopped while its command ran, which I ended.")
            case .unstarted(let reason): .ended(isSuccess: false, "its command can't be started: \(reason)")
            }
        }

        private static func words(_ what: String, _ output: String) -> String {
            output.isEmpty ? what : "\(what)\n\(output)"
        }
    }

    /// The variables of the robot's environment that a command gets.
    private static let inherited = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "SSH_AUTH_SOCK"]

    let arguments: [String]
    let variables: [String: String]
    /// The time that it may take, in minutes.
    let limit: Int

    init(arguments: [String], _ deploy: TrackedDeploy, limit: Int) {
        let plan = deploy.plan
        self.arguments = arguments
        self.limit = limit
        variables = [
            "DEPLOY_APP": plan.app, "DEPLOY_REF": plan.ref, "DEPLOY_TASK": plan.task,
            "DEPLOY_ENVIRONMENT": plan.environment, "DEPLOY_HOSTS": plan.hosts, "DEPLOY_USER": plan.userName,
            "DEPLOY_NUMBER": "\(deploy.id.number)", "DEPLOY_FORCED": plan.isForced ? "1" : "0",
            "DEPLOY_ROLLBACK": plan.isRollback ? "1" : "0"
        ]
    }

    /// The environment of the command.
    func environment(from own: [String: String]) -> [String: String] {
        variables.merging(own.filter { Self.inherited.contains($0.key) }) { ours, _ in ours }
    }

    /// Runs the command until it has ended.
    ///
    /// If its time is over, or the task is canceled, it is ended.
    func run() async -> Outcome {
        let command = Task { await runUntilCanceled() }
        let seconds = limit * 60
        let timer = Task {
            try await Task.sleep(for: .seconds(seconds))
            command.cancel()
        }
        defer { timer.cancel() }
        let (outcome, output) = await withTaskCancellationHandler {
            await command.value
        } onCancel: {
            command.cancel()
        }
        // If nobody has canceled this task, the timer has canceled the command.
        return outcome == .cancelled && !Task.isCancelled ? .expired(limit, output: output) : outcome
    }

    /// Runs the command, and returns how it ended and its last lines.
    ///
    /// It leads a process group of its own. If the task is canceled, the whole group gets SIGTERM, and soon after SIGKILL.
    private func runUntilCanceled() async -> (outcome: Outcome, output: String) {
        #if AllParts || Hubot
            guard let program = arguments.first else { return (.unstarted("there is no program"), "") }
            let own = environment(from: ProcessInfo.processInfo.environment)
            var variables: [Subprocess.Environment.Key: String] = [:]
            for (name, value) in own {
                if let key = Subprocess.Environment.Key(rawValue: name) { variables[key] = value }
            }
            var options = PlatformOptions()
            options.processGroupID = 0
            options.teardownSequence = [
                .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: .seconds(1)),
                .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .milliseconds(100))
            ]
            let configuration = Configuration(
                executable: program.contains("/") ? .path(FilePath(program)) : .name(program),
                arguments: Arguments(Array(arguments.dropFirst())), environment: .custom(variables),
                workingDirectory: nil, platformOptions: options)
            var tail = OutputTail()
            do {
                let result = try await Subprocess.run(
                    configuration, input: .none, output: .sequence, error: .combinedWithOutput
                ) { execution in
                    for try await buffer in execution.standardOutput {
                        buffer.withUnsafeBytes { tail.add($0) }
                    }
                }
                let output = tail.lines
                if Task.isCancelled { return (.cancelled, output) }
                switch result.terminationStatus {
                case .exited(0): return (.succeeded, output)
                case .exited(let status): return (.failed("status \(status)", output: output), output)
                case .signaled(let signal): return (.failed("signal \(signal)", output: output), output)
                }
            } catch {
                if Task.isCancelled { return (.cancelled, tail.lines) }
                return (.unstarted(String(oneLine: "\(error)", limit: 200)), "")
            }
        #else
            return (.unstarted("this build of mine can't run commands"), "")
        #endif
    }
}

/// The end of a command's output.
struct OutputTail: Sendable {
    /// The number of bytes that are kept.
    private static let most = 4_096
    private static let mostLines = 5

    private var bytes: [UInt8] = []

    /// Adds what the command has written.
    mutating func add(_ more: some Collection<UInt8>) {
        bytes += more.suffix(Self.most)
        if bytes.count > Self.most { bytes.removeFirst(bytes.count - Self.most) }
    }

    /// The last lines, safe for chat.
    var lines: String {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { String(oneLine: $0, limit: 200) }.filter { !$0.isEmpty }
        return lines.suffix(Self.mostLines).joined(separator: "\n")
    }
}
