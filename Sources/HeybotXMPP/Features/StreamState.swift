/// What a stream has come to: what its features need, forbid and gain.
public struct StreamState: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    /// By its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// It is encrypted.
    public static let secure = StreamState(rawValue: 1)
    /// The server knows who we are.
    public static let authenticated = StreamState(rawValue: 2)
    /// We have an address of our own, so that stanzas can go both ways.
    public static let bound = StreamState(rawValue: 4)
    /// What servers older than RFC 6120 want besides is done.
    public static let established = StreamState(rawValue: 8)
}
