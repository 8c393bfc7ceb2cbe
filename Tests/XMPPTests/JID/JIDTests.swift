import HeybotXMPP
import Testing

/// Whole addresses: parsing, composing and comparing.
@Suite struct JIDTests {
    /// RFC 7622 section 3.5, table 1.
    @Test(
        arguments: [
            ("juliet@example.com", "juliet", "example.com", nil),
            ("juliet@example.com/foo", "juliet", "example.com", "foo"),
            ("juliet@example.com/foo bar", "juliet", "example.com", "foo bar"),
            ("juliet@example.com/foo@bar", "juliet", "example.com", "foo@bar"),
            ("foo\\20bar@example.com", "foo\\20bar", "example.com", nil),
            ("fussball@example.com", "fussball", "example.com", nil),
            ("fu\u{df}ball@example.com", "fu\u{df}ball", "example.com", nil),
            ("\u{3c0}@example.com", "\u{3c0}", "example.com", nil),
            ("\u{3a3}@example.com/foo", "\u{3c3}", "example.com", "foo"),
            ("\u{3c3}@example.com/foo", "\u{3c3}", "example.com", "foo"),
            ("\u{3c2}@example.com/foo", "\u{3c2}", "example.com", "foo"),
            ("king@example.com/\u{265a}", "king", "example.com", "\u{265a}"),
            ("example.com", nil, "example.com", nil),
            ("example.com/foobar", nil, "example.com", "foobar"),
            ("a.example.com/b@example.net", nil, "a.example.com", "b@example.net"),
            // In table 2 by mistake: erratum 4560.
            ("juliet@example.com/ foo", "juliet", "example.com", " foo"),
            // Beyond the table.
            ("Juliet@Example.COM./Foo/bar", "juliet", "example.com", "Foo/bar"),
            ("example.com/@/", nil, "example.com", "@/"), ("a@b/\u{301}", "a", "b", "\u{301}"),
            ("\u{301}a@b", "\u{301}a", "b", nil)
        ] as [(String, String?, String, String?)])
    func `an address is split into its parts`(_ text: String, _ local: String?, _ domain: String, _ resource: String?)
        throws
    {
        let jid = try JID(text)
        #expect(jid.local.map { Array($0.utf8) } == local.map { Array($0.utf8) })
        #expect(jid.domain == domain)
        #expect(jid.resource.map { Array($0.utf8) } == resource.map { Array($0.utf8) })
        #expect(try JID(local: local, domain: domain, resource: resource) == jid)
        #expect(try JID(jid.description) == jid)
    }

    /// RFC 7622 section 3.5, table 2, and the like.
    @Test(
        arguments: [
            ("\"juliet\"@example.com", .local(.forbidden("\""), in: "\"juliet\"@example.com")),
            ("foo bar@example.com", .local(.forbidden(" "), in: "foo bar@example.com")),
            ("@example.com/", .local(.empty, in: "@example.com/")),
            ("henry\u{2163}@example.com", .local(.forbidden("\u{2163}"), in: "henry\u{2163}@example.com")),
            ("\u{265a}@example.com", .local(.forbidden("\u{265a}"), in: "\u{265a}@example.com")),
            ("juliet@", .domain(.empty, in: "juliet@")), ("/foobar", .domain(.empty, in: "/foobar")),
            ("", .domain(.empty, in: "")), ("@", .local(.empty, in: "@")), ("/", .domain(.empty, in: "/")),
            (".", .domain(.empty, in: ".")), ("a@.", .domain(.empty, in: "a@.")), ("a@/b", .domain(.empty, in: "a@/b")),
            ("a@b/", .resource(.empty, in: "a@b/")), ("b/", .resource(.empty, in: "b/")),
            ("user@@host", .domain(.forbidden("@"), in: "user@@host")),
            ("a@b@c", .domain(.forbidden("@"), in: "a@b@c")),
            ("a@b c", .domain(.forbidden(" "), in: "a@b c")), ("a@b/\0", .resource(.forbidden("\0"), in: "a@b/\0"))
        ] as [(String, JIDError)])
    func `invalid addresses are refused`(_ text: String, _ error: JIDError) {
        #expect(throws: error) { try JID(text) }
    }

    /// Noncharacters, which can't be written in literals, and the first and last private-use characters.
    @Test(arguments: [0xfdd0, 0xfdef, 0xfffe, 0xffff, 0x10ffff, 0xe000, 0xf8ff, 0x10fffd] as [UInt32])
    func `noncharacters and private-use characters are refused in every part`(_ value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        for text in ["\(scalar)@x", "a\(scalar)", "x/\(scalar)"] {
            let error = try #require(throws: JIDError.self) { try JID(text) }
            #expect(error.description.contains("U+\(String(value, radix: 16, uppercase: true)) isn't allowed in"))
        }
    }

    @Test func `separate parts are normalized as in a whole address`() throws {
        let jid = try JID(local: "Room", domain: "Conference.Example.ORG.", resource: "A\u{a0}B")
        #expect(jid.description == "room@conference.example.org/A B")
        #expect(throws: JIDError.local(.forbidden("@"), in: "a@b@c")) { try JID(local: "a@b", domain: "c") }
        #expect(throws: JIDError.domain(.forbidden("/"), in: "a/b")) { try JID(domain: "a/b") }
        #expect(throws: JIDError.local(.empty, in: "@c")) { try JID(local: "", domain: "c") }
        #expect(throws: JIDError.resource(.empty, in: "c/")) { try JID(domain: "c", resource: "") }
    }

    @Test func `an address is bare or full`() throws {
        let full = try JID("Room@example.org/Nick")
        let bare = full.bare
        #expect(full.isFull && !full.isBare)
        #expect(bare.isBare && !bare.isFull)
        #expect("\(bare)" == "room@example.org")
        #expect(bare.bare == bare)
        #expect(try bare.with(resource: "Nick") == full)
        #expect(try full.with(resource: "a/\u{3000}b").description == "room@example.org/a/ b")
        #expect(throws: JIDError.resource(.forbidden("\n"), in: "room@example.org/\n")) {
            try bare.with(resource: "\n")
        }
    }

    @Test(arguments: [
        ("SS@x", "ss@x", true), ("ß@x", "ss@x", false), ("ẞ@x", "ß@x", true), ("Σ@x", "σ@x", true),
        ("Σ@x", "ς@x", false),
        ("ΑΣ@x", "ας@x", false), ("I@x", "i@x", true), ("I@x", "ı@x", false), ("İ@x", "i\u{307}@x", true),
        ("\u{c5}@x", "A\u{30a}@x", true), ("\u{212b}@x", "å@x", true), ("\u{212a}@x", "k@x", true),
        ("ＡＢＣ@x", "abc@x", true), ("ｶﾞ@x", "ガ@x", true), ("a@Ｅxample。org．", "a@example.org", true),
        ("ᄀ\u{1161}@x", "가@x", true), ("x/é", "x/e\u{301}", true), ("x/É", "x/é", false), ("x/Ａ", "x/A", false),
        ("x/a\u{1680}b", "x/a b", true), ("x/\u{2003}", "x/ ", true), ("BÜCHER.example", "bücher.example", true),
        ("q\u{323}\u{307}@x", "q\u{307}\u{323}@x", true), ("[::A]", "[::a]", true), ("XN--A", "xn--a", true)
    ])
    func `equivalent addresses are equal`(_ one: String, _ other: String, _ areSame: Bool) throws {
        let (one, other) = (try JID(one), try JID(other))
        #expect((one == other) == areSame)
        #expect((one.hashValue == other.hashValue) == areSame)
        #expect((Array(one.description.utf8) == Array(other.description.utf8)) == areSame)
    }

    @Test func `each part has at most 1,023 bytes`() throws {
        let name = String(repeating: "a", count: 1_023)
        // Sixteen labels of 63 with their dots make 1,023.
        let domain = Array(repeating: String(repeating: "b", count: 63), count: 16).joined(separator: ".")
        #expect(domain.utf8.count == 1_023)
        let jid = try JID("\(name)@\(domain)/\(name)")
        #expect(try JID(jid.description) == jid)
        #expect(try JID("x/" + String(repeating: "é", count: 511) + "a").resource?.utf8.count == 1_023)
        // Counted after normalization: a fullwidth letter has three bytes before and one after.
        #expect(try JID(String(repeating: "Ａ", count: 1_023) + "@x").local == name)
        #expect(try JID("\(domain).").domain == domain)
        for (text, error) in [
            ("\(name)a@x", JIDError.local(.tooLong, in: "\(name)a@x")),
            ("x/\(name)a", .resource(.tooLong, in: "x/\(name)a")),
            ("a.\(domain)", .domain(.tooLong, in: "a.\(domain)"))
        ] { #expect(throws: error) { try JID(text) } }
        let resource = String(repeating: "é", count: 512)
        #expect(throws: JIDError.resource(.tooLong, in: "x/\(resource)")) { try JID("x/\(resource)") }
    }
}
