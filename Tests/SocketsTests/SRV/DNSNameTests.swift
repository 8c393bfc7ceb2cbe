import Testing

@testable import HeybotSockets

@Suite struct DomainNameTests {
    /// The samples of RFC 3492 section 7.1, without the optional upper case in (I).
    @Test(arguments: [
        ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
        ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"), ("Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"),
        ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
        ("यहलोगहिन्दीक्योंनहींबोलसकतेहैं", "i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd"),
        ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
        (
            "세계의모든사람들이한국어를이해한다면얼마나좋을까",
            "989aomsvi5e83db1d2a355cv1e0vak1dwrv93d5xbh15a0dt30a5jpsd879ccm6fea98c"
        ), ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
        ("PorquénopuedensimplementehablarenEspañol", "PorqunopuedensimplementehablarenEspaol-fmd56a"),
        ("TạisaohọkhôngthểchỉnóitiếngViệt", "TisaohkhngthchnitingVit-kjcr8268qyxafd2f1b9g"),
        ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"),
        ("安室奈美恵-with-SUPER-MONKEYS", "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"),
        ("Hello-Another-Way-それぞれの場所", "Hello-Another-Way--fc4qua05auwb3674vfr0b"), ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"),
        ("MajiでKoiする5秒前", "MajiKoi5-783gue6qz075azm5e"), ("パフィーdeルンバ", "de-jg4avhby1noc0d"),
        ("そのスピードで", "d9juau41awczczp"),
        ("-> $1.00 <-", "-> $1.00 <--"), ("", "")
    ])
    func `Punycode matches the RFC's samples`(_ text: String, encoded: String) {
        #expect(Punycode.encoded(text.unicodeScalars) == encoded)
    }

    @Test func `Punycode encodes the first and the last scalar`() {
        #expect(Punycode.encoded("\u{80}".unicodeScalars) == "a")
        #expect(Punycode.encoded("\u{10ffff}".unicodeScalars) == "dn32g")
    }

    @Test(arguments: [
        ("example.org", "example.org"), ("Example.ORG.", "example.org"), ("_xmpp-client._tcp.a", "_xmpp-client._tcp.a"),
        ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
        ("例え．テスト｡", "xn--r8jz45g.xn--zckzah"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("faß.de", "xn--fa-hia.de"), ("\u{212a}elvin", "kelvin"), ("☃.net", "xn--n3h.net")
    ])
    func `a name is normalized for DNS`(_ text: String, host: String) {
        #expect(DNSName(text)?.hostName == host)
    }

    @Test func `a name's length is limited`() {
        let label = String(repeating: "a", count: 63)
        let longest = "\(label).\(label).\(label).\(label.dropLast(2))"
        #expect(DNSName(longest)?.hostName == longest)
        #expect(DNSName(longest)?.wire.count == 254)
        #expect(DNSName(longest + "a") == nil)
        #expect(DNSName(label + "a") == nil)
        // 57 characters, where ASCII would allow 63.
        #expect(DNSName(String(repeating: "ü", count: 63)) == nil)
        #expect(DNSName(String(repeating: "ü", count: 100_000)) == nil)
        #expect(DNSName(String(repeating: "a.", count: 127))?.wire.count == 254)
        #expect(DNSName(String(repeating: "a.", count: 128)) == nil)
    }

    @Test(arguments: ["", ".", "..", "a..b", ".a", "a b", "a@b", "a\\b", "a\u{0}", "ü ü", "a\n", "1/2", "ü\u{0}"])
    func `invalid names are rejected`(_ text: String) {
        #expect(DNSName(text) == nil)
    }
}
