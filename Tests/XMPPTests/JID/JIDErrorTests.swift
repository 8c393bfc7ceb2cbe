import HeybotXMPP
import Testing

/// The errors that users read who mistype an address.
@Suite struct JIDErrorTests {
    @Test(arguments: [
        (
            "a b@example.org",
            "\"a b@example.org\" isn't a valid address: a space isn't allowed in the part before the @"
        ),
        ("a&b@c", "\"a&b@c\" isn't a valid address: \"&\" isn't allowed in the part before the @"),
        ("a\"@c", "\"a\"@c\" isn't a valid address: a quotation mark isn't allowed in the part before the @"),
        ("Ⅳ@c", "\"Ⅳ@c\" isn't a valid address: \"Ⅳ\" (U+2163) isn't allowed in the part before the @"),
        ("ａ＠@c", "\"ａ＠@c\" isn't a valid address: \"＠\" (U+FF20) isn't allowed in the part before the @"),
        ("c.É½", "\"c.É½\" isn't a valid address: \"½\" (U+00BD) isn't allowed in the domain"),
        ("c.Ⓐ", "\"c.Ⓐ\" isn't a valid address: \"Ⓐ\" (U+24B6) isn't allowed in the domain"),
        ("=\u{338}@c", "\"=\u{338}@c\" isn't a valid address: \"≠\" (U+2260) isn't allowed in the part before the @"),
        (
            "a\u{2003}@c",
            "\"a\u{2003}@c\" isn't a valid address: a space (U+2003) isn't allowed in the part before the @"
        ),
        ("a\u{200b}@c", "\"a\u{fffd}@c\" isn't a valid address: U+200B isn't allowed in the part before the @"),
        (
            "a·@c",
            "\"a·@c\" isn't a valid address: \"·\" (U+00B7) isn't allowed at its position in the part before the @"
        ),
        (
            "a\n@c",
            "\"a\u{fffd}@c\" isn't a valid address: a control character (U+000A) isn't allowed in the part before the @"
        ),
        (
            "aא@c",
            "\"aא@c\" isn't a valid address: the part before the @ mixes right-to-left and other characters"
        ),
        ("@c", "\"@c\" isn't a valid address: there is nothing before the @"),
        ("", "\"\" isn't a valid address: it has no domain"),
        ("a@b/", "\"a@b/\" isn't a valid address: there is nothing after the /"),
        ("a@-b", "\"a@-b\" isn't a valid address: a hyphen isn't allowed at its position in the domain"),
        ("a@b..c", "\"a@b..c\" isn't a valid address: the domain has a dot with nothing before or after it"),
        (
            "\u{301}.x",
            "\"\u{301}.x\" isn't a valid address: the mark U+0301 isn't allowed at its position in the domain"
        ),
        ("a@[b]", "\"a@[b]\" isn't a valid address: the domain looks like an IP address, but isn't valid"),
        (
            "b/\u{7f}",
            "\"b/\u{fffd}\" isn't a valid address: a control character (U+007F) isn't allowed in the part after the /"
        )
    ])
    func `the description names the problem`(_ text: String, _ words: String) throws {
        let error = try #require(throws: JIDError.self) { try JID(text) }
        #expect(error.description == words)
    }

    @Test func `the description quotes only the beginning of a long address`() throws {
        let long = String(repeating: "a", count: 64)
        let error = try #require(throws: JIDError.self) { try JID("\(long)@\(long)") }
        let shown = "\(long)@\(long)".prefix(100)
        #expect(
            error.description
                == "\"\(shown)…\" isn't a valid address: the domain has more than 63 bytes between two dots")
        let huge = String(repeating: "e\u{301}\u{301}", count: 1_000_000)
        let other = try #require(throws: JIDError.self) { try JID("x/\(huge)") }
        #expect(
            other.description.hasSuffix("…\" isn't a valid address: the part after the / has more than 1,023 bytes"))
        #expect(other.description.unicodeScalars.count < 200)
    }

    @Test func `the description is one line of visible characters`() throws {
        for value in (0...0x2fff) as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["a\(scalar)@x", "x\(scalar)x", "x/\(scalar)"] {
                do { _ = try JID(text) } catch {
                    #expect(!error.description.contains { $0.isNewline })
                    for scalar in error.description.unicodeScalars {
                        switch scalar.properties.generalCategory {
                        case .control, .format, .lineSeparator, .paragraphSeparator: Issue.record("\(scalar.value)")
                        default: break
                        }
                    }
                }
            }
        }
    }
}
