import Foundation
import HeybotTesting
import HeybotXMPP
import TestServers
import Testing

/// Elements over a limit are skipped to their end, and what follows is parsed.
@Suite struct SkippingTests {
    private func skipped(_ reading: ParseResult) -> [SkippedElement] {
        reading.events.compactMap { if case .skipped(let element) = $0 { element } else { nil } }
    }

    @Test func `sender, id and type of a skipped element are known`() {
        let many = (0..<65).map { " a\($0)=''" }.joined()
        let stanzas = [
            "<presence from='dev@muc.org/eve' id='7' type='unavailable'\(many)/>",
            "<presence from='dev@muc.org/eve' id='7' type='unavailable'><x\(many)><y/></x></presence>",
            "<presence\(many) to='me@x.org' from='dev@muc.org/eve' type='unavailable' id='7'><y>&lt;</y></presence>"
        ]
        for stanza in stanzas {
            for reading in [
                ParseResult((Stream.opening + stanza + Stream.message).utf8),
                .slowly((Stream.opening + stanza + Stream.message).utf8)
            ] {
                #expect(
                    skipped(reading) == [
                        SkippedElement(
                            name: "presence", namespace: Namespace.client,
                            attributes: ["from": "dev@muc.org/eve", "id": "7", "type": "unavailable"],
                            reason: "an element has more than 64 attributes")
                    ])
                #expect(reading.events.last == .element(Stream.messageElement))
                #expect(reading.failure == nil)
            }
        }
        // Values longer than any address aren't kept, nor are incomplete ones.
        let long = String(repeating: "x", count: 3_072)
        let reading = ParseResult((Stream.opening + "<iq id='\(long)' from='a@b'\(many)/>").utf8)
        #expect(skipped(reading).first?.attributes == ["from": "a@b"])
    }

    /// A tag that is too long to be kept until it is complete.
    private func start(_ tag: String) throws -> SkippedElement {
        let bytes = Array((Stream.opening + " " + tag + Stream.message).utf8)
        let pieces = stride(from: 0, to: bytes.count, by: 999).map { Array(bytes[$0..<min(bytes.count, $0 + 999)]) }
        let reading = ParseResult(pieces: pieces)
        #expect(reading.events.last == .element(Stream.messageElement))
        return try #require(skipped(reading).first)
    }

    private let long = String(repeating: "x", count: 40_000)

    @Test func `sender, id and type of an element with an overlong start tag are known`() throws {
        let known = [
            "id='\(long)' from='dev@muc.org/e&#x76;e' type='unavailable'/>",
            "from='dev@muc.org/eve' id='\(long)' type='unavailable'></presence>",
            "from = 'dev@muc.org/eve'\n type\t=\r\n\"unavailable\" x\(long)='from=\"a@b\"'>from='a@b'</presence>",
            "fromm='a@b' a='\(long)/>' type='unavailable' from=\"dev@muc.org/eve\" xfrom='a@b'><a from='a@b'/></presence>"
        ]
        for rest in known {
            let element = try start("<presence " + rest)
            #expect(element.name == "presence" && element.namespace == Namespace.client)
            #expect(element.attributes == ["from": "dev@muc.org/eve", "type": "unavailable"])
            #expect(element.reason == "a tag has more than 32768 bytes")
        }
        let message = try start("<message to='\(long)' id='7' from='a@b/x&quot;&apos;y'/>")
        #expect(message.name == "message" && message.attributes == ["id": "7", "from": "a@b/x\"'y"])
        #expect(try start("<iq id='\(long)'/>").attributes.isEmpty)
        // Names with a prefix and other namespaces.
        #expect(try start("<stream:features a='\(long)'/>").namespace == Namespace.streams)
        #expect(try start("<iq a='\(long)' xmlns='urn:x'/>").namespace == "urn:x")
    }

    @Test func `an overlong start tag with the same attribute again and again costs no memory`() {
        let repeated = String(repeating: " id='a'", count: 60_000)
        let bytes = Array((Stream.opening + "<message" + repeated + "/>" + Stream.message).utf8)
        let pieces = stride(from: 0, to: bytes.count, by: 999).map { Array(bytes[$0..<min(bytes.count, $0 + 999)]) }
        // It isn't XML, which the parser may notice or skip.
        #expect(ParseResult(pieces: pieces).events.count <= 3)
    }

    @Test func `the limits of what is known of an overlong start tag`() throws {
        // Every character of the longest address may be escaped.
        let address = "dev@muc.org/" + String(repeating: "&quot;", count: 3_059)
        #expect(try start("<presence a='\(long)' from='\(address)'/>")["from"]?.utf8.count == 3_071)
        // The room is known even if the nick isn't.
        let room = try start("<presence from='dev@muc.org/\(long)/\(long)' id='\(long)' type='\(long)'/>")
        #expect(room.name == "presence" && room.attributes == ["from": "dev@muc.org"])
        // The sender is known even if the name isn't.
        let names = [
            "<\(long) from='dev@muc.org/eve'/>",
            "<a:presence from='dev@muc.org/eve' xmlns:a='jabber:client' a='\(long)'/>",
            "<presence from='dev@muc.org/eve' xmlns='\(long)'/>"
        ]
        for name in names {
            let element = try start(name)
            #expect(element.name == nil && element.namespace == nil && element["from"] == "dev@muc.org/eve")
        }
        let unknown = try start("<presence from='\(long)' type='unavailable'/>")
        #expect(unknown.name == nil && unknown.attributes.isEmpty)
    }

    @Test func `many skipped elements in a row, of each kind`() {
        let kinds = [
            "<a" + (0..<65).map { " b\($0)='>'" }.joined() + "/>",
            "<a><" + String(repeating: "n", count: 1_100) + "/></a>",
            String(repeating: "<a>", count: 33) + "<![CDATA[</a>]]]]>" + String(repeating: "</a>", count: 33),
            "<a>" + String(repeating: "<b/>", count: 17_000) + "</a>",
            "<a>" + String(repeating: "t", count: 300_000) + "<b c='/>'/></a>",
            "<a><b c=\"" + String(repeating: "'>", count: 20_000) + "\"/></a>"
        ]
        var xml = Stream.opening
        for _ in 0..<3 { for kind in kinds { xml += kind + Stream.message + " \n" } }
        let bytes = Array(xml.utf8)
        for size in [bytes.count, 1_460, 16_384, 16_385, 65_536] {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min(bytes.count, $0 + size)])
            }
            let reading = ParseResult(pieces: pieces)
            #expect(reading.failure == nil)
            #expect(skipped(reading).count == 3 * kinds.count)
            #expect(reading.elements == Array(repeating: Stream.messageElement, count: 3 * kinds.count))
        }
    }

    @Test func `the stream can end after a skipped element`() {
        let deep = String(repeating: "<a>", count: 33) + String(repeating: "</a>", count: 33)
        #expect(ParseResult((Stream.opening + deep + StreamHeader.closing).utf8).events.last == .close)
        #expect(
            ParseResult((Stream.opening + deep + "text" + Stream.message).utf8).failure?.condition == .badFormat)
        #expect(ParseResult((Stream.opening + deep + "<a></b>").utf8).failure?.condition == .notWellFormed)
    }

    /// Random well-formed streams in random pieces, with limits that much of them exceeds: the same stanzas are parsed and
    /// skipped, and each equals the one parsed without limits, or is skipped.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `random streams in random pieces`(_ seed: UInt64) throws {
        let limits = StreamLimits(
            elementBytes: 300, headerBytes: 300, tagBytes: 60, nameBytes: 50, depth: 4, attributes: 5, nodes: 8)
        var random = SeededGenerator(seed: seed)
        var (kept, left) = (0, 0)
        for _ in 0..<Soak.rounds(1_000, soak: 100_000) {
            let stanzas = (0..<(1 + random.below(5))).map { _ in Self.element(&random, depth: 0) }
            let bytes = Array((Stream.opening + stanzas.joined(separator: " ")).utf8)
            let all = ParseResult(bytes, limits: StreamLimits(nameBytes: 100_000, attributes: 1_000))
            try #require(all.elements.count == stanzas.count, "\(stanzas)")
            var pieces: [[UInt8]] = []
            var start = 0
            let most = 2 << random.below(8)
            while start < bytes.count {
                let end = min(bytes.count, start + 1 + random.below(most))
                pieces.append(Array(bytes[start..<end]))
                start = end
            }
            let parts = ParseResult(pieces: pieces, limits: limits)
            let whole = ParseResult(bytes, limits: limits)
            for reading in [parts, whole] {
                try #require(reading.failure == nil, "\(stanzas)")
                try #require(reading.events.count == stanzas.count + 1, "\(stanzas)")
                for (event, element) in zip(reading.events.dropFirst(), all.elements) {
                    try #require(event.isSkipped || event == .element(element), "\(stanzas)")
                }
            }
            try #require(parts.events.map(\.isSkipped) == whole.events.map(\.isSkipped), "\(stanzas)")
            kept += parts.elements.count
            left += stanzas.count - parts.elements.count
        }
        #expect(kept > 1_000 && left > 1_000)
    }

    private static func element(_ random: inout SeededGenerator, depth: Int) -> String {
        let name = random.pick(["a", "message", "iq", String(repeating: "n", count: 20 + random.below(30))])
        var tag = "<\(name)"
        for index in 0..<random.below(8) {
            let quote = random.pick(["'", "\""])
            tag +=
                random.pick([" ", "\n", "  "]) + "b\(index)=\(quote)"
                + random.pick(["", ">", "/>", "c", "&lt;", "]]>", quote == "'" ? "\"" : "'"]) + quote
        }
        if random.below(4) == 0 { return tag + random.pick(["/>", " />"]) }
        var inside = ""
        if depth < 6 {
            for _ in 0..<random.below(4) {
                inside += random.pick([
                    element(&random, depth: depth + 1), "text", "é日本", "&amp;", "<![CDATA[</a><b>]]]]>", "<![CDATA[]]>",
                    String(repeating: "t", count: random.below(200)), "\r\n", "/>", "'", "\""
                ])
            }
        }
        return tag + random.pick([">", " >"]) + inside + "</\(name)" + random.pick([">", " >", "\n>"])
    }
}
