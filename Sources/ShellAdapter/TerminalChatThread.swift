import Heybot
import HeybotSupport
import Synchronization

/// A chat in a terminal: reads lines with a line editor, and shows messages above the input line.
///
/// One thread owns the terminal; other threads send it jobs.
final class TerminalChatThread: Sendable {
    /// The chat's configuration.
    struct Configuration: Sendable {
        var robotName: String
        var input: Int32
        var output: Int32
        var options: TerminalChatOptions
        /// Returns the usages of all commands, as in help.
        var usages: @Sendable () -> [String]
        /// Receives each submitted line.
        var lines: AsyncStream<String>.Continuation
        /// The action of Ctrl-C on an empty line, after the chat has ended.
        var onInterrupt: @Sendable () -> Void
    }

    enum Job: Sendable {
        case say(String, WriteContinuation)
        case show(String)
        case quit
    }

    typealias WriteContinuation = AsyncThrowingStream<Never, any Error>.Continuation

    private struct State {
        var jobs: [Job] = []
        var isOpen = true
        var hasPrompt = false
    }

    private let configuration: Configuration
    private let pipe: WakePipe
    private let state = Mutex(State())

    init(_ configuration: Configuration) throws(ShellError) {
        self.configuration = configuration
        pipe = try WakePipe()
    }

    /// Runs the chat until the user exits or ``quit()`` is called.
    ///
    /// Call it once.
    func run() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let isStarted = OSThread.start { continuation.resume(with: Result { try self.chat() }) }
            if isStarted { return }
            let failure = ShellError.failed("the system can't create a thread for the terminal")
            close { _ throws(ShellError) in throw failure }
            continuation.resume(throwing: failure)
        }
    }

    private func chat() throws(ShellError) {
        defer { configuration.lines.finish() }
        let terminal: Terminal
        do throws(ShellError) {
            terminal = try Terminal(input: configuration.input, output: configuration.output, pipe: pipe)
        } catch {
            close { _ throws(ShellError) in throw error }
            throw error
        }
        var terminalChat = TerminalChat(configuration, terminal, self)
        do throws(ShellError) {
            try terminalChat.run()
        } catch {
            terminalChat.end()
            close { _ throws(ShellError) in throw error }
            throw error
        }
        terminalChat.end()
        close { text throws(ShellError) in try writeAll(Array((text + "\n").utf8), to: self.configuration.output) }
        if terminalChat.wasInterrupted { configuration.onInterrupt() }
    }

    /// Ends the chat.
    ///
    /// May be called from any thread, also before ``run()``.
    func quit() {
        _ = post(.quit)
    }

    /// Shows an answer, and returns when it is written.
    ///
    /// - Returns: False if the chat has ended.
    func say(_ text: String) async throws -> Bool {
        let (stream, written) = AsyncThrowingStream<Never, any Error>.makeStream()
        guard post(.say(text, written)) else { return false }
        for try await _ in stream {}
        try Task.checkCancellation()
        return true
    }

    /// Shows a line above the prompt, without waiting for that.
    ///
    /// - Returns: False if there is no prompt.
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

    /// Removes and returns the waiting jobs, for the chat.
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

    /// Writes the remaining jobs as plain output, and accepts no more.
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
                        try write(TerminalSanitizer.safe(text))
                        written.finish()
                    } catch {
                        written.finish(throwing: error)
                    }
                case .show(let text): try? write(TerminalSanitizer.safe(text, keepsColors: true))
                case .quit: break
                }
            }
        }
    }
}
