import HeybotSupport
import Testing

@Suite struct SlipsTests {
    @Test(
        arguments: [
            ("", "", 0), ("a", "", 1), ("lunch", "lunch", 0), ("lnch", "lunch", 1), ("luunch", "lunch", 1),
            ("lunsh", "lunch", 1), ("lucnh", "lunch", 1), ("ulncch", "lunch", 2), ("lunhc", "lunches", 3),
            ("grüße", "grusse", 3), ("weahter im", "weather in", 2), ("abc", "xyz", 3)
        ] as [(String, String, Int)])
    func `each letter that is missing, added, wrong or swapped is one`(_ one: String, _ other: String, _ slips: Int) {
        #expect(one.slips(from: other, atMost: 5) == slips)
        #expect(other.slips(from: one, atMost: slips) == slips)
        #expect(slips == 0 || one.slips(from: other, atMost: slips - 1) == nil)
    }
}
