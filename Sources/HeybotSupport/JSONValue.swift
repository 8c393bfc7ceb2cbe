/// A JSON value whose structure isn't known in advance.
///
/// When JSON is read, each number that an `Int` can hold is an ``integer(_:)``, so that equal numbers are equal values.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The member of an object; null if there is none, or if the value isn't an object.
    package subscript(name: String) -> JSONValue { members[name] ?? .null }

    /// The members of an object; empty if the value isn't an object.
    package var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }

    /// The elements of an array; empty if the value isn't an array.
    package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    /// The string; nil if the value isn't a string.
    package var stringValue: String? { if case .string(let text) = self { text } else { nil } }

    /// The whole number; nil if the value isn't a whole number that an `Int` can hold.
    package var integerValue: Int? { if case .integer(let number) = self { number } else { nil } }

    /// About how many bytes it takes.
    package var approximateSize: Int {
        switch self {
        case .null, .bool, .integer, .number: 16
        case .string(let text): 16 + text.utf8.count
        case .array(let elements): elements.reduce(16) { $0 + $1.approximateSize }
        case .object(let members): members.reduce(16) { $0 + $1.key.utf8.count + $1.value.approximateSize }
        }
    }
}

extension JSONValue: Codable {
    /// Decodes a value; `JSONDecoder` refuses more than 512 levels of nested arrays and objects.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
