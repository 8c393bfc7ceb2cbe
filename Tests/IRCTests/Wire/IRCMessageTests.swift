import HeybotIRC
import Testing

@Suite struct IRCMessageTests {
    @Test(arguments: [
        ("PING", IRCMessage("PING", [])), ("  PING  ", IRCMessage("PING", [])), ("PING\n", IRCMessage("PING", [])),
        ("PING :\r\n", IRCMessage("PING", "")), ("PING a\r\r\n", IRCMessage("PING", "a")),
        ("001 me :Welcome", IRCMessage("001", "me", "Welcome")), ("privmsg a b", IRCMessage("privmsg", "a", "b")),
        (": PING", IRCMessage("PING", [])), ("::a PING", IRCMessage(source: ":a", "PING", [])),
        ("@ PING", IRCMessage("PING", [])), ("@;=x;a;b=c=d PING", IRCMessage(tags: ["a": "", "b": "c=d"], "PING", [])),
        ("@+draft/reply=1   :s   PING   x", IRCMessage(tags: ["+draft/reply": "1"], source: "s", "PING", "x")),
        ("M 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", IRCMessage("M", (1...16).map { "\($0)" })),
        ("M :a\rb\u{0}c\nd", IRCMessage("M", "a b c d")), ("M a\rb\u{0}", IRCMessage("M", "a", "b")),
        ("@é=ü;日=本 M ñ :日本", IRCMessage(tags: ["é": "ü", "日": "本"], "M", "ñ", "日本"))
    ])
    func `a line is parsed`(_ line: String, _ message: IRCMessage) {
        #expect(IRCMessage(line) == message)
        #expect(IRCMessage(Array(line.utf8)[...]) == message)
    }

    @Test(arguments: [
        "", "\r\n", "\n", " ", "   \r\n", ":", ":source", ":source ", "@tags", "@tags ", "@tags :source", "@ @PING",
        ":source :PING", "PI-NG", "\u{feff}PING", "ÄPING", "\u{1}", ":a\u{0}:b", "@"
    ])
    func `a line without a command isn't a message`(_ line: String) {
        #expect(IRCMessage(line) == nil)
        #expect(IRCMessage(Array(line.utf8)[...]) == nil)
    }

    @Test func `a slice is parsed from its start index`() {
        let lines = Array("PING a\r\nPONG b\r\n".utf8)
        #expect(IRCMessage(lines[8...]) == IRCMessage("PONG", "b"))
        #expect(IRCMessage(lines[..<8]) == IRCMessage("PING", "a"))
    }

    @Test func `invalid UTF-8 is decoded as Windows-1252, except in tags`() {
        let caf: [UInt8] = [0x63, 0x61, 0x66, 0xe9]
        let line = Array("@a=".utf8) + caf + Array(" :n".utf8) + caf + Array("!u@h PRIVMSG #".utf8) + caf
        let text: [UInt8] = Array(" :".utf8) + [0x80, 0x20, 0x93] + caf + [0x94, 0x81, 0xa0]
        let message = IRCMessage((line + text)[...])
        #expect(message?.tags == ["a": "caf\u{fffd}"])
        #expect(message?.source == "ncafé!u@h")
        #expect(message?.parameters == ["#café", "€ “café”\u{81}\u{a0}"])
        // The tags alone don't make it UTF-8.
        let mixed = IRCMessage((Array("@a=".utf8) + caf + Array(" M :日本é".utf8))[...])
        #expect(mixed?.parameters == ["日本é"])
        // A cut character, whose replacement would be as long as itself.
        #expect(IRCMessage((Array("M :".utf8) + [0xf0, 0x9f, 0x98])[...])?.parameters == ["ðŸ˜"])
        // Each part by itself: a channel's name may be in UTF-8, and an old client's text not.
        #expect(IRCMessage((Array("M é :".utf8) + caf)[...])?.parameters == ["é", "café"])
    }

    @Test(arguments: [
        (IRCMessage("QUIT", []), "QUIT"), (IRCMessage("QUIT", ""), "QUIT :"), (IRCMessage("M", "a", "b"), "M a b"),
        (IRCMessage("M", "a", ":b"), "M a ::b"), (IRCMessage("M", "a", "b c"), "M a :b c"),
        (IRCMessage("M", "a b", "c"), "M a_b c"), (IRCMessage("M", "", "c"), "M * c"),
        (IRCMessage("M", ":a:b", "c"), "M _a:b c"), (IRCMessage("M", " ", "\u{0}", "c"), "M _ _ c"),
        (IRCMessage("M", "a\r\nQUIT", "c"), "M a__QUIT c"), (IRCMessage("M", "a\r\nQUIT\u{0}"), "M :a  QUIT "),
        (IRCMessage("PRIV\r\nMSG x", "a"), "PRIVMSGx a"), (IRCMessage("", "a"), ""), (IRCMessage(" :@é", "a"), ""),
        (IRCMessage(tags: ["a": "b"], source: "c", "\r\n", "d"), ""),
        (IRCMessage(source: "a b\r\n\u{0}c", "M", []), ":abc M"), (IRCMessage(source: " ", "M", []), "M"),
        (IRCMessage(source: "", "M", []), "M"), (IRCMessage(source: ":a", "M", []), "::a M"),
        (IRCMessage(tags: ["b": "2", "a": "1", "c": ""], "M", []), "@a=1;b=2;c M"),
        (IRCMessage(tags: ["a b;c=d\r\n\u{0}": "1", " ": "2", "": "3"], "M", []), "@abcd=1 M"),
        (IRCMessage(tags: [";": "1"], "M", []), "M"),
        (IRCMessage(tags: ["é_": "1", "e\u{301}": ""], "M", []), "@e\u{301};é_=1 M"),
        (IRCMessage(tags: ["a": "; \\\r\n\u{0}é"], "M", []), "@a=\\:\\s\\\\\\r\\n\\sé M"),
        (IRCMessage("PRIVMSG", "#日本", "e\u{301}\r\n"), "PRIVMSG #日本 :e\u{301}  ")
    ])
    func `any message is written as one line`(_ message: IRCMessage, _ line: String) {
        #expect(message.description.utf8.elementsEqual(line.utf8), "\(message.description)")
        #expect(message.bytes == Array(line.utf8) + [13, 10])
    }
}
