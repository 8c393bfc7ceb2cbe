public import Foundation
import Synchronization

/// A process of the test's, which ends with it even if the test crashes.
public final class Child: Sendable {
    private struct State {
        var isOver = false
        var status: Int32 = 0
    }

    /// Its number.
    public let id: pid_t
    private let state = Mutex(State())

    /// Starts a program, as a user who may do little if the tests run as root.
    ///
    /// - Parameters:
    ///   - input: what it reads; nothing if it's nil.
    ///   - output: where all that it says goes; nowhere if it's nil.
    ///   - isServer: whether it's one: a tool stays the user that the test is.
    /// - Throws: ``ServersError`` if there is no such program.
    public init(_ words: [String], input: Int32? = nil, output: Int32? = nil, isServer: Bool = true) throws {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        // Dropped here rather than by the server: the system forgets whom to end with whom when the user changes.
        let user = isServer && getuid() == 0 ? ["--reuid=65534", "--regid=65534", "--clear-groups"] : []
        // Debian's inspircd crashes when it's told to end, and would leave its memory in a file.
        let wrapper = ["prlimit", "--core=0", "setpriv", "--pdeathsig=KILL"] + user + ["--"]
        id = try Spawner.spawn(wrapper + words, input: input ?? nothing, output: output ?? nothing)
    }

    deinit {
        guard isRunning else { return }
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
    }

    /// Whether it hasn't ended yet.
    public var isRunning: Bool {
        state.withLock { state in
            if !state.isOver, waitpid(id, &state.status, WNOHANG) != 0 { state.isOver = true }
            return !state.isOver
        }
    }

    /// Sends it a signal; does nothing if it has ended.
    public func send(_ signal: Int32) {
        if isRunning { kill(id, signal) }
    }

    /// Waits until it's over, by itself; its exit status, or nil if it took too long or was killed.
    public func end(within limit: Duration) async -> Int32? {
        let end = ContinuousClock.now + limit
        while isRunning {
            if ContinuousClock.now > end { return nil }
            try? await Task.sleep(for: .milliseconds(5))
        }
        let status = state.withLock { $0.status }
        return status & 0x7f == 0 ? (status >> 8) & 0xff : nil
    }

    /// Asks it to end, makes it if it doesn't, and waits until what it started is gone too.
    public func stop(politely: Bool = true) async {
        let others = descendants
        if politely {
            send(SIGTERM)
            // What is stopped doesn't hear it.
            send(SIGCONT)
            _ = await end(within: .seconds(10))
        }
        send(SIGKILL)
        _ = await end(within: .testLimit)
        // They end by themselves, as the pipes to them do.
        let end = ContinuousClock.now + .seconds(3)
        while ContinuousClock.now < end, others.contains(where: Child.isRunning) {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}

extension Child {
    /// The processes that it started, and those that they did.
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

    /// Whether a process is there and hasn't ended, whoever it belongs to.
    public static func isRunning(_ process: pid_t) -> Bool {
        // What has ended stays until its parent asks, which may be a while if that isn't the tests.
        state(of: process).map { $0.letter != "Z" } ?? false
    }

    /// Whether a process stands still, as one does that was sent SIGSTOP.
    public static func isStopped(_ process: pid_t) -> Bool { state(of: process)?.letter == "T" }

    private static func state(of process: pid_t) -> (letter: Substring, parent: pid_t?)? {
        // After its name, which is in parentheses and may have anything in it.
        let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let words = line?.split(separator: ")").last?.split(separator: " ") ?? []
        return words.count > 1 ? (words[0], pid_t(words[1])) : nil
    }

    /// Runs a tool to its end; what it said.
    ///
    /// - Throws: ``ServersError`` if it fails or takes too long.
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
        let child = try Child(words, output: output, isServer: false)
        let status = await child.end(within: limit)
        let said = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        guard status == 0 else { throw ServersError.failed("\(words.joined(separator: " ")) failed: \(said)") }
        return said
    }
}
