import FoundationEssentials

/// The attributes of a server's message, one after another: each a letter, `=` and a value (RFC 5802 section 5.1).
///
/// A message that reports an error, or that wants an extension this module doesn't know, is refused as a whole.
/// Other attributes at the end are let pass, as the RFC wants it.
struct Attributes {
    private var rest: ArraySlice<(name: UInt8, value: ArraySlice<UInt8>)>

    init(_ message: [UInt8]) throws(LoginError) {
        guard !message.contains(0), String(validating: message, as: UTF8.self) != nil else {
            throw .badChallenge("it isn't text")
        }
        var attributes: [(name: UInt8, value: ArraySlice<UInt8>)] = []
        for part in message.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard part.count > 2, let name = part.first, (0x41...0x5a).contains(name & 0xdf),
                part.dropFirst().first == UInt8(ascii: "=")
            else { throw .badChallenge("it isn't made of attributes") }
            attributes.append((name, part.dropFirst(2)))
        }
        if let first = attributes.first, first.name == UInt8(ascii: "e") {
            throw Self.reported(first.value)
        }
        if attributes.contains(where: { $0.name == UInt8(ascii: "m") }) {
            throw .badChallenge("it wants an extension that nobody knows")
        }
        rest = attributes[...]
    }

    /// The value of the attribute that comes next, which has to be this one.
    mutating func next(_ name: Unicode.Scalar, _ meaning: String) throws(LoginError) -> ArraySlice<UInt8> {
        guard let attribute = rest.popFirst(), attribute.name == UInt8(ascii: name) else {
            throw .badChallenge("\(meaning) is missing, or not in its place")
        }
        return attribute.value
    }

    /// The server's word is for logs and people: it's short, and has nothing in it that could do harm there.
    private static func reported(_ name: ArraySlice<UInt8>) -> LoginError {
        guard name.count <= 64, name.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return .badChallenge("it reports an error without a name")
        }
        return .serverError(String(decoding: name, as: UTF8.self))
    }
}

/// Base64 as strict as SCRAM wants it: no line breaks, nothing missing at the end (RFC 5802 section 5.1).
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }

    /// Nil if it's empty, or not what ``encode(_:)`` would have written.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard !text.isEmpty, let data = Data(base64Encoded: Data(text)) else { return nil }
        let bytes = Array(data)
        // Foundation lets bits pass that stand for nothing.
        return encode(bytes).utf8.elementsEqual(text) ? bytes : nil
    }
}
