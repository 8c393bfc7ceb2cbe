import Heybot

/// The layout of a brain in Redis: a hash for single values, a hash for each collection, and a sorted set for the times of each
/// collection of timers.
struct KeySchema: Sendable {
    /// The schema version.
    static let version = 1

    let prefix: String

    init(_ address: RedisAddress) {
        prefix = address.prefix ?? "heybot"
    }

    /// The key of the schema version.
    var version: [UInt8] { Array("\(prefix):version".utf8) }

    /// Returns the key of a collection's hash; nil stands for the single values.
    func hash(_ collection: String?) -> [UInt8] {
        Array((collection.map { "\(prefix):collection:\($0)" } ?? "\(prefix):values").utf8)
    }

    /// Returns the key of the sorted set with the times at which a collection's entries are due.
    func due(_ collection: String) -> [UInt8] { Array("\(prefix):due:\(collection)".utf8) }

    /// Returns the name of the collection that a key belongs to; nil if it is another key.
    func collection(_ key: [UInt8]) -> String? {
        let start = Array("\(prefix):collection:".utf8)
        return key.starts(with: start) ? String(decoding: key.dropFirst(start.count), as: UTF8.self) : nil
    }

    /// A pattern that matches the keys of all collections, and perhaps other keys.
    var collections: String {
        let plain = prefix.map { "*?[]\\^".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        return "\(plain):collection:*"
    }
}
