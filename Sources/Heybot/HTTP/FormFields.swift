/// Names with values, as the query of a URL or a form has them, in their order; a name may be there several times.
///
/// Written and read as `application/x-www-form-urlencoded` (WHATWG URL section 5), in UTF-8.
public struct FormFields: Hashable, Sendable {
    /// One of them.
    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: String
    }

    /// All of them, in their order.
    public private(set) var fields: [Field] = []

    /// No fields.
    public init() {}

    /// Reads them; what is no valid UTF-8 is mended with U+FFFD.
    public init(encoded text: some StringProtocol) {
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let value = halves.count > 1 ? percentDecoded(halves[1], isForm: true) : ""
            add(value, for: percentDecoded(halves[0], isForm: true))
        }
    }

    /// The first value of that name; setting it puts one in place of all there are, nil takes them away.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            fields.removeAll { $0.name == name }
            if let newValue { add(newValue, for: name) }
        }
    }

    /// Every value of that name, in their order.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// Adds one after those there are.
    public mutating func add(_ value: String, for name: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Whether there are none.
    public var isEmpty: Bool { fields.isEmpty }

    /// As they are sent, `name=value&…`.
    public var encoded: String {
        fields.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }.joined(separator: "&")
    }
}

extension FormFields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0, value: $1) }
    }
}

/// A text as it can stand in a part of a URL's path or query: every byte of its UTF-8 but letters, digits and `-._~`
/// as `%XX` (RFC 3986 section 2).
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

/// What was percent-encoded; a `%` that begins nothing stands for itself.
func percentDecoded(_ text: some Sequence<UInt8>, isForm: Bool = false) -> String {
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
