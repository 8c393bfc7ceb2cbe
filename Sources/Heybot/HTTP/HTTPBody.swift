public import FoundationEssentials

/// What a request carries: bytes, and what they are.
public struct HTTPBody: Hashable, Sendable {
    /// The bytes as they are sent.
    public var bytes: [UInt8]
    /// What they are, as the header Content-Type says it.
    public var type: String

    /// Takes bytes of that type.
    public init(_ bytes: some Sequence<UInt8>, type: String = "application/octet-stream") {
        self.bytes = Array(bytes)
        self.type = type
    }

    /// A text, in UTF-8.
    public static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> Self {
        Self(text.utf8, type: type)
    }

    /// A form's fields, as a browser sends them.
    public static func form(_ fields: FormFields) -> Self {
        Self(fields.encoded.utf8, type: "application/x-www-form-urlencoded")
    }

    /// A value as JSON.
    ///
    /// - Throws: `EncodingError` if it can't be.
    public static func json(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws -> Self {
        Self(try encoder.encode(value), type: "application/json")
    }
}
