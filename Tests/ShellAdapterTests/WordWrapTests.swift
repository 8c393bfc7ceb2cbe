import Testing

@testable import ShellAdapter

@Suite struct WordWrapTests {
    @Test(arguments: [
        ("short", "short"), ("", ""), ("one two three four five six", "one two three four\n  five six"),
        ("exactly twenty-one cols", "exactly twenty-one\n  cols"),
        ("x\none two three four five six\ny", "x\none two three four\n  five six\ny"),
        ("    let code = that.goes(on, and, on)", "    let code = that.goes(on, and, on)"),
        ("a\ttable has its own columns", "a\ttable has its own columns"),
        ("see https://example.org/a/long/address now", "see\n  https://example.org/a/long/address\n  now"),
        ("日本語 日本語 日本語 日本語", "日本語 日本語 日本語\n  日本語"),
        ("two  spaces  stay  where  they  are", "two  spaces  stay\n  where  they  are")
    ])
    func `lines are broken between words`(_ text: String, _ wrapped: String) {
        #expect(WordWrap.text(text, columns: 21) == wrapped)
    }

    @Test func `very narrow terminals aren't wrapped`() {
        #expect(WordWrap.text("one two three four five six", columns: 20) == "one two three four five six")
    }
}
