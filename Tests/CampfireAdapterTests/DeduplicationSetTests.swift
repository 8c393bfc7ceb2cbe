import Testing

@testable import CampfireAdapter

@Suite struct DeduplicationSetTests {
    private func isNew(_ id: String, _ seen: inout DeduplicationSet) -> Bool { seen.insert(id) }

    @Test func `an id is new only once`() {
        var seen = DeduplicationSet()
        #expect(isNew("1", &seen))
        #expect(!isNew("1", &seen))
        #expect(isNew("2", &seen))
    }

    @Test func `each new id replaces the oldest`() {
        var seen = DeduplicationSet(limit: 3)
        for id in ["1", "2", "3", "4"] { #expect(isNew(id, &seen)) }
        for id in ["2", "3", "4"] { #expect(!isNew(id, &seen)) }
        #expect(isNew("1", &seen))
        #expect(isNew("2", &seen))
        #expect(!isNew("4", &seen))
    }

    @Test func `a thousand ids are kept`() {
        var seen = DeduplicationSet()
        for number in 1...5_000 { #expect(isNew("\(number)", &seen)) }
        for number in 4_001...5_000 { #expect(!isNew("\(number)", &seen)) }
        #expect(isNew("4000", &seen))
    }
}
