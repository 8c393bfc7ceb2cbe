import HeybotTesting
import Testing

@testable import Heybot

/// Addressing: `NAME text`, `@NAME: text`, `NAME, text`, the same with the alias, and no name in direct messages.
@Suite struct AddressingTests {
    let addressing = Addressing(name: "Heybot", alias: "/")

    @Test(arguments: [
        ("heybot ping", "ping"), ("Heybot: ping", "ping"), ("HEYBOT, ping", "ping"), ("@heybot ping", "ping"),
        ("@heybot: ping", "ping"), ("  heybot   ping  ", "ping"), ("heybot:ping", "ping"), ("heybot\nping", "ping"),
        ("heybot：ping", "ping"), ("heybot; ping", "ping"), ("/ping", "ping"), ("/ ping", "ping"), ("heybot", ""),
        ("heybot:", ""),
        ("heybot?", ""), ("Heybot!", ""), ("@heybot ?!", "?!"), ("heybot...", ""), ("heybot? !", ""), ("heybot！", "")
    ])
    func `addresses the robot`(_ text: String, _ words: String) {
        #expect(addressing.words(of: text).map(String.init) == words)
    }

    @Test(arguments: [
        "ping", "heybots ping", "heybot's ping", "say heybot", "heybo ping", "", "@", "he", "heybot-ng hi", "heybot?x",
        "heybot. is down"
    ])
    func `doesn't address the robot`(_ text: String) {
        #expect(addressing.words(of: text) == nil)
    }

    @Test func `texts of ASCII are read by bytes as by characters`() {
        var generator = SeededGenerator(seed: 26)
        let parts = [
            "heybot", "HeyBot", "bot", "/", "@", ":", ",", ";", " ", "\t", "\r\n", "\n", "\r", "?", "!", ".", "-", "_",
            "7", "x", "\u{1}", "\u{1f}", "\u{b}", "ping", "hey"
        ]
        let addressings = [
            addressing, Addressing(name: "bot", alias: "heybot"), Addressing(name: "hey-", alias: "@"),
            Addressing(name: "7", alias: "hey bot")
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...7, using: &generator)
            let text = (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            for addressing in addressings {
                #expect(
                    addressing.words(of: text) == addressing.wordsByCharacter(of: text), "\(text.debugDescription)")
            }
        }
    }

    @Test func `what isn't ASCII hides no name`() {
        var generator = SeededGenerator(seed: 27)
        let parts = [
            "kiosk", "KIOS\u{212a}", "\u{212a}iosk", "iosk", "marvin", ";", "\u{37e}", "`", "\u{1fef}", "@", ":", "：",
            " ", "?", "x", "\u{85}", "\u{a0}",
            "\u{1680}",
            "\u{2003}", "\u{2028}", "\u{202f}", "\u{205f}", "\u{3000}", "\u{301}", "\u{200d}", "\u{130}osk", "é", "😀",
            "日", "Ｋ"
        ]
        let addressings = [
            Addressing(name: "Kiosk", alias: nil), Addressing(name: "iosk", alias: "@"),
            Addressing(name: "k", alias: "é"),
            Addressing(name: "marvin", alias: ";"), Addressing(name: "Marvin", alias: "`")
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...5, using: &generator)
            let text = (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            for addressing in addressings {
                let words = addressing.wordsByCharacter(of: text)
                #expect(addressing.words(of: text) == words, "\(text.debugDescription)")
                #expect(addressing.isAddressed(text) == (words != nil), "\(text.debugDescription)")
            }
        }
    }

    @Test func `in direct messages the name is optional`() {
        #expect(addressing.privateWords(of: " ping ") == "ping")
        #expect(addressing.privateWords(of: "heybot ping") == "ping")
    }

    @Test func `the longer of two names is tried first`() {
        let addressing = Addressing(name: "bot", alias: "bot2")
        #expect(addressing.words(of: "bot2 ping") == "ping")
        #expect(Addressing(name: "Ärmel", alias: nil).words(of: "ärmel: ping") == "ping")
        #expect(Addressing(name: "R. Daneel", alias: nil).words(of: "r. daneel ping") == "ping")
    }

    @Test func `non-ASCII characters that fold to letters of the name are recognized everywhere`() {
        let addressing = Addressing(name: "Kiosk", alias: nil)
        for text in ["\u{212a}iosk ping", "kios\u{212a} ping", "\u{a0}kiosk ping", " \t@KIOSK ping", "kiosk: ping"] {
            #expect(addressing.words(of: text) == "ping", "\(text.debugDescription)")
        }
        for text in ["kios ping", "kiosks ping", "kio", "@", "", "\u{1}kiosk ping", "ki\u{301}osk ping"] {
            #expect(addressing.words(of: text) == nil, "\(text.debugDescription)")
        }
    }
}
