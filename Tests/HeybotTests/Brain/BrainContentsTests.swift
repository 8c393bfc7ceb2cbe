import Heybot
import HeybotTesting
import Testing

@Suite struct BrainContentsTests {
    private static let motto = BrainKey<String>("motto")
    private static let scores = BrainCollection<Int>("scores")

    @Test func `any content of a brain can be inspected`() async throws {
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        #expect(try await brain.contents() == [])
        try await brain.remember(Self.motto, "Be kind")
        try await brain.remember(Self.scores, "swift", 3)
        #expect(try await brain.contents().map(\.description) == ["motto", "scores (1 entry)"])
        for number in 0..<450 { try await brain.remember(Self.scores, "n\(number)", number) }
        #expect(try await brain.contents().map(\.description) == ["motto", "scores (451 entries)"])
        #expect(try await brain.json("motto") == #""Be kind""#)
        #expect(try await brain.json("scores", "swift") == "3")
        #expect(try await brain.json("scores") == nil)
        #expect(try await brain.json("scores", "nobody") == nil)
        #expect(try await brain.keys(of: nil, atMost: 10) == ["motto"])
        #expect(try await brain.keys(of: "scores", atMost: .max).count == 451)
        #expect(try await brain.keys(of: "scores", atMost: 10).count == 10)
        #expect(try await brain.keys(of: "nothing", atMost: 10) == [])
    }
}
