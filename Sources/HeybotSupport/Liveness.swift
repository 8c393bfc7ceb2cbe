/// Finds out whether the other side is still there, by asking it if it has said nothing for long.
package struct Liveness: Sendable {
    /// What is to be done.
    package enum Step: Hashable, Sendable {
        /// Nothing.
        case none
        /// Ask whether it is there.
        case ask
        /// It didn't answer in time.
        case dead
    }

    private let silence: Duration
    private let answer: Duration
    private var heard: Duration
    private var asked: Duration?
    private var paused: Duration?

    /// - Parameters:
    ///   - silence: Without hearing anything for so long, it is asked.
    ///   - answer: How long its answer may take.
    package init(silence: Duration, answer: Duration, at now: Duration) {
        self.silence = silence
        self.answer = answer
        heard = now
    }

    /// When it is time to look again; nil while it is we who don't listen.
    package var due: Duration? {
        paused == nil ? asked.map { $0 + answer } ?? heard + silence : nil
    }

    /// Something came from it.
    package mutating func hear(at now: Duration) {
        heard = now
        asked = nil
    }

    /// We don't read for now, so that silence says nothing: time stands still.
    package mutating func pause(at now: Duration) { paused = paused ?? now }

    /// We read again.
    package mutating func resume(at now: Duration) {
        guard let paused else { return }
        heard += now - paused
        asked = asked.map { $0 + (now - paused) }
        self.paused = nil
    }

    /// What is due now.
    package mutating func tick(at now: Duration) -> Step {
        guard let due, due <= now else { return .none }
        guard asked == nil else { return .dead }
        asked = now
        return .ask
    }
}
