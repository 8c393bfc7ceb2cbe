#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An id together with the adapter it belongs to, so that users of two networks are never confused.
///
/// It is written and encoded as one string, `adapter:value`, for example `irc:#swift`, also as a dictionary's key. The
/// adapter's name contains no colon; the value may.
public struct ScopedID<Subject>: Hashable, Sendable {
    /// The name of the adapter.
    public let adapter: String
    /// The id within the adapter: a nick, an address, a number.
    public let value: String

    /// Creates an id of an adapter.
    public init(adapter: String, value: String) {
        self.adapter = adapter
        self.value = value
    }

    /// Compares bytes: `String` treats canonically equivalent texts as equal, but on a service they may be two accounts.
    public static func == (one: Self, other: Self) -> Bool {
        haveSameBytes(one.value, other.value) && one.adapter == other.adapter
    }

    /// Hashes the bytes of the value only: nearly all ids are of the same adapter.
    public func hash(into hasher: inout Hasher) {
        let isHashed: Void? = value.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isHashed == nil { for byte in value.utf8 { hasher.combine(byte) } }
        // No byte of UTF-8, so that two ids in a row aren't hashed like two others.
        hasher.combine(0xff as UInt8)
    }

    private static func haveSameBytes(_ one: String, _ other: String) -> Bool {
        // Comparing the views byte by byte takes several times as long, and ids are compared for every message.
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

extension ScopedID: LosslessStringConvertible {
    /// Parses `adapter:value`; nil if there is no adapter.
    public init?(_ description: String) {
        let bytes = description.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon != bytes.startIndex else { return nil }
        self.init(
            adapter: String(description[..<colon]), value: String(description[bytes.index(after: colon)...]))
    }

    public var description: String { "\(adapter):\(value)" }
}

extension ScopedID: Codable, CodingKeyRepresentable {
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

    /// Creates an id from a dictionary's key, `adapter:value`.
    public init?<Key: CodingKey>(codingKey: Key) {
        self.init(codingKey.stringValue)
    }

    /// The id as a dictionary's key, `adapter:value`.
    public var codingKey: any CodingKey { DictionaryCodingKey(stringValue: description) }
}

private struct DictionaryCodingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
