import Testing

@testable import Heybot

/// Promise 6: `NAME text`, `@NAME: text`, `NAME, text`, the alias likewise, and in private no name at all.
@Suite struct AddressingTests {
    let addressing = Addressing(name: "Heybot", alias: "/")

    @Test(arguments: [
        ("heybot ping", "ping"), ("Heybot: ping", "ping"), ("HEYBOT, ping", "ping"), ("@heybot ping", "ping"),
        ("@heybot: ping", "ping"), ("  heybot   ping  ", "ping"), ("heybot:ping", "ping"), ("heybot\nping", "ping"),
        ("heybot：ping", "ping"), ("heybot; ping", "ping"), ("/ping", "ping"), ("/ ping", "ping"), ("heybot", ""),
        ("heybot:", ""),
        ("heybot?", ""), ("Heybot!", ""), ("@heybot ?!", "?!"), ("heybot...", ""), ("heybot? !", ""), ("heybot！", "")
    ])
    func `is meant`(_ text: String, _ words: String) {
        #expect(addressing.words(of: text).map(String.init) == words)
    }

    @Test(arguments: [
        "ping", "heybots ping", "heybot's ping", "say heybot", "heybo ping", "", "@", "he", "heybot-ng hi", "heybot?x",
        "heybot. is down"
    ])
    func `isn't meant`(_ text: String) {
        #expect(addressing.words(of: text) == nil)
    }

    @Test func `in private the name may be said or not`() {
        #expect(addressing.privateWords(of: " ping ") == "ping")
        #expect(addressing.privateWords(of: "heybot ping") == "ping")
    }

    @Test func `the longer of two names is tried first`() {
        let addressing = Addressing(name: "bot", alias: "bot2")
        #expect(addressing.words(of: "bot2 ping") == "ping")
        #expect(Addressing(name: "Ärmel", alias: nil).words(of: "ärmel: ping") == "ping")
        #expect(Addressing(name: "R. Daneel", alias: nil).words(of: "r. daneel ping") == "ping")
    }

    @Test func `characters that count as the name's letters are looked at, wherever they stand`() {
        let addressing = Addressing(name: "Kiosk", alias: nil)
        for text in ["\u{212a}iosk ping", "kios\u{212a} ping", "\u{a0}kiosk ping", " \t@KIOSK ping", "kiosk: ping"] {
            #expect(addressing.words(of: text) == "ping", "\(text.debugDescription)")
        }
        for text in ["kios ping", "kiosks ping", "kio", "@", "", "\u{1}kiosk ping", "ki\u{301}osk ping"] {
            #expect(addressing.words(of: text) == nil, "\(text.debugDescription)")
        }
    }
}
