import Testing

@testable import HeybotXMPP

/// Domain names, U-labels and IP addresses.
@Suite struct DomainpartTests {
    private static let sixtyThree = String(repeating: "a", count: 63)

    @Test(arguments: [
        ("example.org", "example.org"), ("EXAMPLE.org.", "example.org"), ("localhost", "localhost"), ("a", "a"),
        ("1", "1"),
        ("1a.2", "1a.2"), ("xmpp_server.lan", "xmpp_server.lan"), ("_xmpp._tcp.x", "_xmpp._tcp.x"), ("a--b", "a--b"),
        ("r3---sn-x.example", "r3---sn-x.example"), ("xn--BCHER-kva.example", "xn--bcher-kva.example"),
        ("\(sixtyThree).x", "\(sixtyThree).x"), ("bücher.example", "bücher.example"), ("BU\u{308}CHER.x", "bücher.x"),
        ("faß.de", "faß.de"), ("βόλος.com", "βόλος.com"), ("ＥＸ．org．", "ex.org"), ("日本。jp", "日本.jp"),
        ("l·l.cat", "l·l.cat"), ("ｱ･ｲ.jp", "ア・イ.jp"), ("क्\u{200d}ष.in", "क्\u{200d}ष.in"), ("אב.example", "אב.example"),
        ("אב.xn--4dbc", "אב.xn--4dbc"), ("\u{212b}.x", "å.x"),
        ("a\u{958}.x", "a\u{915}\u{93c}.x")
    ])
    func `a domain name is normalized`(_ text: String, _ prepared: String) throws {
        let domain = try JID(text).domain
        #expect(Array(domain.unicodeScalars) == Array(prepared.unicodeScalars))
    }

    @Test(arguments: [
        ".org", "a..b", "a.b..", "..", "-a.org", "a-.org", "a.-", "é-.org", "-é.org", "a b.org", "a:5222", "a!", "a,b",
        "a%b",
        "a\u{0}", "a\u{7f}", "[a", "a]", "a／b", "a＠b", "\(sixtyThree)a.x", "x.\(sixtyThree)a", "♚.org", "😀.org",
        "½.org",
        "²é.org", "\u{301}a.org", "ab--é.org", "xn--é.org", "a\u{200b}b", "a\u{ad}b", "a\u{2003}b", "a\u{e000}",
        "a\u{378}",
        "l·a.x", "·.x", "・.x", "a\u{200d}é", "\u{640}.x", "\u{1d165}.x", "a\u{20d0}.x", "\u{1100}.x",
        "a\u{fe0f}.x",
        "1.אב", "אב.1a", "אבa.x", "a.אב1a", "٠۰.x"
    ])
    func `invalid domain names are refused`(_ text: String) throws {
        let error = try #require(throws: JIDError.self) { try JID(domain: text) }
        guard case .domain(let flaw, text) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(flaw != .empty)
    }

    /// The lengths come from Python's codec.
    @Test(arguments: [
        ("bücher", 9), ("ü", 3), ("日本語", 10), ("他们为什么不说中文", 24), ("почемужеонинеговорятпорусски", 32),
        ("3年b組金八先生", 24), ("💩", 4), ("갧갓갗", 7), ("shop丠丑丒日", 16), ("ليهمابتكلموشعربي؟", 22)
    ])
    func `the length of a U-label is that of its A-label`(_ label: String, _ count: Int) {
        #expect(PunycodeLength.count(of: Array(label.unicodeScalars)) == count)
    }

    @Test func `a U-label has at most 63 bytes in the DNS`() throws {
        // One ü among letters takes three digits and a hyphen, after xn--: 55 + 1 + 3 + 4 = 63.
        let most = String(repeating: "a", count: 55)
        #expect(PunycodeLength.count(of: Array("ü\(most)".unicodeScalars)) == 59)
        #expect(try JID("ü\(most).x").domain == "ü\(most).x")
        #expect(throws: JIDError.domain(.longLabel, in: "üa\(most).x")) { try JID("üa\(most).x") }
    }

    @Test(arguments: [
        "127.0.0.1", "0.0.0.0", "255.255.255.255", "[::]", "[::1]", "[1::]", "[2001:db8::7]", "[1:2:3:4:5:6:7:8]",
        "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]", "[::ffff:192.0.2.1]", "[1:2:3:4:5:6:192.0.2.1]", "[fe80::abcd]"
    ])
    func `IP addresses are valid domains`(_ text: String) throws {
        #expect(try JID("a@\(text)/b").domain == text)
    }

    @Test(arguments: [
        "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.04", "1.2.3.1234", "99999999999999999999.1.1.1", "١.2", "[]", "[:]",
        "[1]",
        "[:::]", "[::1", "[::1]]", "[::1]x", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1::2::3]",
        "[1:2:3:4:5:6:7:8::]",
        "[::12345]", "[::g]", "[:1:2:3:4:5:6:7:8]", "[1:]", "[127.0.0.1]", "[::1.2.3]", "[::1.2.3.4:5]", "[1.2.3.4::]",
        "[fe80::1%eth0]", "[v1.a]", "[::é]"
    ])
    func `invalid IP addresses are refused`(_ text: String) {
        #expect(throws: JIDError.self) { try JID(text) }
    }

    @Test func `fullwidth digits form an IP address too`() throws {
        #expect(try JID("１２７．0.0.1").domain == "127.0.0.1")
        #expect(try JID("［：：１］").domain == "[::1]")
        #expect(throws: JIDError.self) { try JID("１２７．0.0.256") }
    }
}
