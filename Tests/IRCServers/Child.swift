import Foundation
import Synchronization

/// A process of the test's, which ends with it even where the test crashes.
final class Child: Sendable {
    private struct State {
        var isOver = false
        var status: Int32 = 0
    }

    let id: pid_t
    private let state = Mutex(State())

    /// Starts a program, as a user who may do little where the tests run as root.
    ///
    /// - Parameter isServer: whether it's one: a tool stays the user that the test is.
    init(_ words: [String], input: Int32? = nil, output: Int32? = nil, isServer: Bool = true) throws {
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

    var isRunning: Bool {
        state.withLock { state in
            if !state.isOver, waitpid(id, &state.status, WNOHANG) != 0 { state.isOver = true }
            return !state.isOver
        }
    }

    func send(_ signal: Int32) {
        if isRunning { kill(id, signal) }
    }

    /// Waits until it's over, by itself; its exit status, or nil where it took too long or was killed.
    func end(within limit: Duration) async -> Int32? {
        let end = ContinuousClock.now + limit
        while isRunning {
            if ContinuousClock.now > end { return nil }
            try? await Task.sleep(for: .milliseconds(5))
        }
        let status = state.withLock { $0.status }
        return status & 0x7f == 0 ? (status >> 8) & 0xff : nil
    }

    /// Asks it to end, and makes it where it doesn't.
    func stop(politely: Bool = true) async {
        if politely {
            send(SIGTERM)
            // What is stopped doesn't hear it.
            send(SIGCONT)
            _ = await end(within: .seconds(3))
        }
        send(SIGKILL)
        _ = await end(within: .seconds(3))
    }
}

extension Child {
    /// Runs a tool to its end; what it said.
    @discardableResult
    static func run(_ words: [String], in folder: ScratchFolder, within limit: Duration = .seconds(20)) async throws
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
