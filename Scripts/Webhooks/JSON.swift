extension Webhooks {
    /// A JSON value of a payload, read leniently: a missing value, or one of another type, is ``null``.
    enum JSON: Hashable, Sendable {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case array([JSON])
        case object([String: JSON])

        /// The value of a field.
        subscript(key: String) -> JSON { fields[key] ?? .null }

        /// The fields of an object; empty if it is something else.
        var fields: [String: JSON] { if case .object(let fields) = self { fields } else { [:] } }

        /// The items of an array; empty if it is something else.
        var items: [JSON] { if case .array(let items) = self { items } else { [] } }

        var isArray: Bool { if case .array = self { true } else { false } }

        var isString: Bool { if case .string = self { true } else { false } }

        var isTrue: Bool { self == .bool(true) }

        /// The string, or the number as text; nil if it is empty or something else.
        var text: String? {
            switch self {
            case .string(let text): text.isEmpty ? nil : text
            case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
            case .null, .bool, .array, .object: nil
            }
        }

        /// The number as a whole one; nil if it is something else.
        var count: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }

        /// The first line of the text that isn't empty, made safe for chat; nil if there is none.
        func line(limit: Int = 120) -> String? {
            guard let text else { return nil }
            let start = text[...].beginning(bytes: limit * 16).drop(while: \.isWhitespace)
            let line = Webhooks.safeLine(start.prefix { !$0.isNewline }, limit: limit)
            return line.isEmpty ? nil : line
        }

        /// A link at the end of a line, with a space in front; empty if the value isn't a URL that can be shown.
        var link: String { checkedWebURL(text).map { " \($0)" } ?? "" }

        /// The names of an object's fields, with those of the objects in it: `alert.id, state, targets[].name`.
        ///
        /// They are sorted, made safe for chat, and at most as many as the limit.
        func keys(limit: Int) -> [String] {
            var keys: [String] = []
            for (key, value) in fields.sorted(by: { $0.key < $1.key }) where keys.count < limit {
                let name = Webhooks.safeLine(key, limit: 40)
                let isList = value.isArray
                let inner = isList ? value.items.first?.fields ?? [:] : value.fields
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
}
