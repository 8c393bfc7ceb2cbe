import HeybotSASL

/// A feature that a server offers, with what surrounds the offer.
struct FeatureOffer: Sendable {
    /// The element that offers the feature.
    let element: Element
    /// The element with all features that the server offers.
    let all: Element
    /// The progress of the stream.
    let state: StreamState
    /// The values of the encrypted connection that a login can be bound to, the best one first.
    let bindings: [ChannelBinding]
}

/// A feature that client and server negotiate before they exchange stanzas (RFC 6120 section 4.3).
protocol StreamFeatureNegotiator: Sendable {
    /// The name of the element that offers the feature.
    var name: String { get }
    var namespace: String { get }
    /// The state that the feature needs.
    var requires: StreamState { get }
    /// The state in which the feature is no longer negotiated.
    var excludes: StreamState { get }
    /// The state that the feature leads to.
    var provides: StreamState { get }

    /// Begins the negotiation after the server has offered the feature.
    mutating func begin(_ offer: FeatureOffer) -> FeatureNegotiatorAction
    /// Handles the server's answer.
    mutating func receive(_ element: Element) -> FeatureNegotiatorAction
}

/// The next step of the negotiation of a feature.
enum FeatureNegotiatorAction: Sendable {
    /// Send an element, and wait for the answer.
    case send(Element)
    /// Skip the feature, or ignore an element that isn't its answer.
    case skip
    /// The feature is negotiated.
    case completed(NextStage)
    /// The server refuses the feature, and the next one is negotiated.
    case declined
    /// The negotiation failed, which ends the stream.
    case failed(DisconnectReason)

    /// How the stream continues after a feature.
    enum NextStage: Sendable {
        /// With the next feature of the same offer.
        case nextFeature
        /// With the features that the server offers next on the same stream.
        case newOffer
        /// With TLS and a new stream.
        case startTLS
        /// With a new stream.
        case restart
    }
}

/// The progress of a stream, which features require, exclude and provide.
package struct StreamState: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    /// Creates a state from its bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The stream is encrypted.
    package static let secure = StreamState(rawValue: 1)
    /// The account is authenticated.
    package static let authenticated = StreamState(rawValue: 2)
    /// A resource is bound, so stanzas can be exchanged.
    package static let bound = StreamState(rawValue: 4)
    /// The session that servers older than RFC 6120 need is established.
    package static let sessionEstablished = StreamState(rawValue: 8)
}
