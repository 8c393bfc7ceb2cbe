import FoundationEssentials
import HeybotSASL
import HeybotSupport

/// The extensible SASL profile (XEP-0388): logs in, and resumes a session or begins one (XEP-0386), in one exchange.
struct ExtensibleAuthentication: StreamFeatureNegotiator {
    /// What the login has led to.
    private enum Outcome: Hashable, Sendable {
        /// Nothing so far, or an account without an address, which is bound next.
        case unbound
        /// A new session with an address, and the server's answer to the request to count stanzas.
        case bound(JID, streamManagement: Element?)
        /// The session of an earlier stream.
        case resumed
    }

    let name = "authentication"
    let namespace = Namespace.sasl2
    let requires: StreamState = .secure
    let excludes: StreamState = .authenticated

    private(set) var attempts: LoginAttempts
    private let installation: String?
    private let mayBind: Bool
    private var resumption: StreamResumption?
    /// The request to begin a session, if the server begins one with the login.
    private var binding: Element?
    private var outcome = Outcome.unbound

    /// - Parameters:
    ///   - installation: The id of the robot's installation; nil for none.
    ///   - mayBind: Whether the server may choose the session's resource.
    ///   - resumption: Resumes a session; nil for a new one.
    init(_ attempts: LoginAttempts, installation: String?, mayBind: Bool, _ resumption: StreamResumption?) {
        self.attempts = attempts
        self.installation = installation
        self.mayBind = mayBind
        self.resumption = resumption
    }

    var provides: StreamState {
        switch outcome {
        case .unbound: .authenticated
        case .bound, .resumed: [.authenticated, .bound, .sessionEstablished]
        }
    }

    /// The address that the server assigned, if it has begun a session.
    var address: JID? { if case .bound(let address, _) = outcome { address } else { nil } }

    /// The server's answer to the request to count stanzas in the new session.
    var streamManagement: Element? { if case .bound(_, let answer) = outcome { answer } else { nil } }

    /// The server's answer to the request to resume a session.
    var resumptionAnswer: StreamResumption.Answer? { resumption?.answer }

    // MARK: Requests

    mutating func begin(_ offer: FeatureOffer) -> FeatureNegotiatorAction {
        attempts.read(offer)
        // The older profile may offer a mechanism that the robot knows.
        if !attempts.hasUntried, offer.all.has("mechanisms", Namespace.sasl) { return .skip }
        let inline = offer.element.first("inline", Namespace.sasl2)
        if inline?.has("sm", Namespace.streamManagement) != true { resumption = nil }
        binding = mayBind ? inline?.first("bind", Namespace.bind2).map(Self.bindRequest) : nil
        return attempts.next().action(request)
    }

    /// Returns the request to begin a session, with the features that the server enables in it.
    private static func bindRequest(_ offer: Element) -> Element {
        let features = offer.first("inline", Namespace.bind2)?.all("feature", Namespace.bind2) ?? []
        var request = Element("bind", Namespace.bind2, [:], Element("tag", Namespace.bind2, text: "Heybot"))
        if features.contains(where: { $0["var"] == Namespace.streamManagement }) {
            request.append(Element("enable", Namespace.streamManagement, ["resume": "true"]))
        }
        return request
    }

    private func request(_ mechanism: Mechanism, _ first: [UInt8]) -> Element {
        var request = Element(
            "authenticate", Namespace.sasl2, ["mechanism": mechanism.rawValue],
            Element("initial-response", Namespace.sasl2, text: Data(first).base64EncodedString()))
        if let installation {
            request.append(
                Element(
                    "user-agent", Namespace.sasl2, ["id": installation],
                    Element("software", Namespace.sasl2, text: "Heybot")))
        }
        if let resumption { request.append(resumption.request) }
        if let binding { request.append(binding) }
        return request
    }

    // MARK: Answers

    mutating func receive(_ element: Element) -> FeatureNegotiatorAction {
        guard element.namespace == Namespace.sasl2, attempts.isUnderWay else {
            return .failed(LoginAttempts.protocolViolation)
        }
        do {
            switch element.name {
            case "challenge":
                return .send(Element("response", Namespace.sasl2, text: try attempts.respond(to: element.text)))
            case "success":
                try attempts.finish(element.first("additional-data", Namespace.sasl2)?.text ?? "")
                return complete(element)
            case "continue": return .failed(.refused("login failed: \(Self.tasks(element))"))
            case "failure": return attempts.refuse(element).action(request)
            default: return .failed(LoginAttempts.protocolViolation)
            }
        } catch {
            return .failed(attempts.failure(error))
        }
    }

    /// Reads what the server has done together with the login, whose success is proved.
    private mutating func complete(_ success: Element) -> FeatureNegotiatorAction {
        if let answer = success.elements.first(where: { $0.namespace == Namespace.streamManagement }) {
            switch resumption?.receive(answer) {
            case .completed?:
                outcome = .resumed
                return .completed(.nextFeature)
            case .failed(let reason)?: return .failed(reason)
            case nil where answer.name == "resumed": return .failed(StreamResumption.foreignSession)
            case .declined?, .skip?, .send?, nil: break
            }
        }
        guard binding != nil, let bound = success.first("bound", Namespace.bind2) else {
            return .completed(.newOffer)
        }
        // XEP-0386 has another name for it than XEP-0388.
        let identity =
            success.first("authorization-identifier", Namespace.sasl2)
            ?? success.first("authorization-identity", Namespace.sasl2)
        guard let address = try? JID(identity?.text ?? ""), address.isFull else {
            return .failed(.lost("the server assigned an invalid address"))
        }
        let answer = bound.elements.first { $0.namespace == Namespace.streamManagement }
        outcome = .bound(address, streamManagement: answer)
        // If stanzas aren't counted yet, the features that follow tell whether they can be.
        return .completed(answer == nil ? .newOffer : .nextFeature)
    }

    /// Describes the further steps that the server requires, none of which is supported.
    private static func tasks(_ request: Element) -> String {
        let tasks = request.first("tasks", Namespace.sasl2)?.all("task", Namespace.sasl2).prefix(5) ?? []
        let names = tasks.map { SafeText.visible($0.text, limit: 40) }.joined(separator: ", ")
        return "the server requires a further step, which the robot doesn't support"
            + (names.isEmpty ? "" : " (\(names))")
    }
}
