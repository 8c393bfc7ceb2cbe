import HeybotSupport
import Logging
import Synchronization

/// How many commands one person may give.
public struct CommandLimit: Hashable, Sendable {
    /// How many at once; 0 for any number.
    public var burst: Int
    /// The time until they may give another.
    public var interval: Duration

    /// Ten at once, and then one every three seconds.
    public init(burst: Int = 10, interval: Duration = .seconds(3)) { (self.burst, self.interval) = (burst, interval) }
}

/// The limits on what one person may have the robot do, for the adapters that have one.
///
/// Nothing that somebody says is heard for a while once they have given too many commands, have too much waiting to be said
/// to them, or get the same answer again and again.
final class CommandLimits: Sendable {
    private struct State {
        var limiter: RateLimiter
        var warnings = PaceMeter(CommandLimits.warnings)
    }

    /// How many people are warned at once, so that warning them delays nobody else.
    private static let warnings = Pace(burst: 2, interval: .seconds(5))

    private let adapters: [String: Limited]
    private let addressing: Addressing
    private let timeline: Timeline
    private let logger: Logger

    /// Shared, since a mutex can't be copied into a dictionary.
    private final class Limited: Sendable {
        let adapter: any RateLimited
        let state: Mutex<State>

        init(_ adapter: any RateLimited, _ limit: CommandLimit) {
            self.adapter = adapter
            let pace = Pace(burst: limit.burst, interval: limit.interval)
            state = Mutex(State(limiter: RateLimiter(pace)))
        }
    }

    init(_ adapters: [any Adapter], _ addressing: Addressing, timeline: Timeline, logger: Logger) {
        let limited = adapters.compactMap { adapter -> (String, Limited)? in
            guard let adapter = adapter as? any RateLimited, let limit = adapter.commandLimit, limit.burst > 0,
                limit.interval > .zero
            else { return nil }
            return (adapter.name, Limited(adapter, limit))
        }
        self.adapters = Dictionary(limited, uniquingKeysWith: { first, _ in first })
        self.addressing = addressing
        self.timeline = timeline
        self.logger = logger
    }

    /// Whether a message is heard; it is counted if it is a command.
    func admit(_ message: Message) -> Bool {
        guard let text = message.text, let limited = adapters[message.room.id.adapter] else { return true }
        let now = timeline.now()
        let isCommand = message.room.isPrivate || message.isAddressed || addressing.isAddressed(text)
        let (isHeard, rest) = limited.state.withLock { state -> (Bool, Duration?) in
            guard state.limiter.admits(message.sender.value, at: now) else { return (false, nil) }
            guard isCommand else { return (true, nil) }
            return (true, state.limiter.asked(message.sender.value, message.id.value, at: now))
        }
        if let rest { warn(message, for: rest, limited, at: now) }
        return isHeard
    }

    /// How many lines wait to be said to the person whose message an envelope answers.
    func unsaidLines(for envelope: Envelope) -> Int {
        adapters[envelope.room.id.adapter]?.adapter.unsaidLines(for: envelope) ?? 0
    }

    /// Counts something said in answer to a message.
    ///
    /// - Parameter unsaid: ``unsaidLines(for:)`` before it was said.
    func countAnswer(_ utterance: Utterance, to message: Message, _ envelope: Envelope, unsaid: Int) {
        // A topic is no line.
        if case .topic = utterance { return }
        guard let limited = adapters[message.room.id.adapter] else { return }
        let now = timeline.now()
        let rest = limited.state.withLock {
            $0.limiter.answered(message.sender.value, message.id.value, with: utterance.content, lines: unsaid, at: now)
        }
        if let rest { warn(message, for: rest, limited, at: now) }
    }

    private func warn(_ message: Message, for rest: Duration, _ limited: Limited, at now: Duration) {
        let seconds = max(rest.components.seconds, 1)
        logger.notice(
            "\(message.user.name) asks too much, so I don't listen to them for \(seconds) s",
            metadata: ["user": "\(message.user.id)", "room": "\(message.room.id)"])
        let isDue = limited.state.withLock { state in
            guard state.warnings.isReady(at: now) else { return false }
            state.warnings.count(at: now)
            return true
        }
        guard isDue else { return }
        limited.adapter.warn(
            "not so fast; I'll listen to you again in \(seconds) s.",
            Envelope(room: message.room, user: message.user, message: message.id))
    }
}
