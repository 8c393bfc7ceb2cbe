import Testing

@testable import HeybotXMPP

@Suite struct AttributesTests {
    @Test func `the order of attributes doesn't matter`() {
        let attributes: Attributes = ["a": "1", "b": "2", "\u{e9}": "3"]
        let others: Attributes = ["e\u{301}": "3", "b": "2", "a": "1"]
        #expect(attributes == others)
        #expect(attributes.hashValue == others.hashValue)
        #expect(attributes.sorted.map(\.name) == ["a", "b", "\u{e9}"])
    }

    @Test(arguments: [["a": "1"], ["a": "1", "b": "3"], ["a": "1", "c": "2"], [:]] as [Attributes])
    func `different attributes are unequal`(_ others: Attributes) {
        let attributes: Attributes = ["a": "1", "b": "2"]
        #expect(attributes != others)
        #expect(others != attributes)
    }

    @Test func `canonically equivalent names are one name`() {
        var attributes: Attributes = ["e\u{301}": "1", "a": "2", "\u{e9}": "3"]
        #expect(attributes == ["a": "2", "\u{e9}": "3"])
        #expect(attributes["e\u{301}"] == "3")
        attributes["\u{e9}"] = nil
        attributes["missing"] = nil
        #expect(attributes == ["a": "2"])
        #expect(!attributes.isEmpty)
        attributes["a"] = nil
        #expect(attributes.isEmpty)
    }

    @Test func `an ASCII name can be equivalent to another one`() {
        // U+212A is the letter K.
        let reading = ParseResult((Stream.opening + "<a x='0' \u{212a}='1' K='2'/><b K='1' \u{212a}='2'/>").utf8)
        #expect(
            reading.elements == [
                Element("a", Namespace.client, ["x": "0", "K": "2"]), Element("b", Namespace.client, ["K": "2"])
            ])
    }
}
