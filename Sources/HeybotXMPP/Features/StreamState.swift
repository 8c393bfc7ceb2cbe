/// What a stream has come to: what its features need, forbid and gain.
package struct StreamState: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    /// By its bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// It is encrypted.
    package static let secure = StreamState(rawValue: 1)
    /// The server knows who we are.
    package static let authenticated = StreamState(rawValue: 2)
    /// We have an address of our own, so that stanzas can go both ways.
    package static let bound = StreamState(rawValue: 4)
    /// What servers older than RFC 6120 want besides is done.
    package static let established = StreamState(rawValue: 8)
}
