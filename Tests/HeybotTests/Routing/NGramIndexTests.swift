import HeybotTesting
import Testing

@testable import Heybot

@Suite struct NGramIndexTests {
    /// Literals of few different letters share many n-grams.
    private static func text(_ count: Int, _ generator: inout SeededGenerator) -> String {
        String((0..<count).map { _ in "abcd".randomElement(using: &generator) ?? "a" })
    }

    private func found(_ text: String, in index: NGramIndex) -> Set<Int32> {
        var found: Set<Int32> = []
        FoldedText.with(text[...]) { text in index.search(text) { found.insert($0) } }
        return found
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `it finds exactly the literals that a text contains`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let index = NGramIndex()
        var pieces: [Int32: String] = [:]
        for owner in Int32(0)..<2_000 {
            let piece = Self.text(Int.random(in: 2...20, using: &generator), &generator)
            index.insert(Array(piece.utf8), of: owner)
            pieces[owner] = piece
            guard owner % 20 == 0 else { continue }
            let text = Self.text(Int.random(in: 0...60, using: &generator), &generator)
            #expect(found(text, in: index) == Set(pieces.filter { text.contains($0.value) }.keys))
        }
    }

    @Test func `a text of ASCII is folded as one that has other characters too`() {
        var generator = SeededGenerator(seed: 28)
        for length in 0..<300 {
            let text = String(
                decoding: (0..<length).map { _ in UInt8.random(in: 0..<0x80, using: &generator) }, as: UTF8.self)
            FoldedText.with(text[...]) { folded in
                FoldedText.with((text + "€")[...]) { longer in
                    #expect(folded.count == length && longer.count == length + 3)
                    #expect(folded.buffer.prefix(length).elementsEqual(longer.buffer.prefix(length)))
                    #expect(folded.bytes.union(.beyondASCII) == longer.bytes && folded.bytes != longer.bytes)
                }
            }
        }
    }

    @Test func `a literal is found at the end of a text of any length`() {
        let index = NGramIndex()
        for (owner, piece) in ["xy", "four", "seven77", "longer than any gram"].enumerated() {
            index.insert(Array(piece.utf8), of: Int32(owner))
        }
        for length in [0, 1, 7, 8, 1_000, 65_535, 65_536, 300_000] {
            let filler = String(repeating: "é", count: length / 2) + String(repeating: ".", count: length % 2)
            #expect(found(filler + "Longer Than Any Gram", in: index) == [3])
            #expect(found(filler + "XY", in: index) == [0])
            #expect(found("seven77" + filler + "four", in: index) == [1, 2])
            #expect(found(filler + "seven7", in: index) == [])
        }
    }

    @Test func `bytes after the end of a text aren't part of it`() {
        let index = NGramIndex()
        index.insert([UInt8(ascii: "a"), 0], of: 1)
        index.insert([0, 0], of: 2)
        #expect(found("a", in: index) == [])
        #expect(found("", in: index) == [])
        #expect(found("a\0", in: index) == [1])
        #expect(found("a\0\0", in: index) == [1, 2])
    }

    @Test(arguments: [UInt64(4), 5]) func `an owner with several literals is found by each`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let index = NGramIndex()
        var pieces: [Int32: [String]] = [:]
        for owner in Int32(0)..<200 {
            let count = Int.random(in: 2...5, using: &generator)
            pieces[owner] = (0..<4).map { _ in Self.text(count, &generator) }
            for piece in pieces[owner] ?? [] { index.insert(Array(piece.utf8), of: owner) }
            guard owner % 2 == 0 else { continue }
            let text = Self.text(40, &generator)
            let expected = Set(pieces.filter { $0.value.contains { text.contains($0) } }.keys)
            #expect(found(text, in: index) == expected)
        }
    }
}
