public import FoundationEssentials

/// The body of a request, with its media type.
public struct HTTPRequestBody: Hashable, Sendable {
    /// The bytes that are sent.
    public var bytes: [UInt8]
    /// The media type, for the header Content-Type.
    public var type: String

    /// Creates a body from bytes.
    public init(_ bytes: some Sequence<UInt8>, type: String = "application/octet-stream") {
        self.bytes = Array(bytes)
        self.type = type
    }

    /// A text body, in UTF-8.
    public static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> Self {
        Self(text.utf8, type: type)
    }

    /// A URL-encoded form, as a browser sends it.
    public static func form(_ fields: FormFields) -> Self {
        Self(fields.encoded.utf8, type: "application/x-www-form-urlencoded")
    }

    /// A JSON body.
    ///
    /// - Throws: `EncodingError` if the value can't be encoded.
    public static func json(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws -> Self {
        Self(try encoder.encode(value), type: "application/json")
    }
}
