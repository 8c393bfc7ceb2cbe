import FoundationEssentials

/// Parses the attributes of a server's message in order: each is a letter, `=` and a value (RFC 5802 section 5.1).
///
/// A message that reports an error or requires an unknown extension is rejected. Other attributes at the end are ignored, as the
/// RFC demands.
struct SCRAMAttributes {
    private var rest: ArraySlice<(name: UInt8, value: ArraySlice<UInt8>)>

    init(_ message: [UInt8]) throws(SASLError) {
        guard !message.contains(0), String(validating: message, as: UTF8.self) != nil else {
            throw .badChallenge("its message isn't text")
        }
        var attributes: [(name: UInt8, value: ArraySlice<UInt8>)] = []
        for part in message.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard part.count > 2, let name = part.first, (0x41...0x5a).contains(name & 0xdf),
                part.dropFirst().first == UInt8(ascii: "=")
            else { throw .badChallenge("its message isn't a list of attributes") }
            attributes.append((name, part.dropFirst(2)))
        }
        if let first = attributes.first, first.name == UInt8(ascii: "e") {
            throw Self.reported(first.value)
        }
        if attributes.contains(where: { $0.name == UInt8(ascii: "m") }) {
            throw .badChallenge("it requires an unknown extension")
        }
        rest = attributes[...]
    }

    /// Returns the value of the next attribute, which must have that name.
    mutating func next(_ name: Unicode.Scalar, _ meaning: String) throws(SASLError) -> ArraySlice<UInt8> {
        guard let attribute = rest.popFirst(), attribute.name == UInt8(ascii: name) else {
            throw .badChallenge("\(meaning) is missing or misplaced")
        }
        return attribute.value
    }

    /// Returns the value of the first of the remaining attributes with that name; nil if there is none.
    func first(_ name: Unicode.Scalar) -> ArraySlice<UInt8>? {
        rest.first { $0.name == UInt8(ascii: name) }?.value
    }

    /// The error value goes into logs, so it is limited to short printable ASCII.
    private static func reported(_ name: ArraySlice<UInt8>) -> SASLError {
        guard name.count <= 64, name.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return .badChallenge("it reports an error without a name")
        }
        return .serverError(String(decoding: name, as: UTF8.self))
    }
}

/// Strict Base64: no line breaks, no missing padding (RFC 5802 section 5.1).
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }

    /// Decodes a text; nil if it is empty, or not what ``encode(_:)`` returns.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard !text.isEmpty, let data = Data(base64Encoded: Data(text)) else { return nil }
        let bytes = Array(data)
        // Foundation accepts unused bits that aren't zero.
        return encode(bytes).utf8.elementsEqual(text) ? bytes : nil
    }
}
