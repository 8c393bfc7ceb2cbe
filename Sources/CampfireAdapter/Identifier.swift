/// What tells rooms, people and messages of a Campfire apart: a number as a rule, in JSON also as text.
struct Identifier: Hashable, Sendable {
    let text: String
    var isNumber: Bool { text.utf8.allSatisfy { 48...57 ~= $0 } }

    /// Takes 1 to 64 letters, digits, hyphens and underscores; nil for all else, which has no place in a path.
    init?(_ text: String) {
        guard text.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else { return nil }
        self.text = text
    }
}

extension Identifier: Comparable {
    /// By number: newer messages have higher ones.
    static func < (one: Self, other: Self) -> Bool {
        (one.text.utf8.count, one.text) < (other.text.utf8.count, other.text)
    }
}

extension Identifier: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try (try? container.decode(Int64.self)).map { "\($0)" } ?? container.decode(String.self)
        guard let identifier = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this can't be an id")
        }
        self = identifier
    }
}
