/// Makes what servers say fit for a line of a log.
enum Words {
    /// One line of at most 300 characters, without what isn't for reading.
    static func line(_ text: some StringProtocol) -> String {
        let spaced = text.prefix(1_000).map { $0.isNewline || $0 == "\t" ? " " : $0 }
        let clean = spaced.filter { character in
            !character.unicodeScalars.contains { $0.value < 32 || (127..<160).contains($0.value) }
        }
        return String(clean.prefix(300))
    }
}
