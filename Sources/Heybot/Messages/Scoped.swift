/// An identifier together with the adapter it belongs to, so that two networks never mix up two people.
///
/// Written `adapter:value`, for example `irc:#swift`; coded as that one string, also where it is a dictionary's key.
/// The adapter's name never holds a colon, the value may.
public struct Scoped<Subject>: Hashable, Sendable {
    /// The name of the adapter that gave the identifier out.
    public let adapter: String
    /// The identifier as the adapter knows it: a nick, an address, a number.
    public let value: String

    /// Puts an identifier and its adapter together.
    public init(adapter: String, value: String) {
        self.adapter = adapter
        self.value = value
    }

    /// Compares bytes: `String` takes canonically equivalent texts for equal, and a service may have an account for each.
    public static func == (one: Self, other: Self) -> Bool {
        one.value.utf8.elementsEqual(other.value.utf8) && one.adapter == other.adapter
    }
}

extension Scoped: LosslessStringConvertible {
    /// Reads `adapter:value`; nil where there is no adapter in front.
    public init?(_ description: String) {
        guard let colon = description.firstIndex(of: ":"), colon != description.startIndex else { return nil }
        self.init(
            adapter: String(description[..<colon]),
            value: String(description[description.index(after: colon)...]))
    }

    public var description: String { "\(adapter):\(value)" }
}

extension Scoped: Codable, CodingKeyRepresentable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let scoped = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "expected adapter:value, found \"\(text)\"")
        }
        self = scoped
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    public init?<Key: CodingKey>(codingKey: Key) {
        self.init(codingKey.stringValue)
    }

    public var codingKey: any CodingKey { ScopedKey(stringValue: description) }
}

private struct ScopedKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
