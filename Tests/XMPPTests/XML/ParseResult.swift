import HeybotXMPP

/// The result of parsing a stream, at once or in pieces.
struct ParseResult: Equatable {
    var events: [StreamEvent] = []
    var failure: StreamParserError?

    var elements: [Element] {
        events.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// Parses input at once.
    init(
        _ bytes: some Sequence<UInt8>, limits: StreamLimits = StreamLimits(),
        restartsAfter restarts: Set<QualifiedName> = XMLStreamParser.restarts
    ) {
        self.init(pieces: [Array(bytes)], limits: limits, restartsAfter: restarts)
    }

    /// Parses input in pieces.
    init(
        pieces: [[UInt8]], limits: StreamLimits = StreamLimits(),
        restartsAfter restarts: Set<QualifiedName> = XMLStreamParser.restarts
    ) {
        let parser = XMLStreamParser(limits: limits, restartsAfter: restarts)
        for piece in pieces {
            do throws(StreamParserError) { try parser.feed(piece[...], into: &events) } catch {
                failure = error
                return
            }
        }
    }

    /// Parses input byte by byte.
    static func slowly(
        _ bytes: some Sequence<UInt8>, limits: StreamLimits = StreamLimits(),
        restartsAfter restarts: Set<QualifiedName> = XMLStreamParser.restarts
    ) -> ParseResult {
        ParseResult(pieces: bytes.map { [$0] }, limits: limits, restartsAfter: restarts)
    }
}

extension StreamEvent {
    /// Whether it is an element that exceeded a limit.
    var isSkipped: Bool { if case .skipped = self { true } else { false } }
}

/// Parts of streams for tests.
enum Stream {
    static let opening =
        "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
        + "id='s1' from='example.org' to='bot@example.org' version='1.0' xml:lang='en'>"
    static let header = StreamHeader(to: "bot@example.org", from: "example.org", id: "s1")
    static let message =
        "<message from='room@muc.example.org/ann' type='groupchat' id='m1'><body>Hi &amp; bye</body>"
        + "<stanza-id xmlns='urn:xmpp:sid:0' id='1' by='room@muc.example.org'/></message>"
    static let messageElement = Element(
        "message", Namespace.client, ["from": "room@muc.example.org/ann", "type": "groupchat", "id": "m1"],
        Element("body", Namespace.client, text: "Hi & bye"),
        Element("stanza-id", "urn:xmpp:sid:0", ["id": "1", "by": "room@muc.example.org"]))
    static let features =
        "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls></stream:features>"
    static let proceed = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
    static let success = "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>dj1=</success>"
}
