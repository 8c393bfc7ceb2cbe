import Testing

@testable import StandardScripts

@Suite struct WordListTests {
    @Test func `comments and empty lines are left out, whatever ends a line`() {
        let text = "# a comment\none\n\ntwo # no comment\r\n#three\n  four\u{2028}fünf 🐿"
        #expect(WordLists.lines(text) == ["one", "two # no comment", "  four", "fünf 🐿"])
        #expect(WordLists.lines("") == [])
    }

    @Test(arguments: [WordLists.eightBall, WordLists.shipIt, WordLists.turned])
    func `a valid value is shown`(_ lines: [String]) {
        #expect(lines.count >= 10)
        #expect(Set(lines).count == lines.count)
        #expect(lines.allSatisfy { $0 == String(oneLine: $0, limit: 120) })
    }
}
