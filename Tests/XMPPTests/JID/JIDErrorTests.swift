import HeybotXMPP
import Testing

/// What somebody reads who mistyped an address.
@Suite struct JIDErrorTests {
    @Test(arguments: [
        ("a b@example.org", "\"a b@example.org\" is no address: a space can't be in what stands before the @"),
        ("a&b@c", "\"a&b@c\" is no address: \"&\" can't be in what stands before the @"),
        ("a\"@c", "\"a\"@c\" is no address: a quotation mark can't be in what stands before the @"),
        ("Ⅳ@c", "\"Ⅳ@c\" is no address: \"Ⅳ\" (U+2163) can't be in what stands before the @"),
        ("ａ＠@c", "\"ａ＠@c\" is no address: \"＠\" (U+FF20) can't be in what stands before the @"),
        ("c.É½", "\"c.É½\" is no address: \"½\" (U+00BD) can't be in the domain"),
        ("c.Ⓐ", "\"c.Ⓐ\" is no address: \"Ⓐ\" (U+24B6) can't be in the domain"),
        ("=\u{338}@c", "\"=\u{338}@c\" is no address: \"≠\" (U+2260) can't be in what stands before the @"),
        ("a\u{2003}@c", "\"a\u{2003}@c\" is no address: a space (U+2003) can't be in what stands before the @"),
        ("a\u{200b}@c", "\"a\u{fffd}@c\" is no address: U+200B can't be in what stands before the @"),
        ("a·@c", "\"a·@c\" is no address: \"·\" (U+00B7) can't be where it is in what stands before the @"),
        ("a\n@c", "\"a\u{fffd}@c\" is no address: a control character (U+000A) can't be in what stands before the @"),
        (
            "aא@c",
            "\"aא@c\" is no address: what stands before the @ mixes writing from right to left with other characters"
        ),
        ("@c", "\"@c\" is no address: nothing stands before the @"), ("", "\"\" is no address: it has no domain"),
        ("a@b/", "\"a@b/\" is no address: nothing stands after the /"),
        ("a@-b", "\"a@-b\" is no address: a hyphen can't be where it is in the domain"),
        ("a@b..c", "\"a@b..c\" is no address: the domain has a dot with nothing before or after it"),
        ("\u{301}.x", "\"\u{301}.x\" is no address: the mark U+0301 can't be where it is in the domain"),
        ("a@[b]", "\"a@[b]\" is no address: the domain looks like an IP address, but is none"),
        ("b/\u{7f}", "\"b/\u{fffd}\" is no address: a control character (U+007F) can't be in what stands after the /")
    ])
    func `it says what is wrong`(_ text: String, _ words: String) throws {
        let error = try #require(throws: JIDError.self) { try JID(text) }
        #expect(error.description == words)
    }

    @Test func `of a long address it shows the beginning`() throws {
        let long = String(repeating: "a", count: 64)
        let error = try #require(throws: JIDError.self) { try JID("\(long)@\(long)") }
        let shown = "\(long)@\(long)".prefix(100)
        #expect(error.description == "\"\(shown)…\" is no address: the domain has more than 63 bytes between two dots")
        let huge = String(repeating: "e\u{301}\u{301}", count: 1_000_000)
        let other = try #require(throws: JIDError.self) { try JID("x/\(huge)") }
        #expect(other.description.hasSuffix("…\" is no address: what stands after the / has more than 1,023 bytes"))
        #expect(other.description.unicodeScalars.count < 200)
    }

    @Test func `it is one line without anything that can't be seen`() throws {
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
