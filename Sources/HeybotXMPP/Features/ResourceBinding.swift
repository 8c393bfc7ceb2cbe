/// Getting an address of our own (RFC 6120 section 7).
struct ResourceBinding: StreamFeature {
    let name = "bind"
    let namespace = Namespace.bind
    let needs: StreamState = .authenticated
    let forbids: StreamState = .bound
    let gains: StreamState = .bound

    private var resource: String?
    private let account: JID
    /// What the server calls us.
    private(set) var address: JID?

    /// - Parameter account: Our address; if it has a resource, that is asked for.
    init(_ account: JID) {
        self.account = account.bare
        resource = account.resource
    }

    mutating func begin(_ offer: Element, _ state: StreamState) -> FeatureStep { .send(request) }

    private var request: Element {
        var bind = Element("bind", Namespace.bind)
        if let resource { bind.append(Element("resource", Namespace.bind, text: resource)) }
        return Element("iq", Namespace.client, ["type": "set", "id": "bind"], bind)
    }

    mutating func receive(_ element: Element) -> FeatureStep {
        guard element.is("iq", Namespace.client), element["id"] == "bind" else { return .skip }
        if element["type"] == "error" {
            // If ours is taken or not liked, the server may choose.
            if resource != nil {
                resource = nil
                return .send(request)
            }
            return .failed(.lost("the server gives us no address: \(StanzaError(element))"))
        }
        let text = element.first("bind", Namespace.bind)?.first("jid", Namespace.bind)?.text ?? ""
        guard let address = try? JID(text), address.isFull else {
            return .failed(.lost("the server gives us an address that is none"))
        }
        self.address = address
        return .achieved(.goOn)
    }
}
