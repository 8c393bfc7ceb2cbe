/// Something that client and server agree on before there are stanzas (RFC 6120 section 4.3).
protocol StreamFeature: Sendable {
    /// The name of the element by which the server offers it.
    var name: String { get }
    var namespace: String { get }
    /// What must have been come to before.
    var needs: StreamState { get }
    /// What must not have been come to yet.
    var forbids: StreamState { get }
    /// What is come to by it.
    var gains: StreamState { get }

    /// The server offers it, and it is its turn.
    mutating func begin(_ offer: Element, _ state: StreamState) -> FeatureStep
    /// Takes the server's answer.
    mutating func receive(_ element: Element) -> FeatureStep
}

/// What a feature does next.
enum FeatureStep: Sendable {
    /// Sends something, and waits for the answer.
    case send(Element)
    /// There is nothing to do for it.
    case skip
    /// It is agreed on.
    case achieved(Then)
    /// It can't be agreed on, so that the stream is over.
    case failed(Ending)

    /// How a stream goes on behind a feature.
    enum Then: Sendable {
        /// With the next feature of the same offer.
        case goOn
        /// Encrypted, and from the beginning.
        case startTLS
        /// From the beginning.
        case restart
    }
}

/// What a stream has come to: what its features need, forbid and gain.
package struct StreamState: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    /// By its bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// It is encrypted.
    package static let secure = StreamState(rawValue: 1)
    /// The server knows who we are.
    package static let authenticated = StreamState(rawValue: 2)
    /// We have an address of our own, so that stanzas can go both ways.
    package static let bound = StreamState(rawValue: 4)
    /// What servers older than RFC 6120 want besides is done.
    package static let established = StreamState(rawValue: 8)
}

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
