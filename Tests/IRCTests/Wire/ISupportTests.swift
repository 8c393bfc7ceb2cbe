import HeybotIRC
import Testing

@Suite struct ISupportTests {
    /// The features after a 005 with these tokens.
    private func support(_ tokens: String...) -> ISupport {
        var support = ISupport()
        support.update(["heybot"] + tokens + ["are supported by this server"])
        return support
    }

    @Test func `the defaults`() {
        let support = ISupport()
        #expect(support.caseMapping == .rfc1459)
        #expect(support.channelTypes == ["#", "&"])
        #expect(support.prefixes == [.init(mode: "o", symbol: "@"), .init(mode: "v", symbol: "+")])
        #expect(support.statusPrefixes == [])
        #expect(support.nickLength == nil)
        #expect(support.lineLength == 512)
        #expect(support.network == nil)
        #expect(support.botMode == nil)
        #expect(support.monitorLimit == nil)
        #expect(!support.hasWHOX)
        #expect(support.modesPerCommand == 3)
        #expect(support.channelModes == nil)
        #expect(support.targetLimit(for: "PRIVMSG") == nil)
    }

    @Test func `tokens in several lines`() {
        var support = support(
            "CASEMAPPING=ascii", "CHANTYPES=#", "PREFIX=(qaohv)~&@%+", "STATUSMSG=~&@%+", "NICKLEN=30", "CHANNELLEN=64")
        support.update([
            "heybot", "TOPICLEN=390", "KICKLEN=391", "LINELEN=1024", "NETWORK=Libera.Chat", "BOT=B", "MONITOR=100",
            "WHOX",
            "MODES=4", "CHANMODES=eIbq,k,flj,CFLMPQScgimnprstuz", "are supported by this server"
        ])
        #expect(support.caseMapping == .ascii)
        #expect(support.channelTypes == ["#"])
        #expect(support.prefixes.map(\.mode) == ["q", "a", "o", "h", "v"])
        #expect(support.prefixes.map(\.symbol) == ["~", "&", "@", "%", "+"])
        #expect(support.statusPrefixes == ["~", "&", "@", "%", "+"])
        #expect(support.nickLength == 30)
        #expect(support.channelLength == 64)
        #expect(support.topicLength == 390)
        #expect(support.kickLength == 391)
        #expect(support.lineLength == 1024)
        #expect(support.network == "Libera.Chat")
        #expect(support.botMode == "B")
        #expect(support.monitorLimit == 100)
        #expect(support.hasWHOX)
        #expect(support.modesPerCommand == 4)
        #expect(support.channelModes?.lists == ["e", "I", "b", "q"])
        #expect(support.channelModes?.alwaysParameter == ["k"])
        #expect(support.channelModes?.parameterWhenSet == ["f", "l", "j"])
        #expect(support.channelModes?.noParameter == Array("CFLMPQScgimnprstuz"))
        #expect(support["NICKLEN"] == "30")
        #expect(support["WHOX"] == "")
        #expect(support["are supported by this server"] == nil)
        #expect(support["heybot"] == nil)
    }

    @Test func `a withdrawn token is as if it had never been sent`() {
        var support = support("CASEMAPPING=ascii", "CHANTYPES=", "PREFIX=", "NICKLEN=9", "STATUSMSG=@")
        #expect(support.channelTypes == [])
        #expect(support.prefixes == [])
        support.update(["heybot", "-CASEMAPPING", "-CHANTYPES", "-PREFIX", "-NICKLEN", "-STATUSMSG", "-UNKNOWN", "x y"])
        #expect(support == ISupport())
    }

    @Test func `tokens without a value`() {
        let support = support("MONITOR", "MODES", "CHANTYPES", "NETWORK", "BOT", "NICKLEN", "CHANMODES")
        #expect(support.monitorLimit == Int.max)
        #expect(support.modesPerCommand == 256)
        #expect(support.channelTypes == [])
        #expect(support.network == nil)
        #expect(support.botMode == nil)
        #expect(support.nickLength == nil)
        #expect(support.channelModes == nil)
    }

    @Test func `invalid values count as missing`() {
        let support = support(
            "", "-", "=", "=x", "--", "A B=c", "CASEMAPPING=rfc7613", "PREFIX=(ov)@", "NICKLEN=-3", "TOPICLEN=+4",
            "KICKLEN=0", "CHANNELLEN=99999999999999999999", "LINELEN=100", "MODES=x", "MONITOR=x", "CHANMODES=b,k",
            "N=" + String(repeating: "a", count: 1001))
        #expect(support.caseMapping == .rfc1459)
        #expect(support.prefixes == ISupport().prefixes)
        #expect(support.nickLength == nil)
        #expect(support.topicLength == nil)
        #expect(support.kickLength == nil)
        #expect(support.channelLength == nil)
        #expect(support.lineLength == 512)
        #expect(support.modesPerCommand == 3)
        #expect(support.monitorLimit == nil)
        #expect(support.channelModes?.alwaysParameter == ["k"])
        #expect(support.channelModes?.noParameter == [])
        #expect(support["N"] == nil)
        #expect(support["A B"] == nil)
    }

    @Test func `the number and length of tokens are limited`() {
        var support = ISupport()
        support.update(["heybot"] + (0..<10_000).map { "A\($0)=1" })
        #expect((0..<10_000).count { support["A\($0)"] != nil } == 500)
        // Known tokens can still change.
        support.update(["heybot", "A1=2", "x y"])
        #expect(support["A1"] == "2")
        support.update(["heybot", "-A1", "-A2", "LINELEN=999999999", "MODES=999999999", "-A3", "WHOX", "x y"])
        #expect(support.lineLength == 65_536)
        #expect(support.hasWHOX)
        support.update(["heybot", "-LINELEN", "-WHOX", "x y"])
        #expect(support.lineLength == 512)
        #expect(!support.hasWHOX)
    }

    @Test(arguments: [
        ("A\\x20B", "A B"), ("\\x5C\\x3d\\x5c", "\\=\\"), ("\\xC3\\xA9", "é"), ("\\xff", "\u{fffd}"), ("\\x2", "\\x2"),
        ("\\xg0", "\\xg0"), ("\\x0A\\x00\\x7f", "\\x0A\\x00\\x7f"), ("\\", "\\"), ("\\\\x20", "\\ "), ("a=b", "a=b")
    ])
    func `escapes are resolved`(_ value: String, _ text: String) {
        #expect(support("NETWORK=" + value).network == text)
    }

    @Test func `target limits`() {
        let support = support("TARGMAX=PRIVMSG:4,NOTICE:,Kick:1,JOIN:x,,:", "MAXTARGETS=20")
        #expect(support.targetLimit(for: "PRIVMSG") == 4)
        #expect(support.targetLimit(for: "privmsg") == 4)
        #expect(support.targetLimit(for: "NOTICE") == nil)
        #expect(support.targetLimit(for: "KICK") == 1)
        #expect(support.targetLimit(for: "JOIN") == nil)
        #expect(support.targetLimit(for: "WHOIS") == 20)
    }

    @Test(arguments: [
        ("#room", "#room"), ("@#room", "#room"), ("+&room", "&room"), ("@+#room", "#room"), ("##", "##"), ("room", nil),
        ("@room", nil), ("%#room", nil), ("", nil), ("@", nil), ("@@", nil), ("#\u{301}é", "#\u{301}é"),
        ("@#\u{301}é", "#\u{301}é")
    ])
    func `the channel of a target`(_ target: String, _ channel: String?) {
        let support = support("CHANTYPES=#&", "STATUSMSG=@+&")
        #expect(support.channel(of: target) == channel)
        #expect(support.isChannel(target) == (channel == target))
        // Without STATUSMSG, there is no status prefix.
        #expect(ISupport().channel(of: target) == (channel == target ? channel : nil))
    }
}
