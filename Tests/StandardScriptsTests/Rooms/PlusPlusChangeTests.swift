import HeybotTesting
import TestServers
import Testing

@testable import StandardScripts

@Suite struct PlusPlusChangeTests {
    /// The changes in a text, as `swift+1` or `swift-1 for reason`.
    private func changes(_ text: String) -> [String] {
        PlusPlus.ScoreChange.all(in: text[...]).map { change in
            "\(change.name)\(change.points < 0 ? "" : "+")\(change.points)\(change.reason.map { " for \($0)" } ?? "")"
        }
    }

    @Test(arguments: [
        ("swift++", "swift+1"), ("yay, swift++!", "swift+1"), ("@Swift++ rocks", "swift+1"), ("swift++?", "swift+1"),
        (#""big boss"++"#, "big boss+1"), ("(big boss)--", "big boss-1"), ("“Big boss”++.", "big boss+1"),
        ("o'brien++", "o'brien+1"), ("x-ray++", "x-ray+1"), ("node.js++", "node.js+1"), ("c#++", "c#+1"),
        ("élan++", "élan+1"), ("ジョン++", "ジョン+1"), ("🍕++", "🍕+1"), ("c++++", "c+++1"), ("C++++ is nice", "c+++1"),
        ("c++--", "c++-1"),
        (#""c"++"#, "c+1"), ("swift++\nmore", "swift+1"), ("hubot: swift++", "swift+1"), ("rust--;", "rust-1"),
        ("@rust--", "rust-1"), ("a,swift++", "swift+1"), ("-swift++", "swift+1"), ("7up++", "7up+1"),
        ("swift ++", "swift+1"), ("swift --", "swift-1"), ("swift—", "swift-1"), ("ada: ++", "ada+1")
    ])
    func `an operator at the end of a name counts`(_ text: String, _ change: String) {
        #expect(changes(text) == [change])
    }

    @Test(arguments: [
        "c++", "C++", "c++ is nice", "c++, or rust?", "g++ main.cc", "i++", "i++;", "for (i = 0; i < n; i++)", "--flag",
        "git log --oneline -- file", "foo--bar", "foo++bar", "a--", "<!-- -->", "<!-- swift-->", "x = y--;", "x=foo--;",
        "well, swift ++", "use swift -- or not", "swift -- really", "swift — or so", "swift+", "swift+++", "foo---",
        "++", "--", "++swift", "a ++ b", "swift++)",
        "`swift++`",
        "...++", "()++", "\"\"++", "( )++", "\" - \"--", "f(big boss)++", "array[i]++", "foo\"++", "@++",
        "\u{202E}++", "--flag--", "2 -- 3", "swift--force"
    ])
    func `similar texts don't`(_ text: String) {
        #expect(changes(text) == [])
    }

    @Test(arguments: [
        ("swift++ for being fast", "swift+1 for being fast"), ("swift++  FOR it!!", "swift+1 for it"),
        ("swift++ because of the tests", "swift+1 for the tests"), ("swift++ because it is", "swift+1 for it is"),
        ("swift-- as slow", "swift-1 for slow"), ("swift++ thanks to ada", "swift+1 for ada"),
        ("swift++ fortune", "swift+1"), ("swift++, for it", "swift+1"), ("swift++ for ", "swift+1"),
        ("swift++ for ...", "swift+1"), ("swift++ is for it", "swift+1"), ("swift++ for a\nb", "swift+1 for a"),
        ("swift++ for \"being fast\"", "swift+1 for being fast"), ("swift++ for \u{202E}\u{7}fun", "swift+1 for fun")
    ])
    func `the reason is parsed`(_ text: String, _ change: String) {
        #expect(changes(text) == [change])
    }

    @Test func `a reason ends where the next name begins`() {
        #expect(
            changes(#"ada++ for the engine, "big boss"-- because late and @bob++"#)
                == ["ada+1 for the engine", "big boss-1 for late", "bob+1"])
    }

    @Test func `names don't reach into one another`() {
        #expect(changes(#""ada++ bob"++"#) == ["ada+1"])
        #expect(changes(#"(ada++ "bob"++ eve)++"#) == ["ada+1", "bob+1"])
    }

    @Test func `thousands of hostile texts break nothing`() {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "++", "--", "+", "-", "\"", "“", "”", "(", ")", "@", " ", "\n", "swift", "c", "é", "e\u{301}", "\u{301}",
            "🐿",
            "\u{200D}", "\u{202E}", " for ", " because of ", " and", ".", ",", "\r\n", "\u{0}", "'", "#"
        ]
        for _ in 0..<3_000 {
            let text = (0..<generator.below(24)).map { _ in generator.pick(pieces) }.joined()
            let changes = PlusPlus.ScoreChange.all(in: text[...])
            #expect(changes.count <= 5)
            for change in changes {
                #expect(1...100 ~= change.name.count && !change.name.contains(where: \.isNewline), "\(text)")
                #expect(change.reason.map { 1...100 ~= $0.count } != false, "\(text)")
            }
        }
    }

    @Test func `five are counted, and the beginning of a long message`() {
        #expect(changes("aa++ bb-- cc++ dd++ ee++ ff++") == ["aa+1", "bb-1", "cc+1", "dd+1", "ee+1"])
        #expect(changes(String(repeating: " ", count: 2_000) + "swift++") == [])
    }
}
