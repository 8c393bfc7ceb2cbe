/// Going over to TLS on the connection there is (RFC 6120 section 5).
struct StartTLS: StreamFeature {
    let name = "starttls"
    let namespace = Namespace.tls
    let needs: StreamState = []
    let forbids: StreamState = [.secure, .authenticated]
    let gains: StreamState = .secure

    mutating func begin(_ offer: Element, _ state: StreamState) -> FeatureStep {
        .send(Element("starttls", Namespace.tls))
    }

    mutating func receive(_ element: Element) -> FeatureStep {
        guard element.is("proceed", Namespace.tls) else {
            return .failed(.lost("the server offers TLS, but then doesn't want it"))
        }
        return .achieved(.startTLS)
    }
}
