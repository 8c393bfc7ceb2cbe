import Foundation
import HeybotTesting
import HeybotXMPP
import TestServers
import Testing

/// Random input: nothing traps, and the result doesn't depend on the pieces.
///
/// 10,000 streams, and 1,000,000 with `bin/test --soak`.
@Suite struct XMLStreamFuzzTests {
    private static let rounds = Soak.rounds(2_500, soak: 250_000)

    /// Small enough to be reached.
    private static let limits = StreamLimits(
        elementBytes: 600, headerBytes: 300, tagBytes: 250, nameBytes: 60, depth: 5, attributes: 6, nodes: 12)

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `random streams`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var (elements, failures) = (0, 0)
        for round in 0..<Self.rounds {
            if round.isMultiple(of: 1_000) { await Task.yield() }
            let bytes = Streams.random(&random)
            let limits = random.below(4) == 0 ? Self.limits : StreamLimits()
            // Without restarts, because whether data may follow them depends on the pieces.
            let whole = ParseResult(bytes, limits: limits, restartsAfter: [])
            let parts = ParseResult(pieces: Streams.cut(bytes, &random), limits: limits, restartsAfter: [])
            // Whether invalid XML is noticed in a skipped element depends on the pieces.
            if limits != Self.limits {
                try #require(parts.events == whole.events, "\(bytes)")
                try #require(Self.condition(parts) == Self.condition(whole), "\(bytes)")
            } else if ParseResult(bytes, restartsAfter: []).failure == nil {
                try #require(parts.events.map(Self.brief) == whole.events.map(Self.brief), "\(bytes)")
                try #require((parts.failure == nil) == (whole.failure == nil), "\(bytes)")
            }
            elements += whole.elements.count
            failures += whole.failure == nil ? 0 : 1
            if round.isMultiple(of: 4) { try Self.feedOn(Streams.cut(bytes, &random), limits) }
            guard round.isMultiple(of: 8), let element = whole.elements.last else { continue }
            try #require(ParseResult((Stream.opening + element.description).utf8).elements == [element], "\(element)")
        }
        // Enough streams are valid, and enough invalid, for the test to be meaningful.
        #expect(elements > Self.rounds)
        #expect(failures > Self.rounds / 4 && failures < Self.rounds * 9 / 10)
    }

    /// Without the reason: which limit is noticed first depends on the pieces.
    private static func brief(_ event: StreamEvent) -> StreamEvent {
        event.isSkipped ? .skipped(SkippedElement(name: nil, namespace: nil, reason: "")) : event
    }

    /// The error's condition: of text between elements and invalid XML in it, either may be noticed first.
    private static func condition(_ reading: ParseResult) -> StreamParserError.Condition? {
        reading.failure?.condition == .badFormat ? .notWellFormed : reading.failure?.condition
    }

    /// After an error there is the same error again, and no event.
    private static func feedOn(_ pieces: [[UInt8]], _ limits: StreamLimits) throws {
        let parser = XMLStreamParser(limits: limits)
        var failure: StreamParserError?
        for piece in pieces {
            var events: [StreamEvent] = []
            let before = failure
            do throws(StreamParserError) { try parser.feed(piece[...], into: &events) } catch { failure = error }
            if before != nil { try #require(failure == before && events.isEmpty, "\(pieces)") }
        }
    }
}

/// Valid and invalid streams.
private enum Streams {
    static let parts = [
        Stream.message, Stream.message, Stream.features, " \n", "<a/>", "<a b='c' d=\"e\">f</a>",
        "<iq type='get' id='1'><query xmlns='jabber:iq:version'/></iq>", "<a><b><c><d><e><f/></e></d></c></b></a>",
        "<presence xml:lang='de'><x xmlns='http://jabber.org/protocol/muc#user'><item role='none'/></x></presence>",
        "<p:a xmlns:p='x y' p:b='1' c='2'><p:d/></p:a>", "<a>1&lt;2&#x1F44D;<![CDATA[<3]]>é日本\r\n</a>",
        "<a xmlns=''><b xmlns='urn:x'/></a>"
    ].map { Array($0.utf8) }

    static let rare = [
        Stream.proceed, Stream.success, StreamHeader.closing, "<!-- a -->", "<?a b?>", "<a>&b;</a>", "text",
        Stream.opening, "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<a b='1' b='2'/>", "<a></b>",
        "<a b='" + String(repeating: "c", count: 400) + "'/>", "<a>" + String(repeating: "<b/>", count: 20) + "</a>"
    ].map { Array($0.utf8) }

    static let pieces: [[UInt8]] =
        [
            "<", ">", "/", "&", "'", "\"", "=", " ", "]]>", "<![CDATA[", "<!--", "-->", "<?", "?>", "&#", ";", ":",
            "xmlns"
        ]
        .map { Array($0.utf8) } + [[0], [0x0d], [0xff], [0xc3], [0xef, 0xbf, 0xbe], [0xed, 0xa0, 0x80], [0x01]]

    static func random(_ random: inout SeededGenerator) -> [UInt8] {
        if random.below(20) == 0 { return (0..<random.below(60)).flatMap { _ in random.pick(pieces) } }
        var bytes = Array(Stream.opening.utf8)
        for _ in 0..<random.below(8) { bytes += random.below(12) == 0 ? random.pick(rare) : random.pick(parts) }
        if random.below(3) == 0 { bytes += Array(StreamHeader.closing.utf8) }
        guard random.below(3) > 0 else { return bytes }
        for _ in 0...random.below(3) { change(&bytes, &random) }
        return bytes
    }

    private static func change(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let index = random.below(bytes.count + 1)
        switch random.below(6) {
        case 0: bytes.insert(contentsOf: random.pick(pieces), at: index)
        case 1: bytes.insert(contentsOf: random.pick(rare), at: index)
        case 2: bytes.removeSubrange(index..<min(bytes.count, index + random.below(5)))
        case 3: bytes.removeSubrange(index...)
        case 4 where index < bytes.count: bytes[index] = UInt8(truncatingIfNeeded: random.next())
        default:
            let end = min(bytes.count, index + random.below(30))
            bytes.insert(contentsOf: bytes[index..<end], at: random.below(bytes.count + 1))
        }
    }

    /// In pieces, some of a single byte, some empty.
    static func cut(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [[UInt8]] {
        if random.below(32) == 0 { return bytes.map { [$0] } }
        var pieces: [[UInt8]] = []
        var start = 0
        let most = 8 << random.below(7)
        while start < bytes.count {
            let end = min(bytes.count, start + random.below(most))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }
}
