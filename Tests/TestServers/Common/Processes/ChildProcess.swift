public import Foundation
import Synchronization

/// A child process, which is killed when the tests end, even if they crash.
public final class ChildProcess: Sendable {
    private struct State {
        var isOver = false
        var status: Int32 = 0
    }

    /// The process id.
    public let id: pid_t
    private let state = Mutex(State())

    /// Starts a program; as an unprivileged user if the tests run as root.
    ///
    /// - Parameters:
    ///   - input: Its standard input; nil for none.
    ///   - output: Its standard output and error; nil to discard them.
    ///   - isServer: Whether to drop privileges; a tool runs as the tests' user.
    /// - Throws: ``TestServerError`` if there is no such program.
    public init(_ words: [String], input: Int32? = nil, output: Int32? = nil, isServer: Bool = true) throws {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        // Dropped before the server starts: a later change of user would clear the parent death signal.
        let user = isServer && getuid() == 0 ? ["--reuid=65534", "--regid=65534", "--clear-groups"] : []
        // Debian's inspircd crashes when it is terminated, and would leave a core file.
        let wrapper = ["prlimit", "--core=0", "setpriv", "--pdeathsig=KILL"] + user + ["--"]
        id = try Spawner.spawn(wrapper + words, input: input ?? nothing, output: output ?? nothing)
    }

    deinit {
        guard isRunning else { return }
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
    }

    /// Whether it is running.
    public var isRunning: Bool {
        state.withLock { state in
            if !state.isOver, waitpid(id, &state.status, WNOHANG) != 0 { state.isOver = true }
            return !state.isOver
        }
    }

    /// Sends a signal; does nothing if the process has ended.
    public func send(_ signal: Int32) {
        if isRunning { kill(id, signal) }
    }

    /// Waits for the process to end by itself.
    ///
    /// - Returns: Its exit code; nil if it timed out or was killed.
    public func end(within limit: Duration) async -> Int32? {
        let end = ContinuousClock.now + limit
        while isRunning {
            if ContinuousClock.now > end { return nil }
            try? await Task.sleep(for: .milliseconds(5))
        }
        let status = state.withLock { $0.status }
        return status & 0x7f == 0 ? (status >> 8) & 0xff : nil
    }

    /// Terminates the process, kills it if necessary, and waits until its descendants have ended too.
    public func stop(gracefully: Bool = true) async {
        let others = descendants
        if gracefully {
            send(SIGTERM)
            // A stopped process doesn't receive the signal.
            send(SIGCONT)
            _ = await end(within: .seconds(60))
        }
        send(SIGKILL)
        _ = await end(within: .testLimit)
        // Descendants end by themselves when their pipes close.
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end, others.contains(where: ChildProcess.isRunning) {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}

extension ChildProcess {
    /// The ids of its descendants.
    public var descendants: [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        let parents = all.map { (process: $0, parent: Self.state(of: $0)?.parent) }
        var (found, rest) = ([pid_t](), [id])
        while let parent = rest.popLast() {
            let children = parents.filter { $0.parent == parent }.map(\.process)
            found += children
            rest += children
        }
        return found
    }

    /// Whether a process exists and hasn't ended, also one of another user.
    public static func isRunning(_ process: pid_t) -> Bool {
        // A zombie remains until its parent reaps it, which may take a while if that isn't the tests.
        state(of: process).map { $0.letter != "Z" } ?? false
    }

    /// Whether a process is stopped, as by SIGSTOP.
    public static func isStopped(_ process: pid_t) -> Bool { state(of: process)?.letter == "T" }

    private static func state(of process: pid_t) -> (letter: Substring, parent: pid_t?)? {
        // The state follows the name, which is in parentheses and may contain anything.
        let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let words = line?.split(separator: ")").last?.split(separator: " ") ?? []
        return words.count > 1 ? (words[0], pid_t(words[1])) : nil
    }

    /// Runs a tool to its end, and returns its output.
    ///
    /// - Throws: ``TestServerError`` if it fails or takes too long.
    @discardableResult
    public static func run(_ words: [String], in folder: ScratchFolder, within limit: Duration = .testLimit)
        async throws
        -> String
    {
        let path = folder.path("tool-\(UUID().uuidString).log")
        let output = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        defer {
            close(output)
            unlink(path)
        }
        let child = try ChildProcess(words, output: output, isServer: false)
        let status = await child.end(within: limit)
        let said = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        guard status == 0 else { throw TestServerError.failed("\(words.joined(separator: " ")) failed: \(said)") }
        return said
    }
}
