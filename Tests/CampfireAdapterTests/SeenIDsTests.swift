import Testing

@testable import CampfireAdapter

@Suite struct SeenIDsTests {
    private func isNew(_ id: String, _ seen: inout SeenIDs) -> Bool { seen.insert(id) }

    @Test func `an id is new once`() {
        var seen = SeenIDs()
        #expect(isNew("1", &seen))
        #expect(!isNew("1", &seen))
        #expect(isNew("2", &seen))
    }

    @Test func `the oldest are forgotten, one for each new one`() {
        var seen = SeenIDs(limit: 3)
        for id in ["1", "2", "3", "4"] { #expect(isNew(id, &seen)) }
        for id in ["2", "3", "4"] { #expect(!isNew(id, &seen)) }
        #expect(isNew("1", &seen))
        #expect(isNew("2", &seen))
        #expect(!isNew("4", &seen))
    }

    @Test func `a thousand are kept, also after many`() {
        var seen = SeenIDs()
        for number in 1...5_000 { #expect(isNew("\(number)", &seen)) }
        for number in 4_001...5_000 { #expect(!isNew("\(number)", &seen)) }
        #expect(isNew("4000", &seen))
    }
}
