/// What servers of the time before RFC 6120 want before they deliver anything (RFC 3921 section 3).
struct SessionEstablishment: StreamFeature {
    let name = "session"
    let namespace = Namespace.session
    let needs: StreamState = .bound
    let forbids: StreamState = .established
    let gains: StreamState = .established

    mutating func begin(_ offer: Element, _ state: StreamState) -> FeatureStep {
        if offer.has("optional", Namespace.session) { return .skip }
        return .send(
            Element("iq", Namespace.client, ["type": "set", "id": "session"], Element("session", Namespace.session)))
    }

    mutating func receive(_ element: Element) -> FeatureStep {
        guard element.is("iq", Namespace.client), element["id"] == "session" else { return .skip }
        // Whoever doesn't have it after all does without.
        return .achieved(.goOn)
    }
}
