import FoundationEssentials

/// Base64 as strict as SCRAM wants it: no line breaks, nothing missing at the end (RFC 5802 section 5.1).
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }

    /// Nil where it's empty, or not what ``encode(_:)`` would have written.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard !text.isEmpty, let data = Data(base64Encoded: Data(text)) else { return nil }
        let bytes = Array(data)
        // Foundation lets bits pass that stand for nothing.
        return encode(bytes).utf8.elementsEqual(text) ? bytes : nil
    }
}
