/// A decoded JSON value.
enum DecodedJSONValue: Decodable, Sendable, CustomStringConvertible {
    case null
    case bool(Bool)
    /// The number's usual text.
    case number(String)
    case text(String)
    case array([DecodedJSONValue])
    case object([String: DecodedJSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Int.self) {
            self = .number("\(number)")
        } else if let number = try? container.decode(Double.self) {
            self = .number("\(number)")
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let values = try? container.decode([DecodedJSONValue].self) {
            self = .array(values)
        } else {
            self = .object(try container.decode([String: DecodedJSONValue].self))
        }
    }

    var description: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let text): text
        case .text(let text): "\"\(text)\""
        case .array: "an array"
        case .object: "an object"
        }
    }
}
