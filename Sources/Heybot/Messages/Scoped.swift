#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An identifier together with the adapter it belongs to, so that two networks never mix up two people.
///
/// Written `adapter:value`, for example `irc:#swift`; coded as that one string, also if it is a dictionary's key.
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
        haveSameBytes(one.value, other.value) && one.adapter == other.adapter
    }

    private static func haveSameBytes(_ one: String, _ other: String) -> Bool {
        // Byte by byte through the views takes several times as long, and each message is compared with others.
        let areSame = one.utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { other in
                guard one.count == other.count else { return false }
                guard let first = one.baseAddress, let second = other.baseAddress else { return one.isEmpty }
                return memcmp(first, second, one.count) == 0
            }
        }
        return areSame.flatMap { $0 } ?? one.utf8.elementsEqual(other.utf8)
    }
}

extension Scoped: LosslessStringConvertible {
    /// Reads `adapter:value`; nil if there is no adapter in front.
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
