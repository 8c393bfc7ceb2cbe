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
    /// to mend; it throws where trying again is of no use.
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

    public var description: String {
        switch self {
        case .starting: "starting"
        case .up(let since): "up since \(since.formatted(.iso8601))"
        case .ended(let since): "ended since \(since.formatted(.iso8601))"
        case .down(let since, let reason): "down since \(since.formatted(.iso8601)): \(reason)"
        }
    }
}
