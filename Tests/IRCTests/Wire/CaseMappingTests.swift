import HeybotIRC
import Testing

@Suite struct CaseMappingTests {
    @Test(arguments: [
        (CaseMapping.ascii, "#Chan[]\\^{}|~Ä", "#chan[]\\^{}|~Ä"), (.rfc1459, "#Chan[]\\^{}|~Ä", "#chan{}|~{}|~Ä"),
        (.strictRFC1459, "#Chan[]\\^{}|~Ä", "#chan{}|^{}|~Ä"), (.rfc1459, "@Z`_az", "@z`_az"), (.ascii, "", "")
    ])
    func `names are folded`(_ mapping: CaseMapping, _ text: String, _ folded: String) {
        #expect(mapping.fold(text) == folded)
        #expect(mapping.fold(folded) == folded)
        #expect(mapping.areSame(text, folded))
    }

    @Test(arguments: [
        (CaseMapping.ascii, "nick[a]", "NICK{A}", false), (.rfc1459, "nick[a]", "NICK{A}", true),
        (.strictRFC1459, "nick[a]", "NICK{A}", true), (.rfc1459, "a^", "A~", true), (.strictRFC1459, "a^", "A~", false),
        (.ascii, "a", "ab", false), (.rfc1459, "ä", "Ä", false), (.rfc1459, "@", "`", false),
        // Servers compare bytes.
        (.rfc1459, "é", "e\u{301}", false)
    ])
    func `names are compared`(_ mapping: CaseMapping, _ one: String, _ other: String, _ areSame: Bool) {
        #expect(mapping.areSame(one, other) == areSame)
        #expect(mapping.areSame(other, one) == areSame)
    }

    @Test func `mappings have names`() {
        #expect(CaseMapping(name: "ascii") == .ascii)
        #expect(CaseMapping(name: "rfc1459") == .rfc1459)
        #expect(CaseMapping(name: "rfc1459-strict") == .strictRFC1459)
        #expect(CaseMapping(name: "strict-rfc1459") == .strictRFC1459)
        #expect(CaseMapping(name: "rfc7613") == nil)
        #expect(CaseMapping(name: "") == nil)
    }
}
