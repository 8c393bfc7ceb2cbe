public import FoundationEssentials

/// A connection between a robot and one chat service.
///
/// The inbox is handed in: an adapter never sees the robot. What it can do beyond these is a small protocol of its
/// own that it may also adopt. One that must remember something takes a ``Brain`` in its initialiser.
public protocol Adapter: Sendable {
    /// Unique in the robot and without a colon, as `irc`; the `adapter` of all its users', rooms' and messages' ids.
    var name: String { get }

    /// Whether it is up, for health and chat.
    var status: AdapterStatus { get }

    /// Puts what happens into the inbox, until there is nothing more to come or the task is cancelled.
    ///
    /// It is not called before the brain is open and every script registered. Passing troubles are the adapter's own
    /// to mend; it throws if trying again is of no use.
    func run(_ inbox: Inbox) async throws

    /// Says it; returns when the service has it, or will have it in the order of the calls.
    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws
}

/// How an adapter is.
public enum AdapterStatus: Hashable, Sendable, CustomStringConvertible {
    /// Not connected yet.
    case starting
    case up(since: Date)
    case down(since: Date, reason: String)
    /// Nothing more will be heard there, as it should be: whoever it talked with has left.
    case ended(since: Date)

    /// Takes note that all is well.
    package mutating func markUp(at time: Date) {
        if case .up = self { return }
        self = .up(since: time)
    }

    /// Takes note of trouble; it is down since the first of it.
    package mutating func markDown(_ reason: String, at time: Date) {
        let since = if case .down(let since, _) = self { since } else { time }
        self = .down(since: since, reason: reason)
    }

    public var description: String {
        switch self {
        case .starting: "starting"
        case .up(let since): "up since \(since.formatted(.iso8601))"
        case .ended(let since): "ended since \(since.formatted(.iso8601))"
        case .down(let since, let reason): "down since \(since.formatted(.iso8601)): \(reason)"
        }
    }
}

/// Why an adapter can't be made, or can't do what it is told.
public struct AdapterError: SpokenError, Hashable, CustomStringConvertible {
    /// What kind of trouble it is.
    public enum Code: Hashable, Sendable {
        /// Its configuration lacks something, or has what can't be used.
        case misconfigured
        /// There is no connection just now.
        case notConnected
        /// That can't be the name of a room, or of a person.
        case badName
        /// We aren't in that room.
        case notThere
        /// A room doesn't let us in, or doesn't say whether it does.
        case notLetIn
        /// The text is longer than the network takes.
        case tooLong
    }

    public let code: Code
    /// What is wrong, which names the thing, and what can be done about it.
    public let reason: String

    /// Makes an error of what is wrong, which names the thing, and what can be done about it.
    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    public var description: String { reason }

    public var spoken: String {
        // An address or a channel stays as it is written.
        let isWord = reason.prefix { $0 != " " }.allSatisfy { $0.isLetter || $0 == "'" }
        return (isWord ? reason.prefix(1).uppercased() + reason.dropFirst() : reason) + "."
    }
}
