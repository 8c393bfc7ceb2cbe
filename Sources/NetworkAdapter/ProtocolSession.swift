package import Logging

/// A chat protocol's client session as a state machine: events go in, actions come out, and there are no side effects.
///
/// Times are offsets on a monotonic clock.
package protocol ProtocolSession: Sendable {
    /// A message to send.
    associatedtype OutgoingMessage: Sendable
    /// An action for the session's owner.
    associatedtype Action: Sendable

    /// Whether messages can be sent.
    var isOnline: Bool { get }
    /// Whether the connection doesn't accept more data for now.
    var isCongested: Bool { get set }
    /// When ``tick(at:)`` is to be called next; nil if nothing is scheduled.
    ///
    /// The getter may store the time.
    var due: Duration? { mutating get }
    /// The messages that aren't sent yet.
    var unsent: [OutgoingMessage] { get }
    /// The number of messages that aren't sent yet.
    var unsentCount: Int { get }
    /// The number of dropped messages that aren't reported yet.
    var dropped: Int { get }

    /// Handles everything that is due.
    mutating func tick(at now: Duration) -> [Action]
    /// Stops the keep-alive timer until ``resume(at:)``.
    mutating func pause(at now: Duration)
    mutating func resume(at now: Duration)
    /// Queues messages, and sends what the rate limit allows.
    mutating func say(_ messages: [OutgoingMessage], at now: Duration) -> [Action]
    /// Disconnects with a farewell message.
    mutating func quit(_ farewell: String) -> [Action]
}

/// An event of a session that is logged.
package protocol SessionLogEntry: Hashable, Sendable, CustomStringConvertible {
    var level: Logger.Level { get }
    /// Whether repetitions are logged at debug level, until an entry ``ends(_:)`` it.
    var isLoggedOnce: Bool { get }
    /// Whether the condition that another entry reported is over.
    func ends(_ other: Self) -> Bool
    /// Whether the robot may have joined or left a room.
    var changesRooms: Bool { get }
    /// The counter to increase and by how much; nil for none.
    var counted: (counter: String, count: Int)? { get }
    /// The counters that ``counted`` can name.
    static var counters: [String] { get }

    /// Messages were dropped because the queue was full.
    static func dropped(_ count: Int) -> Self
    /// Messages were dropped because the connection was down for too long.
    static func expired(_ count: Int) -> Self
}
