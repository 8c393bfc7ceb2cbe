/// The fields of a form or of a URL's query, in order; a name may occur several times.
///
/// They are encoded as `application/x-www-form-urlencoded` (WHATWG URL section 5), in UTF-8.
public struct FormFields: Hashable, Sendable {
    /// One field.
    public struct Field: Hashable, Sendable {
        /// The field's name.
        public let name: String
        /// The field's value.
        public let value: String
    }

    /// All fields, in order.
    public private(set) var fields: [Field] = []

    /// Creates an empty form.
    public init() {}

    /// Decodes fields.
    ///
    /// Invalid UTF-8 becomes U+FFFD.
    public init(encoded text: some StringProtocol) {
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let value = halves.count > 1 ? percentDecoded(halves[1], isForm: true) : ""
            add(value, for: percentDecoded(halves[0], isForm: true))
        }
    }

    /// The first value of a name.
    ///
    /// Setting it replaces all values of the name; nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            fields.removeAll { $0.name == name }
            if let newValue { add(newValue, for: name) }
        }
    }

    /// Returns all values of a name, in order.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// Appends a field.
    public mutating func add(_ value: String, for name: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }

    /// The encoded fields, `name=value&…`.
    public var encoded: String {
        fields.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }.joined(separator: "&")
    }
}

extension FormFields: ExpressibleByDictionaryLiteral {
    /// Creates fields from a dictionary literal, in its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0, value: $1) }
    }
}
