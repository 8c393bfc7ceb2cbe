/// Binds a resource, which gives the session its full address (RFC 6120 section 7).
struct ResourceBinding: StreamFeatureNegotiator {
    let name = "bind"
    let namespace = Namespace.bind
    let requires: StreamState = .authenticated
    let excludes: StreamState = .bound
    let provides: StreamState = .bound

    private var resource: String?
    /// The address that the server assigned.
    private(set) var address: JID?

    /// - Parameter resource: The resource to request; nil for one that the server chooses.
    init(requesting resource: String?) { self.resource = resource }

    mutating func begin(_ offer: FeatureOffer) -> FeatureNegotiatorAction { .send(request) }

    private var request: Element {
        var bind = Element("bind", Namespace.bind)
        if let resource { bind.append(Element("resource", Namespace.bind, text: resource)) }
        return Element("iq", Namespace.client, ["type": "set", "id": "bind"], bind)
    }

    mutating func receive(_ element: Element) -> FeatureNegotiatorAction {
        guard element.is("iq", Namespace.client), element["id"] == "bind" else { return .skip }
        if element["type"] == "error" {
            // If the resource is taken or not allowed, the server may choose one.
            if resource != nil {
                resource = nil
                return .send(request)
            }
            return .failed(.lost("the server didn't assign an address: \(StanzaError(element))"))
        }
        let text = element.first("bind", Namespace.bind)?.first("jid", Namespace.bind)?.text ?? ""
        guard let address = try? JID(text), address.isFull else {
            return .failed(.lost("the server assigned an invalid address"))
        }
        self.address = address
        return .completed(.nextFeature)
    }
}
