import HeybotTesting
import HeybotXMPP
import TestServers
import Testing

/// What is written is parsed as the same.
@Suite struct RoundTripTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `random elements`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let element = Elements.random(&random)
            let reading = ParseResult((Stream.opening + element.description).utf8)
            try #require(reading.failure == nil, "\(element)")
            try #require(reading.elements.count == 1, "\(element)")
            // Swift considers canonically equivalent texts equal: the bytes show more.
            try #require(reading.elements == [Elements.carried(element)], "\(element)")
            try #require(
                reading.elements[0].description.utf8.elementsEqual(element.description.utf8)
                    || element.description.contains("></"), "\(element)")
            let slow = ParseResult.slowly((Stream.opening + element.description).utf8)
            try #require(slow == reading, "\(element)")
        }
    }

    @Test func `every character of the first planes`() throws {
        for start in stride(from: 0 as UInt32, to: 0x20000, by: 0x200) {
            let scalars = (start..<(start + 0x200)).compactMap(Unicode.Scalar.init)
            let text = String(String.UnicodeScalarView(scalars))
            let element = Element("a", Namespace.client, ["b": text], text: text)
            let read = try #require(ParseResult((Stream.opening + element.description).utf8).elements.first ?? nil)
            let expected = scalars.filter(Elements.isCarried)
            try #require(Array(read.text.unicodeScalars) == expected)
            try #require(Array((read["b"] ?? "").unicodeScalars) == expected)
        }
    }
}

enum Elements {
    private static let names = ["a", "message", "x-y.z", "_", "é", "日本", "body", "stanza-id", "a1"]
    private static let namespaces = [
        "jabber:client", "jabber:client", "", "urn:xmpp:sid:0", "x y", "<&>'\"", "\t\r\n", "é\u{301}",
        "http://jabber.org/protocol/disco#info"
    ]
    private static let pieces = [
        "", " ", "a", "word ", "<", ">", "&", "'", "\"", "]]>", "&amp;", "&#x0;", "<![CDATA[", "\r", "\n", "\r\n", "\t",
        "\u{0}", "\u{1}", "\u{b}", "\u{1f}", "\u{7f}", "\u{85}", "\u{2028}", "\u{fffd}", "\u{fffe}", "\u{ffff}",
        "\u{feff}", "\u{ef}", "\u{f000}", "\u{ffef}", "é", "e\u{301}", "\u{301}", "日本", "👩‍👩‍👧", "\u{10ffff}",
        String(repeating: "long ", count: 20), "</stream:stream>", "<!--"
    ]

    static func text(_ random: inout SeededGenerator) -> String {
        (0..<random.below(5)).map { _ in random.pick(pieces) }.joined()
    }

    static func random(_ random: inout SeededGenerator, depth: Int = 5) -> Element {
        var element = Element(random.pick(names), random.pick(namespaces))
        for _ in 0..<max(0, random.below(6) - 2) { element[random.pick(names)] = text(&random) }
        if random.below(4) == 0 { element["xml:lang"] = text(&random) }
        guard depth > 1 else { return element }
        for _ in 0..<max(0, random.below(7) - 2) {
            element.children.append(
                random.below(2) == 0 ? .text(text(&random)) : .element(Self.random(&random, depth: depth - 1)))
        }
        return element
    }

    static func isCarried(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xa, 0xd: true
        case 0..<0x20, 0xfffe, 0xffff: false
        default: true
        }
    }

    private static func carried(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter(isCarried)))
    }

    /// Returns the expected result: without characters that XML doesn't allow, and with adjacent texts joined.
    static func carried(_ element: Element) -> Element {
        var result = Element(element.name, carried(element.namespace))
        for attribute in element.attributes.sorted { result[attribute.name] = carried(attribute.value) }
        var text = ""
        for child in element.children {
            switch child {
            case .text(let more): text += carried(more)
            case .element(let element):
                if !text.isEmpty { result.children.append(.text(text)) }
                text = ""
                result.children.append(.element(carried(element)))
            }
        }
        if !text.isEmpty { result.children.append(.text(text)) }
        return result
    }
}
