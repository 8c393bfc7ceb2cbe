/// Words that a text may have in it, ASCII letters in either case.
package struct WantedWords: Sendable {
    let folded: [UInt8]

    package init(_ words: String) { folded = Folding.step2(Folding.step1(words.utf8)) }

    /// Whether a text has them.
    package func are(in text: String) -> Bool {
        PieceLists.contains(Folding.step2(Folding.step1(text.utf8)), folded)
    }
}
