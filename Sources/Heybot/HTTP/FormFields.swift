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

/// Percent-encodes a text for use in a URL's path or query: every UTF-8 byte except letters, digits and `-._~` becomes
/// `%XX` (RFC 3986 section 2).
public func percentEncoded(_ text: some StringProtocol) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            bytes.append(byte)
        default:
            bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// Percent-decodes a text.
///
/// A `%` without two hexadecimal digits is kept.
package func percentDecoded(_ text: some Sequence<UInt8>, isForm: Bool = false) -> String {
    func digit(_ byte: UInt8) -> UInt8? { Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init) }
    let bytes = Array(text)
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
        let byte = bytes[index]
        if byte == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
            let low = digit(bytes[index + 2])
        {
            decoded.append(high << 4 | low)
            index += 3
        } else {
            decoded.append(isForm && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            index += 1
        }
    }
    return String(decoding: decoded, as: UTF8.self)
}
