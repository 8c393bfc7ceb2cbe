import HeybotSupport

// How the formats of webhooks read the values of a payload.

extension JSONValue {
    /// The string, or the number as text; nil if it is empty or something else.
    var text: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .null, .bool, .array, .object: nil
        }
    }

    var isArray: Bool { if case .array = self { true } else { false } }

    var isTrue: Bool { self == .bool(true) }

    /// The first line of the text that isn't empty, made safe for chat; nil if there is none.
    func line(limit: Int = 120) -> String? {
        guard let text else { return nil }
        let start = text[...].beginning(bytes: limit * 16).drop(while: \.isWhitespace)
        let line = Webhooks.safeLine(start.prefix { !$0.isNewline }, limit: limit)
        return line.isEmpty ? nil : line
    }

    /// A link at the end of a line, with a space in front; empty if the value isn't a URL that can be shown.
    var link: String { checkedWebURL(text).map { " \($0)" } ?? "" }

    /// The names of an object's members, with those of the objects in it: `alert.id, state, targets[].name`.
    ///
    /// They are sorted, made safe for chat, and at most as many as the limit.
    func keys(limit: Int) -> [String] {
        var keys: [String] = []
        for (key, value) in members.sorted(by: { $0.key < $1.key }) where keys.count < limit {
            let name = Webhooks.safeLine(key, limit: 40)
            let isList = value.isArray
            let inner = (isList ? value.elements.first ?? .null : value).members
            if inner.isEmpty {
                keys.append(name)
            } else {
                let parts = inner.keys.sorted().prefix(limit - keys.count)
                keys += parts.map { "\(name)\(isList ? "[]" : "").\(Webhooks.safeLine($0, limit: 40))" }
            }
        }
        return keys
    }
}
