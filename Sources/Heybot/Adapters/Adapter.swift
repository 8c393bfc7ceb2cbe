public import FoundationEssentials

/// A connection between a robot and one chat service.
///
/// An adapter gets an inbox and never sees the robot. Optional capabilities, such as ``RoomMembership``, are small
/// protocols that an adapter may adopt too. An adapter that stores state takes a ``Brain`` in its initializer.
public protocol Adapter: Sendable {
    /// The adapter's name, such as `irc`: unique in the robot, and without a colon.
    ///
    /// It is the ``ScopedID/adapter`` in the ids of its users, rooms and messages.
    var name: String { get }

    /// The connection's status, for health checks and for the `adapter` command.
    var status: AdapterStatus { get }

    /// Puts messages into the inbox, until no more can arrive or the task is canceled.
    ///
    /// It is called once the brain is open and every script is registered. The adapter reconnects by itself after temporary
    /// failures, and throws only if retrying is pointless.
    func run(_ inbox: Inbox) async throws

    /// Sends an utterance. Returns once the service has it, or once it is queued in the order of the calls.
    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws
}

extension Adapter {
    /// Returns the id that a user, a room or a message of this adapter has, from what the service calls it.
    public func id<Subject>(_ value: String) -> ScopedID<Subject> { ScopedID(adapter: name, value: value) }
}

/// The status of an adapter's connection.
public enum AdapterStatus: Hashable, Sendable, CustomStringConvertible {
    /// The adapter hasn't connected yet.
    case starting
    /// The adapter is connected.
    case up(since: Date)
    /// The connection failed, and the adapter is trying to reconnect.
    case down(since: Date, reason: String)
    /// The adapter has finished normally, such as a terminal whose input has ended.
    case ended(since: Date)

    /// Records that the connection is up.
    package mutating func markUp(at time: Date) {
        if case .up = self { return }
        self = .up(since: time)
    }

    /// Records a failure.
    ///
    /// While failures follow one another, the time stays that of the first.
    package mutating func markDown(_ reason: String, at time: Date) {
        let since = if case .down(let since, _) = self { since } else { time }
        self = .down(since: since, reason: reason)
    }

    public var description: String {
        switch self {
        case .starting: "starting"
        case .up(let since): "up since \(since.formatted(.iso8601))"
        case .ended(let since): "ended at \(since.formatted(.iso8601))"
        case .down(let since, let reason): "down since \(since.formatted(.iso8601)): \(reason)"
        }
    }
}

/// The reason why an adapter can't be created, or can't carry out a request.
public struct AdapterError: UserFacingError, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: String, Codable, Hashable, Sendable {
        /// The configuration is incomplete or invalid.
        case misconfigured
        /// There is no connection at the moment.
        case notConnected
        /// The text isn't a valid name of a room or a user.
        case invalidName
        /// The robot isn't in that room.
        case notInRoom
        /// The room refused the robot, or the server didn't answer the request to join.
        case joinRefused
        /// The text is longer than the network allows.
        case tooLong
        /// The room or the network doesn't let the robot do that.
        case notAllowed
        /// There is no such user in the room.
        case noSuchUser
        /// Somebody else has set that, so the robot leaves it alone.
        case setByOthers
        /// The network can't do that.
        case unsupported
        /// The network didn't answer, so it may have been done.
        case unconfirmed
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong, with the name of the thing, and how to fix it.
    public let reason: String

    /// Creates an error.
    ///
    /// The reason says what is wrong, with the name of the thing, and how to fix it.
    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    public var description: String { reason }

    /// The reason as a sentence.
    public var userMessage: String {
        // A reason that begins with an address or a channel isn't capitalized.
        let isWord = reason.prefix { $0 != " " }.allSatisfy { $0.isLetter || $0 == "'" }
        return (isWord ? reason.prefix(1).uppercased() + reason.dropFirst() : reason) + "."
    }
}
