/// Something that client and server agree on before there are stanzas (RFC 6120 section 4.3).
protocol StreamFeature: Sendable {
    /// The name of the element by which the server offers it.
    var name: String { get }
    var namespace: String { get }
    /// What must have been come to before.
    var needs: StreamState { get }
    /// What must not have been come to yet.
    var forbids: StreamState { get }
    /// What is come to by it.
    var gains: StreamState { get }

    /// The server offers it, and it is its turn.
    mutating func begin(_ offer: Element, _ state: StreamState) -> FeatureStep
    /// Takes the server's answer.
    mutating func receive(_ element: Element) -> FeatureStep
}

/// What a feature does next.
enum FeatureStep: Sendable {
    /// Sends something, and waits for the answer.
    case send(Element)
    /// There is nothing to do for it.
    case skip
    /// It is agreed on.
    case achieved(Then)
    /// It can't be agreed on, so that the stream is over.
    case failed(Ending)

    /// How a stream goes on behind a feature.
    enum Then: Sendable {
        /// With the next feature of the same offer.
        case goOn
        /// Encrypted, and from the beginning.
        case startTLS
        /// From the beginning.
        case restart
    }
}

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
