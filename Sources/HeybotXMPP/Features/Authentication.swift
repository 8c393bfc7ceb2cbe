import FoundationEssentials
import HeybotSASL
import HeybotSupport

/// SASL authentication (RFC 6120 section 6): tries each mechanism once, the best one first.
struct Authentication: StreamFeatureNegotiator {
    let name = "mechanisms"
    let namespace = Namespace.sasl
    let requires: StreamState = []
    let excludes: StreamState = .authenticated
    let provides: StreamState = .authenticated

    private static let maxChallengeBytes = 16_384
    private static let protocolViolation = "the server violated the SASL protocol"

    private let credentials: Credentials
    private let preferred: Mechanism?
    private let nonce: String
    private var untried: [Mechanism] = []
    private var login: SASLClient?
    private var rounds = 0
    private var problems: [String] = []
    /// The mechanisms that the server offers.
    private var offered: [String] = []
    /// The mechanism of the successful login.
    private(set) var usedMechanism: Mechanism?

    /// - Parameters:
    ///   - preferred: The mechanism to try first, if the server offers it.
    ///   - nonce: Random text for the mechanisms that need it.
    init(_ credentials: Credentials, preferring preferred: Mechanism?, nonce: String) {
        self.credentials = credentials
        self.preferred = preferred
        self.nonce = nonce
    }

    mutating func begin(_ offer: Element, _ state: StreamState) -> FeatureNegotiatorAction {
        offered = offer.all("mechanism", Namespace.sasl).prefix(50).map { $0.text.uppercased() }
        // Without TLS, anyone on the network path could read the password.
        untried = Mechanism.allCases.filter { mechanism in
            mechanism != .external && offered.contains(mechanism.rawValue)
                && (mechanism != .plain || state.contains(.secure))
        }
        if let preferred, let index = untried.firstIndex(of: preferred) {
            untried.insert(untried.remove(at: index), at: 0)
        }
        return next()
    }

    private mutating func next() -> FeatureNegotiatorAction {
        login = nil
        guard !untried.isEmpty else { return .failed(.refused("login failed: \(reason)")) }
        let mechanism = untried.removeFirst()
        rounds += 1
        do {
            var login = try SASLClient(mechanism, credentials, nonce: nonce + String(rounds))
            let first = login.begin()
            self.login = login
            return .send(
                Element(
                    "auth", Namespace.sasl, ["mechanism": mechanism.rawValue],
                    text: first.isEmpty ? "=" : Data(first).base64EncodedString()))
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
        return isPlain
            ? "the server offers \(names), but the password isn't sent over an unencrypted connection"
            : "the server offers \(names), none of which is supported"

    }

    mutating func receive(_ element: Element) -> FeatureNegotiatorAction {
        guard element.namespace == Namespace.sasl, let mechanism = login?.mechanism else {
            return .failed(.lost(Self.protocolViolation))
        }
        do {
            switch element.name {
            case "challenge":
                let answer = try login?.respond(to: Self.bytes(element)) ?? []
                return .send(Element("response", Namespace.sasl, text: Data(answer).base64EncodedString()))
            case "success":
                try login?.finish(Self.bytes(element))
                usedMechanism = mechanism
                return .completed(.restart)
            case "failure":
                return fail(mechanism, element)
            default:
                return .failed(.lost(Self.protocolViolation))
            }
        } catch {
            // A server that fails to prove that it knows the password must not get it through a weaker mechanism.
            return .failed(.refused("login failed: \(mechanism.rawValue): \(error)"))
        }
    }

    private static func bytes(_ element: Element) throws(SASLError) -> [UInt8] {
        let text = element.text.filter { !$0.isWhitespace }
        if text.isEmpty || text == "=" { return [] }
        guard text.utf8.count <= maxChallengeBytes, let data = Data(base64Encoded: text) else {
            throw .badChallenge("its message isn't base64, or is too long")
        }
        return Array(data)
    }

    /// Handles a SASL failure (RFC 6120 section 6.5).
    private mutating func fail(_ mechanism: Mechanism, _ failure: Element) -> FeatureNegotiatorAction {
        let condition = SafeText.visible(
            failure.elements.first { $0.name != "text" }?.name ?? "no reason given", limit: 300)
        let words = failure.first("text", Namespace.sasl)?.text ?? ""
        let reason = words.isEmpty ? condition : "\(condition): \(SafeText.visible(words, limit: 300))"
        switch DefinedCondition(condition) {
        case .notAuthorized:
            return .failed(.badCredentials(reason))
        case .accountDisabled, .credentialsExpired:
            return .failed(.refused("the server rejected the account: \(reason)"))
        case .temporaryAuthFailure:
            return .failed(.lost("the server can't verify passwords right now (\(reason))"))
        default:
            problems.append("\(mechanism.rawValue): \(reason)")
            return next()
        }
    }
}
