import FoundationEssentials
import HeybotSASL

/// SASL authentication (RFC 6120 section 6).
struct Authentication: StreamFeatureNegotiator {
    let name = "mechanisms"
    let namespace = Namespace.sasl
    let requires: StreamState = []
    let excludes: StreamState = .authenticated
    let provides: StreamState = .authenticated

    private(set) var attempts: LoginAttempts

    init(_ attempts: LoginAttempts) { self.attempts = attempts }

    mutating func begin(_ offer: FeatureOffer) -> FeatureNegotiatorAction {
        attempts.read(offer)
        return attempts.next().action(request)
    }

    private func request(_ mechanism: Mechanism, _ first: [UInt8]) -> Element {
        Element(
            "auth", Namespace.sasl, ["mechanism": mechanism.rawValue],
            text: first.isEmpty ? "=" : Data(first).base64EncodedString())
    }

    mutating func receive(_ element: Element) -> FeatureNegotiatorAction {
        guard element.namespace == Namespace.sasl, attempts.isUnderWay else {
            return .failed(LoginAttempts.protocolViolation)
        }
        do {
            switch element.name {
            case "challenge":
                return .send(Element("response", Namespace.sasl, text: try attempts.respond(to: element.text)))
            case "success":
                try attempts.finish(element.text)
                return .completed(.restart)
            case "failure": return attempts.refuse(element).action(request)
            default: return .failed(LoginAttempts.protocolViolation)
            }
        } catch {
            return .failed(attempts.failure(error))
        }
    }
}
