/// Somebody in a room (XEP-0045 section 5).
public struct Occupant: Hashable, Sendable {
    public var nick: String
    /// Their own address without its resource, where the room shows it to us and we believe it.
    public var person: JID?
    /// What they may do in general: `owner`, `admin`, `member`, `none` or `outcast`.
    public var affiliation: String
    /// What they may do now: `moderator`, `participant`, `visitor` or `none`.
    public var role: String

    /// - Parameter isTrusted: Whether what the room says of their address is believed.
    init(_ nick: String, _ item: Element?, isTrusted: Bool) {
        self.nick = nick
        person = isTrusted ? item?["jid"].flatMap { try? JID($0) }?.bare : nil
        affiliation = item?["affiliation"] ?? "none"
        role = item?["role"] ?? "none"
    }
}
