import HeybotXMPP
import Testing

/// Input at each limit, and just over it.
@Suite struct LimitTests {
    /// Parses input at once and in pieces, and expects these events.
    ///
    /// - Parameters:
    ///   - skips: Whether what follows them is skipped to its end, and the next stanza is parsed.
    ///   - rest: The end of the skipped element.
    private func expect(
        _ xml: String, _ limits: StreamLimits, skips: Bool = false, rest: String = "", events: Int,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let xml = skips ? xml + rest + "<z/>" : xml
        for reading in [ParseResult(xml.utf8, limits: limits), ParseResult(pieces: Self.pieces(xml), limits: limits)] {
            #expect(reading.failure == nil, sourceLocation: location)
            #expect(reading.events.count == events + (skips ? 2 : 0), sourceLocation: location)
            guard skips else {
                #expect(!reading.events.contains { $0.isSkipped }, sourceLocation: location)
                continue
            }
            #expect(reading.events.dropLast().last?.isSkipped == true, sourceLocation: location)
            #expect(reading.elements.last?.name == "z", sourceLocation: location)
        }
    }

    /// Parses input at once and in pieces, and expects the end of the stream.
    private func expectEnd(
        _ xml: String, _ limits: StreamLimits, _ condition: StreamParserError.Condition = .policyViolation, events: Int,
        _ location: SourceLocation = #_sourceLocation
    ) {
        for reading in [ParseResult(xml.utf8, limits: limits), ParseResult(pieces: Self.pieces(xml), limits: limits)] {
            #expect(reading.failure?.condition == condition, sourceLocation: location)
            #expect(reading.events.count == events, sourceLocation: location)
        }
    }

    /// Single bytes; all but the end of long input in larger pieces.
    private static func pieces(_ xml: String) -> [[UInt8]] {
        let bytes = Array(xml.utf8)
        let large = bytes.count < 8_000 ? 0 : bytes.count - 200
        return stride(from: 0, to: large, by: 997).map { Array(bytes[$0..<min(large, $0 + 997)]) }
            + bytes[large...].map { [$0] }
    }

    private func element(bytes: Int) -> String { "<a>" + String(repeating: "b", count: bytes - 7) + "</a>" }

    @Test func `bytes of an element`() {
        let limits = StreamLimits(elementBytes: 1_000)
        let at = element(bytes: 1_000)
        expect(Stream.opening + at + at, limits, events: 3)
        expect(Stream.opening + at + element(bytes: 1_001), limits, skips: true, events: 2)
        expect(Stream.opening + at + element(bytes: 5_000), limits, skips: true, events: 2)
        // Whitespace between elements doesn't count.
        let spaces = String(repeating: " \r\n", count: 1_000)
        expect(Stream.opening + spaces + at + spaces + at + spaces, limits, events: 3)
        // An endless tag is too long as well, and so is an endless empty CDATA section.
        let tag = "<a b='" + String(repeating: "c", count: 995)
        expect(Stream.opening + tag.dropLast(), limits, events: 1)
        expect(Stream.opening + tag, limits, skips: true, rest: "'/>", events: 1)
        let nothing = String(repeating: "<![CDATA[]]>", count: 100)
        expect(Stream.opening + "<a>" + nothing, limits, skips: true, rest: "<![CDATA[]</a>]]></a>", events: 1)
        expectEnd(Stream.opening + nothing, limits, events: 1)
    }

    @Test func `bytes of an element, with the default limit`() {
        let at = element(bytes: 262_144)
        expect(Stream.opening + at + at, StreamLimits(), events: 3)
        expect(Stream.opening + at + element(bytes: 262_145), StreamLimits(), skips: true, events: 2)
    }

    @Test func `bytes of the header`() {
        let count = Stream.opening.utf8.count
        for limit in [count, 16_384] {
            let limits = StreamLimits(headerBytes: limit)
            let at = Stream.opening.dropLast() + String(repeating: " ", count: limit - count) + ">"
            expect(at + Stream.message, limits, events: 2)
            expectEnd(at.dropLast() + " >" + Stream.message, limits, events: 0)
            expect(at.dropLast() + " ", limits, events: 0)
            expectEnd(at.dropLast() + "  ", limits, events: 0)
        }
        // A tag has a limit of its own, and what follows it doesn't count.
        expect(
            Stream.opening + element(bytes: 900), StreamLimits(headerBytes: count, tagBytes: 10),
            events: 2)
    }

    @Test func `bytes of a tag`() {
        for limit in [100, 20_000, 32_768] {
            let limits = StreamLimits(tagBytes: limit)
            let at = "<a b='" + String(repeating: "c", count: limit - 9) + "'/>"
            let past = "<a b='" + String(repeating: "c", count: limit - 8) + "'/>"
            expect(Stream.opening + at + "<m>" + at + "</m>", limits, events: 3)
            expect(Stream.opening + at + past, limits, skips: true, events: 2)
            expect(Stream.opening + at + "<m>" + past, limits, skips: true, rest: "</m>", events: 2)
            expect(Stream.opening + at + past.dropLast(3), limits, events: 2)
            expect(Stream.opening + at + past.dropLast(3) + "ccc", limits, skips: true, rest: ">>'></a>", events: 2)
            expect(Stream.opening + "<m><n>", limits, skips: true, rest: past.dropLast(2) + "/></n></m>", events: 1)
            let end = "</m" + String(repeating: " ", count: limit - 3)
            expect(Stream.opening + "<m><n/>" + end.dropLast() + ">", limits, events: 2)
            expect(Stream.opening + "<m><n/>" + end, limits, skips: true, rest: ">", events: 1)
            expect(Stream.opening + "<l><m><n/>" + end, limits, skips: true, rest: "></l>", events: 1)
            // XML that XMPP doesn't allow is refused, complete or not.
            let comment = "<!--" + String(repeating: "c", count: limit)
            expectEnd(Stream.opening + comment, limits, .restrictedXML, events: 1)
            expectEnd(Stream.opening + "<m>" + comment, limits, .restrictedXML, events: 1)
            expectEnd(Stream.opening + past.dropLast(2) + "><!-- -->", limits, .restrictedXML, events: 1)
            expectEnd(Stream.opening + past.dropLast(2) + "><?a?>", limits, .restrictedXML, events: 1)
        }
    }

    @Test func `bytes of a name with its namespace`() {
        let limits = StreamLimits(nameBytes: 50)
        func name(_ count: Int) -> String { String(repeating: "n", count: count) }
        // "jabber:client", a separator, and the name.
        expect(Stream.opening + "<\(name(36))/>", limits, events: 2)
        expect(Stream.opening + "<\(name(37))/>", limits, skips: true, events: 1)
        expect(Stream.opening + "<a xmlns='\(name(48))'/>", limits, events: 2)
        expect(Stream.opening + "<a xmlns='\(name(49))'/>", limits, skips: true, events: 1)
        expect(Stream.opening + "<a \(name(50))=''/>", limits, events: 2)
        expect(Stream.opening + "<a \(name(51))=''/>", limits, skips: true, events: 1)
        expect(Stream.opening + "<a xmlns:b='\(name(48))' b:c=''/>", limits, events: 2)
        expect(Stream.opening + "<a xmlns:b='\(name(49))' b:c=''/>", limits, skips: true, events: 1)
        let long = name(1_010)
        expect(Stream.opening + "<\(long)/>", StreamLimits(), events: 2)
        expect(Stream.opening + "<n\(long)/>", StreamLimits(), skips: true, events: 1)
    }

    @Test func `depth`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        for (limits, depth) in [
            (StreamLimits(), 32), (StreamLimits(depth: 3), 3), (StreamLimits(depth: .max), 512)
        ] {
            expect(Stream.opening + nested(depth) + nested(depth), limits, events: 3)
            expect(Stream.opening + nested(depth) + nested(depth + 1), limits, skips: true, events: 2)
            expect(Stream.opening + "<a>" + nested(depth - 1) + "<b/></a>", limits, events: 2)
            // Far deeper than the stack allows.
            expect(
                Stream.opening + String(repeating: "<a>", count: 80_000), limits, skips: true,
                rest: String(repeating: "</a>", count: 80_000), events: 1)
        }
    }

    @Test func `attributes`() {
        func element(_ count: Int) -> String {
            "<a xmlns:b='x' " + (0..<count).map { "b\($0)='' " }.joined() + "/>"
        }
        for (limits, count) in [(StreamLimits(), 64), (StreamLimits(attributes: 2), 2)] {
            let opening =
                count < 5 ? "<s:stream xmlns:s='http://etherx.jabber.org/streams' a='' b=''>" : Stream.opening
            expect(opening + element(count) + element(count), limits, events: 3)
            expect(opening + element(count) + element(count + 1), limits, skips: true, events: 2)
        }
        expectEnd(Stream.opening, StreamLimits(attributes: 2), events: 0)
    }

    @Test func `elements and texts`() {
        for (limits, count) in [(StreamLimits(), 16_384), (StreamLimits(nodes: 4), 4)] {
            let at = "<a>t" + String(repeating: "<b/>", count: count - 2) + "</a>"
            expect(Stream.opening + at + at, limits, events: 3)
            expect(Stream.opening + at + "<a>t" + at.dropFirst(3), limits, events: 3)
            expect(Stream.opening + at + "<a><b/>" + at.dropFirst(3), limits, skips: true, events: 2)
            expect(Stream.opening + at + at.dropLast(4) + "t</a>", limits, skips: true, events: 2)
        }
    }

    @Test func `absurd limits do no harm`() {
        for limit in [Int.min, -1, 0, .max] {
            let limits = StreamLimits(
                elementBytes: limit, headerBytes: limit, tagBytes: limit, nameBytes: limit, depth: limit,
                attributes: limit, nodes: limit)
            if limit == .max {
                expect(Stream.opening + Stream.message, limits, events: 2)
            } else {
                expectEnd(Stream.opening + Stream.message, limits, events: 0)
            }
        }
    }
}
