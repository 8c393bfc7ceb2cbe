import HeybotSASL

/// Agrees on a stream's features, one after the other, until stanzas can go both ways (RFC 6120 section 4.3).
struct Negotiation: Sendable {
    /// What is to be done.
    enum Step: Sendable {
        case send(Element)
        /// Encrypt the connection, and then open the stream again.
        case startTLS
        /// Open the stream again.
        case restart
        /// All is agreed on.
        case done
        case failed(Ending)
    }

    private(set) var state: StreamState
    private let mustBeSecure: Bool
    /// In the order in which they are agreed on.
    private var features: [any StreamFeature]
    private var offer: Element?
    /// The one whose answer is waited for.
    private var current: Int?
    /// Those of the offer that are done with.
    private var passed: Set<Int> = []

    /// - Parameters:
    ///   - state: What the stream has come to before it began: whether it is encrypted.
    ///   - mustBeSecure: Whether nothing is told to the server before it is.
    ///   - features: In the order in which they are agreed on.
    init(_ state: StreamState, mustBeSecure: Bool, _ features: [any StreamFeature]) {
        self.state = state
        self.mustBeSecure = mustBeSecure
        self.features = features
    }

    /// What the server calls us, once it has told.
    var address: JID? { features.lazy.compactMap { ($0 as? ResourceBinding)?.address }.first }

    /// How we logged in.
    var mechanism: Mechanism? { features.lazy.compactMap { ($0 as? Authentication)?.used }.first }

    /// Takes what comes on a stream before all is agreed on.
    mutating func receive(_ element: Element) -> Step? {
        if element.is("features", Namespace.streams) {
            guard current == nil else { return .failed(.lost("the server offers features in the middle of one")) }
            offer = element
            passed = []
            return next()
        }
        guard let current else { return nil }
        return take(features[current].receive(element), of: current)
    }

    private mutating func next() -> Step? {
        guard let offer else { return .failed(.lost("the server answers before it has offered anything")) }
        for index in features.indices where !passed.contains(index) {
            let feature = features[index]
            guard state.isSuperset(of: feature.needs), state.isDisjoint(with: feature.forbids),
                let element = offer.first(feature.name, feature.namespace)
            else { continue }
            let isHarmless = feature.gains.contains(.secure) || !mustBeSecure || state.contains(.secure)
            // Nor does it get any better with what it offers besides.
            guard isHarmless else { return .failed(.noTLS) }
            return take(features[index].begin(element, state), of: index)
        }
        if state.contains(.bound) { return .done }
        if mustBeSecure, !state.contains(.secure) { return .failed(.noTLS) }
        return .failed(
            .lost(
                state.contains(.authenticated) ? "the server gives us no address" : "the server doesn't let us log in"))
    }

    private mutating func take(_ step: FeatureStep, of index: Int) -> Step? {
        switch step {
        case .send(let element):
            current = index
            return .send(element)
        case .skip:
            // What isn't the answer waited for; or there is nothing to wait for.
            guard current == nil else { return nil }
            passed.insert(index)
            return next()
        case .achieved(let then):
            current = nil
            passed.insert(index)
            state.formUnion(features[index].gains)
            switch then {
            case .goOn: return next()
            case .startTLS:
                offer = nil
                return .startTLS
            case .restart:
                offer = nil
                return .restart
            }
        case .failed(let ending):
            return .failed(ending)
        }
    }
}
