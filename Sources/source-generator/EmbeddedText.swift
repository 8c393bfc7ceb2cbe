/// Returns a Swift file with the texts of other files, as `EmbeddedText`.
func embeddedText(_ files: [SourceFile]) -> String {
    """
    /// The texts of the files that the build plugin TextEmbedding has embedded.
    enum EmbeddedText {
    \(files.map { "    static let \($0.constant) = \($0.literal)\n" }.joined())
        /// All of them, by the files' names.
        static let all: [(name: String, text: String)] = [
    \(files.map { "        (\"\($0.name)\", \($0.constant)),\n" }.joined())    ]
    }

    """
}

extension SourceFile {
    /// The name of the constant with its text.
    fileprivate var constant: String { String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" }) }

    /// Its text as a string literal.
    fileprivate var literal: String {
        guard !source.contains("\"\"\"###"), !source.contains("\\###"), !source.utf8.contains(0x0D),
            !source.utf8.contains(0)
        else { fail(path, "the file has what a string literal can't: \"\"\"###, \\###, a carriage return or NUL") }
        return "###\"\"\"\n\(source)\n\"\"\"###"
    }
}
