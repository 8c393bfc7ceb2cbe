import HeybotSupport
import Logging
import Synchronization

/// A limit on the commands of one user.
public struct UserCommandRateLimit: Hashable, Sendable {
    /// The number of commands allowed at once; 0 for no limit.
    public var burst: Int
    /// The time until another command is allowed.
    public var interval: Duration

    /// Creates a limit; the default is ten commands at once, then one every three seconds.
    public init(burst: Int = 10, interval: Duration = .seconds(3)) { (self.burst, self.interval) = (burst, interval) }
}

/// Limits the commands of each user, on the adapters that have a ``UserCommandRateLimit``.
///
/// A user's messages are ignored for a while after too many commands, if too many lines are queued for them, or if they get the
/// same answer many times in a row.
final class UserCommandRateLimiter: Sendable {
    private struct State {
        var protection: FloodProtection
        var warnings = TokenBucket(UserCommandRateLimiter.warnings)
    }

    /// Limits the warnings, so that they don't delay other messages.
    private static let warnings = RateLimit(burst: 2, interval: .seconds(5))

    private let adapters: [String: AdapterLimitState]
    private let addressing: Addressing
    private let timeSource: TimeSource
    private let logger: Logger

    /// The state of the limit of an adapter that has one.
    ///
    /// A class, because a mutex can't be copied into a dictionary.
    private final class AdapterLimitState: Sendable {
        let adapter: any UserCommandRateLimiting
        let state: Mutex<State>

        init(_ adapter: any UserCommandRateLimiting, _ limit: UserCommandRateLimit) {
            self.adapter = adapter
            let rateLimit = RateLimit(burst: limit.burst, interval: limit.interval)
            state = Mutex(State(protection: FloodProtection(rateLimit)))
        }
    }

    init(_ adapters: [any Adapter], _ addressing: Addressing, timeSource: TimeSource, logger: Logger) {
        let limited = adapters.compactMap { adapter -> (String, AdapterLimitState)? in
            guard let adapter = adapter as? any UserCommandRateLimiting, let limit = adapter.commandLimit,
                limit.burst > 0,
                limit.interval > .zero
            else { return nil }
            return (adapter.name, AdapterLimitState(adapter, limit))
        }
        self.adapters = Dictionary(limited, uniquingKeysWith: { first, _ in first })
        self.addressing = addressing
        self.timeSource = timeSource
        self.logger = logger
    }

    /// Whether a message is accepted.
    ///
    /// Counts it if it is a command. Reactions and retractions aren't counted, but those of an ignored user aren't accepted.
    func admit(_ message: Message) -> Bool {
        guard let limited = adapters[message.room.id.adapter] else { return true }
        let isCommand: Bool
        switch message.content {
        case .text(let text):
            isCommand = message.room.isPrivate || message.isAddressed || addressing.isAddressed(text)
        case .reaction, .retraction: isCommand = false
        case .enter, .leave, .topic, .profile: return true
        }
        let now = timeSource.now()
        let (isAccepted, ignoreTime) = limited.state.withLock { state -> (Bool, Duration?) in
            guard state.protection.allows(message.sender.value, at: now) else { return (false, nil) }
            guard isCommand else { return (true, nil) }
            return (true, state.protection.countCommand(message.sender.value, message.id.value, at: now))
        }
        if let ignoreTime { warn(message, for: ignoreTime, limited, at: now) }
        return isAccepted
    }

    /// The number of lines queued for the user whose message an envelope answers.
    func queuedLines(for envelope: Envelope) -> Int {
        adapters[envelope.room.id.adapter]?.adapter.queuedLines(for: envelope) ?? 0
    }

    /// Counts an answer to a message.
    ///
    /// - Parameter unsaid: ``queuedLines(for:)`` before it was said.
    func countAnswer(_ utterance: Utterance, to message: Message, _ envelope: Envelope, unsaid: Int) {
        // Setting a topic sends no line to the room.
        if case .topic = utterance { return }
        guard let limited = adapters[message.room.id.adapter] else { return }
        let now = timeSource.now()
        let ignoreTime = limited.state.withLock {
            $0.protection.countAnswer(
                message.sender.value, message.id.value, with: utterance.content, lines: unsaid, at: now)
        }
        if let ignoreTime { warn(message, for: ignoreTime, limited, at: now) }
    }

    /// Logs that a user is ignored, and warns the user unless too many warnings were sent lately.
    private func warn(_ message: Message, for ignoreTime: Duration, _ limited: AdapterLimitState, at now: Duration) {
        let seconds = max(ignoreTime.components.seconds, 1)
        logger.notice(
            "rate limit exceeded, ignoring \(message.user.name) for \(seconds) s",
            metadata: ["user": "\(message.user.id)", "room": "\(message.room.id)"])
        let isDue = limited.state.withLock { state in
            guard state.warnings.isAvailable(at: now) else { return false }
            state.warnings.consume(at: now)
            return true
        }
        guard isDue else { return }
        limited.adapter.warn(
            "Not so fast: I'll listen to you again in \(seconds) s.",
            Envelope(room: message.room, user: message.user, message: message.id))
    }
}
