/// Somebody in a room (XEP-0045 section 5).
public struct Occupant: Hashable, Sendable {
    public var nick: String
    /// Their own address without its resource, where the room shows it to us and is believed in that.
    public var person: JID? { isBelieved ? address : nil }
    /// The address that the room shows, without its resource.
    var address: JID?
    /// Whether the room is believed in whose address it shows.
    var isBelieved: Bool
    /// The nick that they came in with, and which entry that was: a change of nick keeps it, and nobody else ever has it.
    var origin: String
    /// What the room's service calls them, or they themselves if it calls nobody anything (XEP-0421).
    var occupantID: String?
    /// When they came in; nil if they were there before us.
    var entered: Duration?
    /// What they may do in general: `owner`, `admin`, `member`, `none` or `outcast`.
    public var affiliation: String
    /// What they may do now: `moderator`, `participant`, `visitor` or `none`.
    public var role: String

    /// - Parameters:
    ///   - item: What the room says of them.
    ///   - isBelieved: Whether the room is believed in whose address it shows.
    init(_ nick: String, _ item: Element?, isBelieved: Bool) {
        self.nick = nick
        origin = nick
        self.isBelieved = isBelieved
        address = item?["jid"].flatMap { try? JID($0) }?.bare
        affiliation = Self.known(item?["affiliation"], ["owner", "admin", "member", "outcast"])
        role = Self.known(item?["role"], ["moderator", "participant", "visitor"])
    }

    /// Nothing else is kept, however long it is.
    private static func known(_ value: String?, _ values: [String]) -> String {
        values.first { $0 == value } ?? "none"
    }
}
