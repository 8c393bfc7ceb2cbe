/// The text of an answer in the form in which it is compared: in lower case, with single spaces.
struct AnswerText {
    /// The maximum length of an answer that is read as a value, in bytes.
    static let longest = 500

    /// The whole text.
    let whole: String
    /// The text without punctuation around it: `2`, for `(2)` and for `#2!`.
    let plain: String

    private static let opening: Set<Character> = ["(", "[", "#", "\"", "'"]
    private static let closing: Set<Character> = [".", ",", ";", ":", "!", "?", ")", "]", "\"", "'"]

    init(_ text: String) {
        // A keycap emoji is a digit with two further scalars.
        let scalars: String.UnicodeScalarView = text.unicodeScalars.filter { $0 != "\u{FE0F}" && $0 != "\u{20E3}" }
        whole = String(scalars).lowercased().split { $0.isWhitespace }.joined(separator: " ")
        var rest = Substring(whole)
        while let last = rest.last, Self.closing.contains(last) { rest.removeLast() }
        plain = String(rest.drop { Self.opening.contains($0) })
    }

    /// The number that the text is; nil if it is none.
    var number: Int? { Int(plain) }
}
