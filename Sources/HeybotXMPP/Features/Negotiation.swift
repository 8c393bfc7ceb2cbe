import HeybotSASL

/// The negotiation of stream features, one after the other, until stanzas can be exchanged (RFC 6120 section 4.3).
struct Negotiation: Sendable {
    /// What the session has to do next.
    enum Action: Sendable {
        case send(Element)
        /// Start TLS, and then open the stream again.
        case startTLS
        /// Open the stream again.
        case restart
        /// Begin to exchange stanzas.
        case done
        case failed(DisconnectReason)
    }

    private(set) var state: StreamState
    /// The values of the encrypted connection that a login can be bound to, the best one first.
    var bindings: [ChannelBinding] = []
    private let requiresTLS: Bool
    /// In the order of negotiation.
    private var features: [any StreamFeatureNegotiator]
    private var offer: Element?
    /// The feature that waits for the server's answer.
    private var current: Int?
    /// The offered features that are completed or skipped.
    private var passed: Set<Int> = []

    /// - Parameters:
    ///   - state: The initial state of the stream: whether it is encrypted.
    ///   - requiresTLS: Whether nothing may be sent before the stream is encrypted.
    ///   - features: The features, in the order of negotiation.
    init(_ state: StreamState, requiresTLS: Bool, _ features: [any StreamFeatureNegotiator]) {
        self.state = state
        self.requiresTLS = requiresTLS
        self.features = features
    }

    /// The address that the server assigned, once it has.
    var address: JID? {
        features.lazy.compactMap { feature in
            (feature as? ResourceBinding)?.address ?? (feature as? ExtensibleAuthentication)?.address
        }.first
    }

    /// Whether the server has begun the session together with the login (XEP-0386).
    var hasBegunSession: Bool { features.contains { ($0 as? ExtensibleAuthentication)?.address != nil } }

    /// The server's answer to the request to count stanzas, if it was asked together with the login.
    var streamManagement: Element? {
        features.lazy.compactMap { ($0 as? ExtensibleAuthentication)?.streamManagement }.first
    }

    /// The server's answer to the request to resume a session, if there was one.
    var resumption: StreamResumption.Answer? {
        // It is asked again after a login in which it has refused that.
        features.lazy.compactMap { ($0 as? StreamResumption)?.answer }.first
            ?? features.lazy.compactMap { ($0 as? ExtensibleAuthentication)?.resumptionAnswer }.first
    }

    /// The mechanism of the successful login.
    var mechanism: Mechanism? {
        features.lazy.compactMap {
            (($0 as? Authentication)?.attempts ?? ($0 as? ExtensibleAuthentication)?.attempts)?.usedMechanism
        }.first
    }

    /// Handles an element that arrives before the negotiation is done.
    mutating func receive(_ element: Element) -> Action? {
        if element.is("features", Namespace.streams) {
            guard current == nil else {
                return .failed(.lost("the server sent stream features in the middle of a negotiation"))
            }
            offer = element
            passed = []
            return next()
        }
        guard let current else { return nil }
        return apply(features[current].receive(element), of: current)
    }

    private mutating func next() -> Action? {
        guard let offer else { return .failed(.lost("the server answered before it sent stream features")) }
        for index in features.indices where !passed.contains(index) {
            let feature = features[index]
            guard state.isSuperset(of: feature.requires), state.isDisjoint(with: feature.excludes),
                let element = offer.first(feature.name, feature.namespace)
            else { continue }
            let isAllowed = feature.provides.contains(.secure) || !requiresTLS || state.contains(.secure)
            // Further features of the offer can't make it secure.
            guard isAllowed else { return .failed(.noTLS) }
            let featureOffer = FeatureOffer(element: element, all: offer, state: state, bindings: bindings)
            return apply(features[index].begin(featureOffer), of: index)
        }
        if state.contains(.bound) { return .done }
        if requiresTLS, !state.contains(.secure) { return .failed(.noTLS) }
        return .failed(
            .lost(
                state.contains(.authenticated)
                    ? "the server didn't assign an address" : "the server offers no way to log in"))
    }

    private mutating func apply(_ step: FeatureNegotiatorAction, of index: Int) -> Action? {
        switch step {
        case .send(let element):
            current = index
            return .send(element)
        case .skip:
            // The element isn't the awaited answer, or no answer is needed.
            guard current == nil else { return nil }
            passed.insert(index)
            return next()
        case .declined:
            current = nil
            passed.insert(index)
            return next()
        case .completed(let then):
            current = nil
            passed.insert(index)
            state.formUnion(features[index].provides)
            switch then {
            case .nextFeature: return next()
            case .newOffer:
                offer = nil
                return nil
            case .startTLS:
                offer = nil
                return .startTLS
            case .restart:
                offer = nil
                return .restart
            }
        case .failed(let reason):
            return .failed(reason)
        }
    }
}
