package import Logging

/// A chat protocol's client session as a value: what happens goes in, actions come out, and nothing is done.
///
/// Times are offsets on a monotonic clock.
package protocol ProtocolSession: Sendable {
    /// Something to be said.
    associatedtype Chat: Sendable
    /// Something to be done.
    associatedtype Action: Sendable

    /// Whether what is to be said can go out.
    var isReady: Bool { get }
    /// Whether the connection takes no more for now.
    var isClogged: Bool { get set }
    /// When ``tick(at:)`` is to be called next; nil if nothing is to be waited for.
    var due: Duration? { get }
    /// What isn't sent yet of what is to be said.
    var unsent: [Chat] { get }
    /// The number of chats that aren't sent yet.
    var unsentCount: Int { get }
    /// The number of chats that found no room in the queue since that was noted last.
    var lost: Int { get }

    /// Does what is due.
    mutating func tick(at now: Duration) -> [Action]
    /// Stops the clock that the other side's silence is measured by, until ``resume(at:)``.
    mutating func pause(at now: Duration)
    mutating func resume(at now: Duration)
    /// Queues what is to be said, and says what may be said now.
    mutating func say(_ chats: [Chat], at now: Duration) -> [Action]
    /// Leaves with these words.
    mutating func quit(_ words: String) -> [Action]
}

/// Something that whoever runs the robot may want to know of a session.
package protocol SessionNote: Hashable, Sendable, CustomStringConvertible {
    var level: Logger.Level { get }
    /// Whether it is logged once, and then for debugging only, until a note ``ends(_:)`` it.
    var isLoggedOnce: Bool { get }
    /// Whether what another note said is over.
    func ends(_ other: Self) -> Bool
    /// Whether the robot may be in another room now, or in one less.
    var changesRooms: Bool { get }
    /// What it adds to the metrics; nil for nothing.
    var counted: (counter: String, count: Int)? { get }
    /// The counters that ``counted`` may name.
    static var counters: [String] { get }

    /// So many messages were dropped, because too many waited.
    static func lost(_ count: Int) -> Self
    /// So many messages weren't said, because the connection was away for too long.
    static func expired(_ count: Int) -> Self
}
