extension GitHub {
    /// The first line of a text, made safe for chat.
    struct FirstLine: Decodable, Sendable, CustomStringConvertible {
        let description: String

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            let line = text.drop(while: \.isWhitespace).prefix { !$0.isNewline }
            let title = String(oneLine: line, limit: 120)
            description = title.isEmpty ? "(untitled)" : title
        }
    }
}
