import Testing

@testable import HeybotXMPP

@Suite struct XMLNameCacheTests {
    private func look(_ text: String, in names: inout XMLNameCache) -> [String] {
        let index = Array(text.utf8).withUnsafeBufferPointer { names.index(of: $0) }
        return [names[index].written, names[index].local, names[index].namespace]
    }

    @Test func `a cached name is split like a new one`() {
        var names = XMLNameCache()
        for _ in 0..<2 {
            #expect(look("urn:x\u{1}a", in: &names) == ["urn:x\u{1}a", "a", "urn:x"])
            #expect(look("urn:x", in: &names) == ["urn:x", "urn:x", ""])
            #expect(look("a", in: &names) == ["a", "a", ""])
            #expect(look("", in: &names) == ["", "", ""])
            #expect(look("e\u{301}", in: &names)[0].unicodeScalars.count == 2)
            #expect(look("\u{e9}", in: &names)[0].unicodeScalars.count == 1)
        }
    }

    @Test func `names beyond the capacity aren't confused`() {
        var names = XMLNameCache()
        for round in 0..<2 {
            for number in 0..<2_000 {
                // Some names recur soon, and some don't.
                let (name, namespace) = ("name\(number)", "urn:\(round):\(number % 90)")
                let written = "\(namespace)\u{1}\(name)"
                #expect(look(written, in: &names) == [written, name, namespace])
                #expect(look("body", in: &names) == ["body", "body", ""])
            }
        }
    }
}
