import Testing

@testable import StandardScripts

/// The commands that a query finds, and the parts of the page that are hidden.
@Suite struct HelpPageSearchTests {
    private static let disable = HelpPage.Command(
        usage: "disable <script> in <room>", purpose: "Switch it off there", example: "disable Rules in #dev")

    @Test(arguments: [
        "", " \t\u{3000} ", "disable", "DIS", "dis scr", "scr dis", "<script>", "<sc", "room", "switches", "sw off",
        ">",
        "> in", "dis\u{2003}room"
    ])
    func `a command is found by the beginnings of words`(_ query: String) {
        #expect(finds(query, Self.disable, in: "Switches"))
    }

    @Test(arguments: [
        "able", "isable", "disables", "dis xyz", "witch", "rules", "#dev", "room>x", "in<room", "therer",
        "there sswitches"
    ])
    func `anything else isn't found`(_ query: String) {
        #expect(!finds(query, Self.disable, in: "Switches"))
    }

    @Test func `a word is in one of the three, not across them`() {
        let command = HelpPage.Command(usage: "a", purpose: "b")
        #expect(finds("a b c", command, in: "c"))
        #expect(!finds("ab", command, in: "c"))
        #expect(!finds("bc", command, in: "c"))
    }

    @Test(
        arguments: [
            // Symbols begin words.
            ("<name>++", "++", true), ("<name>++", "+", true), ("c++", "c++", true), ("deploy!", "!", true),
            ("#dev", "dev", true), ("#dev", "#d", true), ("a#dev", "#dev", true), ("foo_bar-baz", "bar", true),
            ("foo_bar-baz", "baz", true), ("don't", "t", true), ("web12", "12", false), ("web-12", "12", true),
            // Case.
            ("Größe", "grösse", true), ("GRÖSSE", "größe", true), ("ΟΔΟΣ", "οδος", true), ("οδός", "ΟΔΌΣ", true),
            ("İstanbul", "i\u{307}st", true), ("ｄｅｐｌｏｙ", "ＤＥＰ", true), ("Ǆ", "ǆ", true),
            // Accents count, and go on with a word.
            ("été", "ete", false), ("été", "t", false), ("e\u{301}te\u{301}", "t", false),
            ("e\u{301}te\u{301}", "e", true), ("été", "e\u{301}te\u{301}", false),
            // Scripts without case and without spaces.
            ("思い出させて", "出", true), ("Swift言語", "言語", true), ("言語Swift", "swift", true),
            ("言語Swift", "wift", false), ("التذكير", "تذكير", true), ("ขอความช่วยเหลือ", "ช่วย", true),
            ("思い出させて", "思出", false), ("é", "é e\u{301}", false), ("é", "é É é", true)
        ] as [(String, String, Bool)])
    func `words begin after characters that aren't in words`(_ usage: String, _ query: String, _ isFound: Bool) {
        #expect(finds(query, HelpPage.Command(usage: usage), in: "") == isFound)
    }

    private func finds(_ query: String, _ command: HelpPage.Command, in section: String) -> Bool {
        HelpPage.Search(query).finds(command, in: HelpPage.Section(name: section, commands: [command]))
    }

    private static let sections = [
        HelpPage.Section("Help", "help", "help <words>"), HelpPage.Section("Rules", "the rules"),
        HelpPage.Section("Deploy", "deploy <app>", "what helps", "wcid")
    ]

    private func document(_ query: String, _ sections: [HelpPage.Section] = sections) throws -> Document {
        try Document(HelpPage(robotName: "marvin", sections: sections, query: query, nonce: "n"))
    }

    @Test func `other commands are hidden, with their section and its link`() throws {
        let document = try document("he")
        #expect(document.isHidden("section") == [false, true, false])
        // The links, then the commands.
        #expect(document.isHidden("li") == [false, true, false] + [false, false, true, true, false, true])
        #expect(document.texts(in: "p", "role", "status") == ["3 of 6 commands"])
        #expect(document.values(of: "value", in: "input") == ["he"])
        #expect(
            document.tokens.contains(
                .start("p", [.init(name: "class", value: "none"), .init(name: "hidden", value: "")])))
    }

    @Test func `an empty query shows everything`() throws {
        let document = try document(" ")
        #expect(!document.isHidden("section").contains(true))
        #expect(!document.isHidden("li").contains(true))
        #expect(document.texts(in: "p", "role", "status") == ["6 commands"])
        #expect(try self.document("", [HelpPage.Section("a", "b")]).texts(in: "p", "role", "status") == ["1 command"])
        #expect(
            try self.document("b", [HelpPage.Section("a", "b")]).texts(in: "p", "role", "status") == ["1 of 1 command"])
    }

    @Test func `if nothing is found, a sentence says so`() throws {
        let document = try document("help deploy nonsense")
        #expect(!document.isHidden("section").contains(false))
        #expect(document.texts(in: "p", "role", "status") == ["0 of 6 commands"])
        #expect(document.tokens.contains(.start("p", [.init(name: "class", value: "none")])))
    }

    @Test func `the search covers exactly what is shown`() throws {
        let sections = [HelpPage.Section("a", "x\u{0}y", "x\u{202e}y")]
        #expect(try document("x\u{2400}y", sections).isHidden("li") == [false, true])
        #expect(try document("x\u{0}y", sections).isHidden("li") == [false, true])
        #expect(try document("\u{fffd}", sections).isHidden("li") == [true, false])
    }
}
