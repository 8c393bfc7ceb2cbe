import Heybot

/// How a brain lies in Redis: a hash for the values on their own, and a hash for each collection.
struct Layout: Sendable {
    /// The version of this layout.
    static let version = 1

    let prefix: String

    init(_ address: RedisAddress) {
        prefix = address.prefix ?? "heybot"
    }

    /// A text with the version of the layout.
    var version: [UInt8] { Array("\(prefix):version".utf8) }

    /// The hash of a collection, or of the values on their own if it's nil.
    func hash(_ collection: String?) -> [UInt8] {
        Array((collection.map { "\(prefix):collection:\($0)" } ?? "\(prefix):values").utf8)
    }

    /// The name of the collection that a key is the hash of; nil if it's another key.
    func collection(_ key: [UInt8]) -> String? {
        let start = Array("\(prefix):collection:".utf8)
        return key.starts(with: start) ? String(decoding: key.dropFirst(start.count), as: UTF8.self) : nil
    }

    /// The pattern that the keys of all collections match, and perhaps others.
    var collections: String {
        let plain = prefix.map { "*?[]\\^".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        return "\(plain):collection:*"
    }
}
