import HeybotSupport
import HeybotTesting
import TestServers
import Testing

@testable import StandardScripts

/// Hostile text stays text on the page.
@Suite struct HostileTextTests {
    private static let pieces = [
        "<", ">", "\"", "'", "&", "=", "/", "`", "<!--", "-->", "<![CDATA[", "]]>", "</script>", "</style>", "</title>",
        "<script>", "</code></li></ul></main>", "<img src=x onerror=alert(1)>", " onload=x", "javascript:", "&lt;",
        "&#60;", "&#x3c", "&quot", "&amp;", "${x}", "\\(x)", "\\", "\u{0}", "\r\n", "\n", "\t", "\u{b}", "\u{1b}[2J",
        "\u{7f}", "\u{85}", "\u{9b}", "\u{202a}", "\u{202e}", "\u{2066}", "\u{2068}", "\u{2069}", "\u{2028}",
        "\u{2029}", "\u{338}", "\u{301}", "\u{200d}", "\u{fe0f}", "\u{feff}", "\u{ffff}", "\u{e0001}", "é", "ß",
        "日本", "التذكير", "😀", " ", "a", "deploy", "1", "<name>", "<a b>", "-"
    ]

    private static func text(_ dice: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<dice.below(7) {
            if dice.below(8) == 0, let scalar = Unicode.Scalar(UInt32(dice.below(0x11_0000))) {
                text.unicodeScalars.append(scalar)
            } else {
                text += dice.pick(pieces)
            }
        }
        return text
    }

    /// A page with a number of hostile texts, and one with harmless ones.
    private static func pages(_ dice: inout SeededGenerator, count: Int) -> (HelpPage, HelpPage) {
        var texts = (0..<count).map { _ in text(&dice) }
        var twins: [String: String] = [:]
        for text in texts where twins[text] == nil { twins[text] = "w\(twins.count)" }
        var sections: [HelpPage.Section] = []
        let (name, query, nonce) = (texts.removeLast(), texts.removeLast(), texts.removeLast())
        while !texts.isEmpty {
            let section = texts.removeLast()
            var commands: [HelpPage.Command] = []
            while let usage = texts.popLast(), dice.below(6) > 0 || commands.isEmpty {
                commands.append(
                    HelpPage.Command(
                        usage: usage, purpose: dice.below(4) > 0 ? texts.popLast() : nil,
                        example: dice.below(2) > 0 ? texts.popLast() : nil, access: dice.below(2) > 0 ? "admins" : nil))
            }
            sections.append(HelpPage.Section(name: section, commands: commands))
        }
        func twin(_ text: String) -> String { twins[text, default: ""] }
        let harmless = sections.map { section in
            HelpPage.Section(
                name: twin(section.name),
                commands: section.commands.map {
                    HelpPage.Command(
                        usage: twin($0.usage), purpose: $0.purpose.map(twin), example: $0.example.map(twin),
                        access: $0.access)
                })
        }
        return (
            HelpPage(robotName: name, sections: sections, query: query, nonce: nonce),
            HelpPage(robotName: twin(name), sections: harmless, query: twin(query), nonce: twin(nonce))
        )
    }

    @Test func `twenty thousand hostile texts leave the elements as they are`() throws {
        var dice = SeededGenerator(seed: 1)
        for _ in 0..<40 {
            let (hostile, harmless) = Self.pages(&dice, count: 500)
            let document = try Document(hostile)
            #expect(try document.structure == Document(harmless).structure)

            // They are all there, character for character.
            #expect(
                scalars(document.texts(in: "h2")) == scalars(hostile.sections.map { SafeText.pictured($0.name) }))
            let usages = hostile.sections.flatMap(\.commands).map { SafeText.pictured($0.usage) }
            #expect(scalars(document.texts(in: "div", "class", "usage").map(\.unbadged)) == scalars(usages))
            let purposes = hostile.sections.flatMap(\.commands).compactMap(\.purpose).map { SafeText.pictured($0) }
            #expect(scalars(document.texts(in: "p", "class", "purpose")) == scalars(purposes))
            #expect(
                scalars(document.texts(in: "title")) == scalars(["What \(SafeText.pictured(hostile.robotName)) can do"])
            )
            #expect(scalars(document.values(of: "value", in: "input")) == scalars([hostile.query]))
            let nonces = document.values(of: "nonce", in: "style") + document.values(of: "nonce", in: "script")
            #expect(nonces == [hostile.nonce, hostile.nonce])

            // Links lead to places of this page.
            let anchors = document.values(of: "id", in: "h2")
            #expect(Set(anchors).count == anchors.count)
            let links = document.values(of: "href", in: "a").filter { $0.hasPrefix("#script") }
            #expect(links.isEmpty || links == anchors.map { "#" + $0 })
            #expect(anchors.allSatisfy { $0.hasPrefix("script") && !$0.contains(where: \.isWhitespace) })

            let forbidden = hostile.html.unicodeScalars.filter { scalar in
                switch scalar.value {
                case 0x0a: false
                case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069: true
                default: false
                }
            }
            #expect(forbidden.isEmpty)
        }
    }

    @Test func `twenty thousand hostile texts stay in an attribute and in an element`() throws {
        var dice = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let text = Self.text(&dice)
            let html: HTML = "<p title=\"\(text)\">\(text)</p>"
            let tokens = try #require(Token.all(in: html.source))
            guard case .start("p", let attributes) = tokens.first, tokens.last == .end("p") else {
                Issue.record("\(html.source)")
                return
            }
            let shown = SafeText.pictured(text)
            #expect(attributes.map(\.name) == ["title"])
            #expect(scalars(attributes.map(\.value)) == scalars([shown]))
            let texts = tokens.dropFirst().dropLast().map { token in
                if case .text(let text) = token { text } else { "no text" }
            }
            #expect(scalars([texts.joined()]) == scalars([shown]))
        }
    }

    /// To Swift, texts are equal that look equal.
    private func scalars(_ texts: [String]) -> [[Unicode.Scalar]] {
        texts.map { Array($0.unicodeScalars) }
    }

    @Test func `accents don't hide a bracket`() {
        let page = HelpPage(robotName: "x", sections: [HelpPage.Section("a", "<\u{338}b>\u{338}")], nonce: "n")
        #expect(page.html.utf8.contains("&lt;\u{338}b&gt;\u{338}".utf8))
    }

    @Test(arguments: [
        ("a\u{0}b\u{1b}\u{7f}", "a␀b␛␡"), ("a\tb\r\nc\u{b}\u{c}\u{85}\u{2028}\u{2029}d", "a b  c     d"),
        ("\u{80}\u{9f}\u{a0}", "\u{fffd}\u{fffd}\u{a0}"),
        ("\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}", String(repeating: "\u{fffd}", count: 5)),
        ("\u{2066}\u{2067}\u{2068}\u{2069}", String(repeating: "\u{fffd}", count: 4)),
        // Joiners and directional marks are legitimate parts of texts.
        ("\u{200c}\u{200d}\u{200e}\u{200f}\u{61c}", "\u{200c}\u{200d}\u{200e}\u{200f}\u{61c}")
    ])
    func `characters that would disturb others are shown, breaks are spaces`(_ text: String, _ shown: String) {
        #expect(Array(SafeText.pictured(text).unicodeScalars) == Array(shown.unicodeScalars))
    }

    @Test(arguments: [
        ("r4nd0m+/-_==", "r4nd0m+/-_=="), ("a' 'unsafe-inline", "aunsafe-inline"), ("a\"><script>", "ascript"),
        ("a'; script-src *\r\nX: y", "ascript-srcXy"), ("é\u{0}", ""), ("a\u{301}b", "ab"), ("", "")
    ])
    func `a nonce has base64 only`(_ nonce: String, _ taken: String) throws {
        let page = HelpPage(robotName: "marvin", sections: [HelpPage.Section("a", "b")], nonce: nonce)
        let document = try Document(page)
        #expect(document.values(of: "nonce", in: "style") == [taken])
        #expect(document.values(of: "nonce", in: "script") == [taken])
        #expect(
            page.securityPolicy
                == "default-src 'none'; style-src 'nonce-\(taken)'; script-src 'nonce-\(taken)'; img-src data:; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
    }
}

extension String {
    /// Without what admins see of their commands.
    fileprivate var unbadged: String {
        let badge = " admins only"
        return utf8.suffix(badge.utf8.count).elementsEqual(badge.utf8)
            ? String(decoding: utf8.dropLast(badge.utf8.count), as: UTF8.self) : self
    }
}
