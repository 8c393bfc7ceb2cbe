/// To whom it is accounted what somebody has us do, where a new nick is to be had at any time; it gives no rights.
public struct Asker: Hashable, Sendable {
    /// Whom a limit per person is for: the person's address; else what the room's service calls the occupant (XEP-0421); else
    /// the nick that they came in with.
    public let id: String
    /// Who takes turns with others: the same, but those who have just come in, and can't be told apart otherwise, are one.
    public let turn: String

    /// Makes one that takes turns by its own.
    public init(_ id: String) { self.init(id, turn: id) }

    init(_ id: String, turn: String) { (self.id, self.turn) = (id, turn) }
}
