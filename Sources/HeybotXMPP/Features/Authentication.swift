import FoundationEssentials
import HeybotSASL
import HeybotSupport

/// Logging in by SASL (RFC 6120 section 6): the best mechanism first, each tried once.
struct Authentication: StreamFeature {
    let name = "mechanisms"
    let namespace = Namespace.sasl
    let needs: StreamState = []
    let forbids: StreamState = .authenticated
    let gains: StreamState = .authenticated

    private static let longestChallenge = 16_384
    private static let brokenRules = "the server broke the rules of logging in"

    private let credentials: Credentials
    private let preferred: Mechanism?
    private let nonce: String
    private var untried: [Mechanism] = []
    private var login: Login?
    private var rounds = 0
    private var problems: [String] = []
    /// What the server offered that we can't do, or don't here.
    private var offered: [String] = []
    /// The mechanism that logged us in.
    private(set) var used: Mechanism?

    /// - Parameters:
    ///   - preferred: The mechanism to try first if the server offers it.
    ///   - nonce: Random text, for the mechanisms that need some.
    init(_ credentials: Credentials, preferring preferred: Mechanism?, nonce: String) {
        self.credentials = credentials
        self.preferred = preferred
        self.nonce = nonce
    }

    mutating func begin(_ offer: Element, _ state: StreamState) -> FeatureStep {
        offered = offer.all("mechanism", Namespace.sasl).prefix(50).map { $0.text.uppercased() }
        // Whoever reads along would have the password.
        untried = Mechanism.allCases.filter { mechanism in
            mechanism != .external && offered.contains(mechanism.rawValue)
                && (mechanism != .plain || state.contains(.secure))
        }
        if let preferred, let index = untried.firstIndex(of: preferred) {
            untried.insert(untried.remove(at: index), at: 0)
        }
        return next()
    }

    private mutating func next() -> FeatureStep {
        login = nil
        guard !untried.isEmpty else { return .failed(.refused("logging in failed: \(reason)")) }
        let mechanism = untried.removeFirst()
        rounds += 1
        do {
            var login = try Login(mechanism, credentials, nonce: nonce + String(rounds))
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
        guard !offered.isEmpty else { return "the server offers no way to do it" }
        let names = offered.map { $0.filter { $0.isASCII && !$0.isWhitespace }.prefix(40) }.joined(separator: ", ")
        let isPlain = offered.contains(Mechanism.plain.rawValue)
        return isPlain
            ? "the server offers \(names), and the password isn't sent without encryption"
            : "the server offers \(names), and I know none of them"

    }

    mutating func receive(_ element: Element) -> FeatureStep {
        guard element.namespace == Namespace.sasl, let mechanism = login?.mechanism else {
            return .failed(.lost(Self.brokenRules))
        }
        do {
            switch element.name {
            case "challenge":
                let answer = try login?.respond(to: Self.bytes(element)) ?? []
                return .send(Element("response", Namespace.sasl, text: Data(answer).base64EncodedString()))
            case "success":
                try login?.finish(Self.bytes(element))
                used = mechanism
                return .achieved(.restart)
            case "failure":
                return fail(mechanism, element)
            default:
                return .failed(.lost(Self.brokenRules))
            }
        } catch {
            // Whoever only claims to know the password must not get it by a weaker mechanism.
            return .failed(.refused("logging in failed: \(mechanism.rawValue): \(error)"))
        }
    }

    private static func bytes(_ element: Element) throws(LoginError) -> [UInt8] {
        let text = element.text.filter { !$0.isWhitespace }
        if text.isEmpty || text == "=" { return [] }
        guard text.utf8.count <= longestChallenge, let data = Data(base64Encoded: text) else {
            throw .badChallenge("it isn't base64, or too long")
        }
        return Array(data)
    }

    /// RFC 6120 section 6.5.
    private mutating func fail(_ mechanism: Mechanism, _ failure: Element) -> FeatureStep {
        let condition = SafeText.visible(
            failure.elements.first { $0.name != "text" }?.name ?? "no reason given", limit: 300)
        let words = failure.first("text", Namespace.sasl)?.text ?? ""
        let reason = words.isEmpty ? condition : "\(condition): \(SafeText.visible(words, limit: 300))"
        switch ErrorCondition(condition) {
        case .notAuthorized:
            return .failed(.wrongPassword(reason))
        case .accountDisabled, .credentialsExpired:
            return .failed(.refused("the server refuses the account: \(reason)"))
        case .temporaryAuthFailure:
            return .failed(.lost("the server can't check passwords just now (\(reason))"))
        default:
            problems.append("\(mechanism.rawValue): \(reason)")
            return next()
        }
    }
}
