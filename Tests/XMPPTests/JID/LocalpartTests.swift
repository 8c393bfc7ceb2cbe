import Foundation
import Testing

@testable import HeybotXMPP

/// UsernameCaseMapped with the restrictions of RFC 7622.
@Suite struct LocalpartTests {
    /// RFC 8265 section 3.5, table 1, except for the `@`, and other valid ones.
    @Test(
        arguments: [
            ("juliet", "juliet"), ("fussball", "fussball"), ("fußball", "fußball"), ("π", "π"), ("Σ", "σ"), ("σ", "σ"),
            ("ς", "ς"), ("!#$%()*+,-.;=?[\\]^_`{|}~", "!#$%()*+,-.;=?[\\]^_`{|}~"), ("ＪＵＬＩＥＴ！", "juliet!"),
            ("ÅNGSTRÖM", "ångström"), ("ǅ\u{301}", nil), ("日本語", "日本語"), ("ⴀⴁ", "ⴀⴁ"), ("Ꭰ", "ꭰ"), ("〇", "〇"),
            ("\u{958}", "\u{915}\u{93c}"), ("a\u{300}\u{301}", "à\u{301}"),
            // Contextual rules: l·l, keraia, geresh, Katakana middle dot, Arabic digits, joiners.
            ("L·L", "l·l"), ("l·", nil), ("a·l", nil), ("·", nil), ("l\u{387}l", "l·l"), ("͵α", "͵α"), ("͵Α", "͵α"),
            ("͵a", nil),
            ("͵", nil), ("א׳", "א׳"), ("א״ב", "א״ב"), ("׳א", nil), ("ア・ア", "ア・ア"), ("ｱ･a", "ア・a"), ("a・a", nil),
            ("漢・", "漢・"),
            ("ا٠", "ا٠"), ("ا۰", "ا۰"), ("ا٠۰", nil), ("क्\u{200d}", "क्\u{200d}"), ("क्\u{200c}ष", "क्\u{200c}ष"),
            ("क\u{200d}", nil), ("\u{200d}", nil), ("ب\u{200c}ب", nil),
            // Right to left.
            ("אב", "אב"), ("אב1", "אב1"), ("1אב", nil), ("אבa", nil), ("aא", nil), ("א-", nil), ("א-ב", "א-ב"),
            ("א\u{5b0}", "א\u{5b0}"), ("٠", nil), ("ا1٠", nil), ("\u{5b0}א", nil),
            // Never allowed.
            ("foo bar", nil), ("henryⅣ", nil), ("♚", nil), ("∞", nil), ("ﬀ", nil), ("ſ", nil), ("ǆ", nil), ("Ǆ", nil),
            ("ª", nil),
            ("²", nil), ("①", nil), ("😀", nil), ("a\u{200b}", nil), ("a\u{ad}", nil), ("a\u{fe0f}", nil),
            ("a\u{34f}", nil),
            ("\u{1680}", nil), ("\u{3000}", nil), ("\u{e000}", nil), ("\u{378}", nil), ("\u{1100}", nil),
            ("\u{640}", nil), ("\u{303b}", nil), ("\u{202e}a", nil), ("\u{feff}a", nil),
            ("\u{85}", nil),
            ("=\u{338}", nil), ("\u{20e3}", nil), ("ﾡ", nil), ("\0", nil), ("\u{7f}", nil)
        ] as [(String, String?)])
    func `a localpart is normalized`(_ text: String, _ prepared: String?) {
        let result = try? JID(local: text, domain: "x").local
        #expect(result.map { Array($0.unicodeScalars) } == prepared.map { Array($0.unicodeScalars) })
    }

    @Test(arguments: ["\"", "&", "'", "/", ":", "<", ">", "@", "＂", "＆", "＇", "／", "：", "＜", "＞", "＠"])
    func `reserved characters are refused`(_ character: String) {
        #expect(throws: JIDError.self) { try JID(local: "a\(character)b", domain: "x") }
        // As a separate part it would take another code path.
        #expect(throws: JIDError.self) { try JID(local: "é\(character)b", domain: "x") }
    }

    @Test func `characters that NFKC changes are refused`() throws {
        var refused = 0
        for value in (0x80...0x323ff) as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else { continue }
            let text = String(scalar)
            let lower = scalar.properties.lowercaseMapping.precomposedStringWithCanonicalMapping
            // Compared as scalars: strings compare by canonical equivalence.
            let isSame = lower.unicodeScalars.elementsEqual(
                lower.precomposedStringWithCompatibilityMapping.unicodeScalars)
            if isSame || WidthMapping.mapped(scalar) != scalar { continue }
            refused += 1
            #expect(throws: JIDError.self, "\(String(value, radix: 16))") { try JID(local: text, domain: "x") }
        }
        #expect(refused > 3_000)
    }

    @Test func `the width mapping matches Unicode's data`() throws {
        var count = 0
        for value in (0x80...0x1ffff) as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value), WidthMapping.mapped(scalar) != scalar else { continue }
            count += 1
            let (text, mapped) = (String(scalar), String(WidthMapping.mapped(scalar)))
            #expect(text.precomposedStringWithCompatibilityMapping == mapped.precomposedStringWithCompatibilityMapping)
            #expect(
                try #require(scalar.properties.name).hasPrefixOfWidth || value == 0x3000, "\(String(value, radix: 16))")
        }
        // All entries with <wide> or <narrow> in UnicodeData.txt.
        #expect(count == 226)
    }
}

extension String {
    fileprivate var hasPrefixOfWidth: Bool { hasPrefix("FULLWIDTH") || hasPrefix("HALFWIDTH") }
}
