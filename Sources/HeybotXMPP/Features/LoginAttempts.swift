import FoundationEssentials
import HeybotSASL
import HeybotSupport

/// The attempts to log in: each mechanism that the server offers is tried once, the best one first.
struct LoginAttempts: Sendable {
    /// What to do next.
    enum Next: Sendable {
        /// Begin the login by a mechanism, with its initial response.
        case attempt(Mechanism, first: [UInt8])
        /// No mechanism is left, or the server has rejected the account.
        case failed(DisconnectReason)

        /// Returns how the stream goes on.
        ///
        /// - Parameter request: Returns the request to log in by a mechanism, with its initial response.
        func action(_ request: (Mechanism, [UInt8]) -> Element) -> FeatureNegotiatorAction {
            switch self {
            case .attempt(let mechanism, let first): .send(request(mechanism, first))
            case .failed(let reason): .failed(reason)
            }
        }
    }

    /// What the server has done if an element can't be expected.
    static let protocolViolation = DisconnectReason.lost("the server violated the SASL protocol")

    private static let maxChallengeBytes = 16_384

    private let credentials: Credentials
    private let preferred: Mechanism?
    /// The mechanism of the previous login; nil if there was none.
    private let last: Mechanism?
    private let nonce: String
    private var offer = SASLOffer(mechanisms: [])
    private var untried: [Mechanism] = []
    private var login: SASLClient?
    private var rounds = 0
    private var problems: [String] = []
    /// The mechanisms that the server offers, in capitals.
    private var offered: [String] = []
    /// The channel binding that both sides support.
    private var binding: ChannelBinding?
    /// What a login that isn't bound tells the server about channel binding.
    private var unboundUse = ChannelBindingUse.impossible
    /// The mechanism of the successful login.
    private(set) var usedMechanism: Mechanism?

    /// - Parameters:
    ///   - preferred: The mechanism to try first, if the server offers it.
    ///   - last: The mechanism of the previous login; nil if there was none.
    ///   - nonce: Random text for the mechanisms that need it.
    init(_ credentials: Credentials, preferring preferred: Mechanism?, after last: Mechanism?, nonce: String) {
        self.credentials = credentials
        self.preferred = preferred
        self.last = last
        self.nonce = nonce
    }

    /// Whether a login has begun and hasn't ended.
    var isUnderWay: Bool { login != nil }

    /// Whether a mechanism is left to try.
    var hasUntried: Bool { !untried.isEmpty }

    // MARK: Choosing

    /// Reads which mechanisms the server offers.
    mutating func read(_ feature: FeatureOffer) {
        let names = feature.element.all("mechanism", feature.element.namespace).map(\.text)
        let types = feature.all.first("sasl-channel-binding", Namespace.channelBinding)?
            .all("channel-binding", Namespace.channelBinding).compactMap { $0["type"] }
        offer = SASLOffer(mechanisms: names, bindings: types)
        offered = names.prefix(50).map { $0.uppercased() }
        // If a mechanism is set that isn't bound, a proxy may decrypt the connection.
        let bindings = preferred?.isBound == false ? [] : feature.bindings
        binding = bindings.first { types?.contains($0.kind.rawValue) == true }
        // A server whose ways of binding are unknown isn't under suspicion (XEP-0440 section 3).
        let isBindingOffered = offered.contains { $0.hasSuffix("-PLUS") }
        unboundUse = bindings.isEmpty || isBindingOffered ? .impossible : .notOffered
        untried = Mechanism.allCases.filter { mechanism in
            mechanism != .external && mechanism != .ecdsaChallenge && offered.contains(mechanism.rawValue)
                && (!mechanism.isBound || binding != nil)
                // Without TLS, anyone on the network path could read the password.
                && (mechanism != .plain || feature.state.contains(.secure) && mayRevealPassword)
        }
        if let preferred, let index = untried.firstIndex(of: preferred) {
            untried.insert(untried.remove(at: index), at: 0)
        }
    }

    /// Whether the server may see the password: not if it didn't need to before (XEP-0474 section 7).
    private var mayRevealPassword: Bool { last == nil || last == .plain || preferred == .plain }

    /// Begins the next attempt.
    mutating func next() -> Next {
        login = nil
        guard !untried.isEmpty else { return .failed(.refused("login failed: \(reason)")) }
        let mechanism = untried.removeFirst()
        rounds += 1
        do {
            let use: ChannelBindingUse? = mechanism.isBound ? binding.map { ChannelBindingUse.bound($0) } : unboundUse
            var login = try SASLClient(
                mechanism, credentials, nonce: nonce + String(rounds), binding: use ?? .impossible, offer: offer)
            let first = login.begin()
            self.login = login
            return .attempt(mechanism, first: first)
        } catch {
            problems.append("\(mechanism.rawValue): \(error)")
            return next()
        }
    }

    private var reason: String {
        if !problems.isEmpty { return problems.joined(separator: "; ") }
        guard !offered.isEmpty else { return "the server offers no SASL mechanism" }
        let names = offered.map { $0.filter { $0.isASCII && !$0.isWhitespace }.prefix(40) }.joined(separator: ", ")
        let isPlain = offered.contains(Mechanism.plain.rawValue)
        if isPlain, !mayRevealPassword, let last {
            return "the server offers \(names), but the last login was by \(last.rawValue)"
                + ", which doesn't reveal the password, so someone may be intercepting the connection; "
                + "if the server was changed, restart the robot"
        }
        return isPlain
            ? "the server offers \(names), but the password isn't sent over an unencrypted connection"
            : "the server offers \(names), none of which is supported"
    }

    // MARK: The server's answers

    /// Returns the response to a challenge; both are in Base64.
    mutating func respond(to challenge: String) throws(SASLError) -> String {
        let answer = try login?.respond(to: Self.bytes(challenge)) ?? []
        return Data(answer).base64EncodedString()
    }

    /// Verifies the server's claim of success, with its additional data in Base64.
    mutating func finish(_ data: String) throws(SASLError) {
        try login?.finish(Self.bytes(data))
        usedMechanism = login?.mechanism
        login = nil
    }

    /// Returns why the login has failed.
    ///
    /// A server that fails to prove that it knows the password must not get it through a weaker mechanism.
    func failure(_ error: any Error) -> DisconnectReason {
        .refused("login failed: \(login?.mechanism.rawValue ?? "SASL"): \(error)")
    }

    private static func bytes(_ text: String) throws(SASLError) -> [UInt8] {
        let text = text.filter { !$0.isWhitespace }
        if text.isEmpty || text == "=" { return [] }
        guard text.utf8.count <= maxChallengeBytes, let data = Data(base64Encoded: text) else {
            throw .badChallenge("its message isn't base64, or is too long")
        }
        return Array(data)
    }

    /// Handles that the server has refused the login by a mechanism (RFC 6120 section 6.5).
    mutating func refuse(_ failure: Element) -> Next {
        let mechanism = login?.mechanism
        // XEP-0388 has other elements beside the condition.
        let element =
            failure.elements.first { $0.namespace == Namespace.sasl && $0.name != "text" }
            ?? failure.elements.first { $0.name != "text" }
        let condition = SafeText.visible(element?.name ?? "no reason given", limit: 300)
        let words = failure.first("text", failure.namespace)?.text ?? ""
        let reason = words.isEmpty ? condition : "\(condition): \(SafeText.visible(words, limit: 300))"
        switch DefinedCondition(condition) {
        case .notAuthorized:
            // Somebody between the robot and the server has the same effect as a wrong password.
            let bound = mechanism.flatMap { $0.isBound ? " with \($0.rawValue)" : nil } ?? ""
            return .failed(.badCredentials(reason + bound))
        case .accountDisabled, .credentialsExpired:
            return .failed(.refused("the server rejected the account: \(reason)"))
        case .temporaryAuthFailure:
            return .failed(.lost("the server can't verify passwords right now (\(reason))"))
        default:
            problems.append("\(mechanism?.rawValue ?? "SASL"): \(reason)")
            // Somebody in between could refuse the bound login, to get one that isn't.
            if mechanism?.isBound == true { untried.removeAll { !$0.isBound } }
            return next()
        }
    }
}
