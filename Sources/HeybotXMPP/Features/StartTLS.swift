/// STARTTLS (RFC 6120 section 5).
struct StartTLS: StreamFeatureNegotiator {
    let name = "starttls"
    let namespace = Namespace.tls
    let requires: StreamState = []
    let excludes: StreamState = [.secure, .authenticated]
    let provides: StreamState = .secure

    mutating func begin(_ offer: FeatureOffer) -> FeatureNegotiatorAction {
        .send(Element("starttls", Namespace.tls))
    }

    mutating func receive(_ element: Element) -> FeatureNegotiatorAction {
        guard element.is("proceed", Namespace.tls) else {
            return .failed(.lost("the server offered TLS and then refused it"))
        }
        return .completed(.startTLS)
    }
}
