import Heybot
import HeybotSupport
import Synchronization

/// Somebody's terminal while they chat: lines come from it, and what is said is shown above the one being typed.
///
/// All that is on the terminal belongs to one thread; the others give it jobs.
final class Console: Sendable {
    /// What it has to know of the robot.
    struct Setup: Sendable {
        var robotName: String
        var input: Int32
        var output: Int32
        var options: TerminalOptions
        /// The commands there are, as help shows them.
        var usages: @Sendable () -> [String]
        /// Takes each line that is sent.
        var lines: AsyncStream<String>.Continuation
    }

    enum Job: Sendable {
        case say(String, Written)
        case show(String)
        case leave
    }

    typealias Written = AsyncThrowingStream<Never, any Error>.Continuation

    private struct State {
        var jobs: [Job] = []
        var isOpen = true
        var hasPrompt = false
    }

    private let setup: Setup
    private let pipe: WakePipe
    private let state = Mutex(State())

    init(_ setup: Setup) throws(ShellError) {
        self.setup = setup
        pipe = try WakePipe()
    }

    /// Returns when somebody takes their leave, or ``leave()`` was called; to be called once.
    func run() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let isStarted = OSThread.start { continuation.resume(with: Result { try self.chat() }) }
            if isStarted { return }
            let failure = ShellError.failed("the system has no thread for the terminal")
            close { _ throws(ShellError) in throw failure }
            continuation.resume(throwing: failure)
        }
    }

    private func chat() throws(ShellError) {
        defer { setup.lines.finish() }
        let terminal: Terminal
        do throws(ShellError) {
            terminal = try Terminal(input: setup.input, output: setup.output, pipe: pipe)
        } catch {
            close { _ throws(ShellError) in throw error }
            throw error
        }
        var session = ConsoleSession(setup, terminal, self)
        do throws(ShellError) {
            try session.run()
        } catch {
            session.end()
            close { _ throws(ShellError) in throw error }
            throw error
        }
        session.end()
        close { text throws(ShellError) in try writeAll(Array((text + "\n").utf8), to: self.setup.output) }
    }

    /// Ends it; may be called from anywhere, also before it runs.
    func leave() {
        _ = post(.leave)
    }

    /// Shows an answer and returns when that is done; false if the console has been left.
    func say(_ text: String) async throws -> Bool {
        let (stream, written) = AsyncThrowingStream<Never, any Error>.makeStream()
        guard post(.say(text, written)) else { return false }
        for try await _ in stream {}
        try Task.checkCancellation()
        return true
    }

    /// Shows a line soon; false if there is no prompt to show it above.
    func show(_ text: String) -> Bool {
        let isShown = state.withLock {
            guard $0.isOpen, $0.hasPrompt else { return false }
            $0.jobs.append(.show(text))
            return true
        }
        if isShown { pipe.wake() }
        return isShown
    }

    private func post(_ job: Job) -> Bool {
        let isPosted = state.withLock {
            if $0.isOpen { $0.jobs.append(job) }
            return $0.isOpen
        }
        if isPosted { pipe.wake() }
        return isPosted
    }

    /// What there is to do, for the session.
    func takeJobs() -> [Job] {
        state.withLock { Self.take(&$0) }
    }

    private static func take(_ state: inout State) -> [Job] {
        defer { state.jobs = [] }
        return state.jobs
    }

    func setPrompt(isShown: Bool) {
        state.withLock { $0.hasPrompt = isShown }
    }

    /// Does what is left to do as plain output, and takes no more.
    private func close(_ write: (String) throws(ShellError) -> Void) {
        while true {
            let jobs: [Job] = state.withLock {
                if $0.jobs.isEmpty { $0.isOpen = false }
                return Self.take(&$0)
            }
            if jobs.isEmpty { return }
            for job in jobs {
                switch job {
                case .say(let text, let written):
                    do throws(ShellError) {
                        try write(TerminalText.safe(text))
                        written.finish()
                    } catch {
                        written.finish(throwing: error)
                    }
                case .show(let text): try? write(TerminalText.safe(text, keepsColors: true))
                case .leave: break
                }
            }
        }
    }
}
