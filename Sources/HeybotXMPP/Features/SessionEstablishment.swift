/// Session establishment, which servers older than RFC 6120 need before they deliver anything (RFC 3921 section 3).
struct SessionEstablishment: StreamFeatureNegotiator {
    let name = "session"
    let namespace = Namespace.session
    let requires: StreamState = .bound
    let excludes: StreamState = .sessionEstablished
    let provides: StreamState = .sessionEstablished

    mutating func begin(_ offer: FeatureOffer) -> FeatureNegotiatorAction {
        if offer.element.has("optional", Namespace.session) { return .skip }
        return .send(
            Element("iq", Namespace.client, ["type": "set", "id": "session"], Element("session", Namespace.session)))
    }

    mutating func receive(_ element: Element) -> FeatureNegotiatorAction {
        guard element.is("iq", Namespace.client), element["id"] == "session" else { return .skip }
        // A server that refuses it works without it.
        return .completed(.nextFeature)
    }
}
