/// The header fields of a request or a response, in order (RFC 9110 section 5).
///
/// Names are case-insensitive. An invalid field isn't added, so that no name or value can inject a line: names are tokens,
/// and values contain no CR, LF or NUL.
public struct HTTPHeaders: Sendable {
    /// One header field.
    public struct Field: Hashable, Sendable {
        /// The field's name.
        public let name: String
        /// The field's value.
        public let value: String
    }

    /// All fields, in order.
    public private(set) var fields: [Field] = []

    /// Creates an empty header.
    public init() {}

    /// The value of a field.
    ///
    /// The values of a field that occurs several times are joined with commas.
    ///
    /// Setting it replaces all values of the field; nil removes them.
    public subscript(name: String) -> String? {
        get {
            let values = values(of: name)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { add(newValue, for: name) }
        }
    }

    /// Returns all values of a field, in order.
    public func values(of name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Appends a field, if it is valid.
    ///
    /// - Returns: Whether the field is valid.
    @discardableResult
    public mutating func add(_ value: String, for name: String) -> Bool {
        guard Self.isToken(name), Self.isValue(value) else { return false }
        fields.append(Field(name: name, value: value))
        return true
    }

    /// Adds fields, replacing those of the same names.
    public mutating func set(_ others: HTTPHeaders) {
        for field in others.fields { self[field.name] = nil }
        fields += others.fields
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { folded($0) == folded($1) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Whether a text is a token (RFC 9110 section 5.6.2).
    static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default:
                    "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func isValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates fields from a dictionary literal, in its order, without invalid ones.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(value, for: name) }
    }
}

extension HTTPHeaders: Hashable {
    /// Whether both have the same fields with the same values in the same order.
    public static func == (one: HTTPHeaders, other: HTTPHeaders) -> Bool {
        one.fields.count == other.fields.count
            && zip(one.fields, other.fields).allSatisfy { isSame($0.name, $1.name) && $0.value == $1.value }
    }

    public func hash(into hasher: inout Hasher) {
        for field in fields {
            for byte in field.name.utf8 { hasher.combine(Self.folded(byte)) }
            hasher.combine(field.value)
        }
    }
}
