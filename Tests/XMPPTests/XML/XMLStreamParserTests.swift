import HeybotXMPP
import Testing

@Suite struct XMLStreamParserTests {
    @Test func `a stream is parsed, at once and byte by byte`() {
        let xml = Stream.opening + Stream.features + " \n" + Stream.message + "\t" + StreamHeader.closing + "\n"
        let events: [StreamEvent] = [
            .open(Stream.header),
            .element(
                Element(
                    "features", Namespace.streams, [:],
                    Element("starttls", Namespace.tls, [:], Element("required", Namespace.tls)))),
            .element(Stream.messageElement), .close
        ]
        for reading in [ParseResult(xml.utf8), .slowly(xml.utf8)] {
            #expect(reading.failure == nil)
            #expect(reading.events == events)
        }
    }

    @Test func `an element is reported with its last byte`() throws {
        let parser = XMLStreamParser()
        var events: [StreamEvent] = []
        try parser.feed(Array(Stream.opening.utf8)[...], into: &events)
        #expect(events == [.open(Stream.header)])
        for xml in [Stream.message, "<a/>", "<a></a>", "<a b='>'/>"] {
            events = []
            let bytes = Array(xml.utf8)
            for byte in bytes.dropLast() { try parser.feed([byte], into: &events) }
            #expect(events == [])
            try parser.feed(bytes.suffix(1), into: &events)
            #expect(events.count == 1)
        }
    }

    @Test(
        arguments: [
            ("<a b='1' c:d='2' xmlns:c='x' xml:lang='en' xml:space='preserve'/>", ["b": "1", "xml:lang": "en"], []),
            ("<a b='&lt;&#x9;&#10;&apos;&#x1F44D;é\n\t'/>", ["b": "<\t\n'👍é  "], []),
            ("<a>1&amp;2<![CDATA[<3>&]]>4\r\n5&#13;</a>", [:], [.text("1&2<3>&4\n5\r")]),
            ("<a> <b/> </a>", [:], [.text(" "), .element(Element("b", "jabber:client")), .text(" ")]),
            (
                "<a><c:b xmlns:c='x y'><d/></c:b><b xmlns=''><c xmlns='z'/></b></a>", [:],
                [
                    .element(Element("b", "x y", [:], Element("d", "jabber:client"))),
                    .element(Element("b", "", [:], Element("c", "z")))
                ]
            ),
            ("<a><![CDATA[]]></a>", [:], []), ("<a e\u{301}='1' é='2'/>", ["é": "2"], [])
        ] as [(String, Attributes, [Element.Node])])
    func `an element is parsed`(_ xml: String, _ attributes: Attributes, _ children: [Element.Node]) {
        let element = Element("a", "jabber:client", attributes, children: children)
        for reading in [ParseResult((Stream.opening + xml).utf8), .slowly((Stream.opening + xml).utf8)] {
            #expect(reading.failure == nil)
            #expect(reading.elements == [element])
        }
    }

    @Test(arguments: [(Stream.proceed, Namespace.tls), (Stream.success, Namespace.sasl)])
    func `a new stream begins after the end of the previous one`(_ end: String, _ namespace: String) {
        let reading = ParseResult(
            pieces: [Stream.opening + end + " \r\n", "\t", " " + Stream.opening + Stream.message].map { Array($0.utf8) }
        )
        #expect(reading.failure == nil)
        #expect(reading.events.count == 4)
        #expect(reading.events.first == .open(Stream.header))
        #expect(reading.elements.first?.namespace == namespace)
        #expect(reading.events.dropFirst(2) == [.open(Stream.header), .element(Stream.messageElement)])
    }

    @Test(arguments: [Stream.proceed, Stream.success])
    func `data after a restarting element in the same input is refused`(_ end: String) {
        for rest in [Stream.opening, "x", "<", " \n\u{0}", "</stream:stream>", "<message/>"] {
            let reading = ParseResult((Stream.opening + end + rest).utf8)
            #expect(reading.failure?.condition == .policyViolation)
            // The element itself was parsed.
            #expect(reading.events.count == 2)
            // The same holds if the element's end came in the same input.
            let bytes = Array((Stream.opening + end).utf8)
            let cut = ParseResult(pieces: [bytes.dropLast(), bytes.suffix(1) + Array(rest.utf8)])
            #expect(cut == reading)
        }
    }

    @Test func `only elements at the top level with the right namespace restart the stream`() {
        let inner = "<a>\(Stream.proceed)</a><proceed/><success xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
        #expect(ParseResult((Stream.opening + inner + Stream.message).utf8).events.count == 5)
        #expect(
            ParseResult((Stream.opening + Stream.proceed + Stream.message).utf8, restartsAfter: []).events.count == 3)
        let ours = ParseResult(
            (Stream.opening + "<a xmlns='b'/>" + Stream.message).utf8, restartsAfter: [QualifiedName("a", "b")])
        #expect(ours.failure?.condition == .policyViolation)
    }

    @Test func `after an error all input is refused with the same error`() {
        let parser = XMLStreamParser()
        var events: [StreamEvent] = []
        for bytes in [Stream.opening + Stream.message + "<a></b>" + Stream.message, Stream.message, "", Stream.opening]
        {
            let error = #expect(throws: StreamParserError.self) {
                try parser.feed(Array(bytes.utf8)[...], into: &events)
            }
            #expect(error?.condition == .notWellFormed)
            #expect(
                error?.description
                    == "the server sent an invalid stream: it isn't well-formed XML: mismatched tag (not-well-formed)")
        }
        #expect(events == [.open(Stream.header), .element(Stream.messageElement)])
    }

    @Test func `a slice is parsed from its start index`() throws {
        let parser = XMLStreamParser()
        var events: [StreamEvent] = []
        let bytes = Array(("<a></b>" + Stream.opening + "</b>").utf8)
        try parser.feed(bytes[7..<(bytes.count - 4)], into: &events)
        try parser.feed([], into: &events)
        #expect(events == [.open(Stream.header)])
    }

    @Test func `a parser is deallocated`() throws {
        weak var released: XMLStreamParser?
        do {
            let parser = XMLStreamParser()
            released = parser
            var events: [StreamEvent] = []
            try parser.feed(Array((Stream.opening + "<a><b>c").utf8)[...], into: &events)
            #expect(released != nil)
        }
        #expect(released == nil)
    }

    @Test func `the memory for names stays bounded in a long stream`() throws {
        let parser = XMLStreamParser()
        var events: [StreamEvent] = []
        try parser.feed(Array(Stream.opening.utf8)[...], into: &events)
        var number = 0
        // Expat is reset several times meanwhile, within pieces and at their ends.
        for _ in 0..<300 {
            var xml = ""
            for _ in 0..<200 {
                number += 1
                xml += "<a xmlns:p\(number)='x' b\(number)='c'><p\(number):d>\(number)</p\(number):d></a> "
            }
            events = []
            let bytes = Array(xml.utf8)
            try parser.feed(bytes.prefix(number % bytes.count), into: &events)
            try parser.feed(bytes.dropFirst(number % bytes.count), into: &events)
            try #require(events.count == 200)
            guard case .element(let last)? = events.last else { return }
            let attributes: Attributes = ["b\(number)": "c"]
            #expect(last == Element("a", Namespace.client, attributes, Element("d", "x", text: "\(number)")))
        }
        events = []
        try parser.feed(Array(StreamHeader.closing.utf8)[...], into: &events)
        #expect(events == [.close])
    }
}
