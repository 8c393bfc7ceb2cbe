/// A cache of recurring names and addresses, each of which becomes a string only once.
///
/// So a thousand elements share the string of their namespace, however long it is.
struct XMLNameCache {
    /// A name of an element or attribute, or an address.
    struct Entry {
        fileprivate let hash: UInt64
        /// As Expat writes it: after its namespace and a separator, if it has one.
        let written: String
        /// The name without its namespace.
        let local: String
        /// The namespace; empty if there is none.
        let namespace: String
        /// Whether the values of attributes with this name are addresses.
        let isOfAddresses: Bool
        /// Whether equality of bytes is equality in Unicode.
        let isASCII: Bool

        fileprivate init(hash: UInt64, written: String, local: String, namespace: String) {
            self.hash = hash
            self.written = written
            self.local = local
            self.namespace = namespace
            isOfAddresses = namespace.isEmpty && ["from", "to", "by"].contains(local)
            isASCII = local.utf8.allSatisfy { $0 < 0x80 }
        }
    }

    private static let size = 256
    /// The number of entries with the same hash prefix that don't displace each other.
    private static let bucketSize = 4

    private var entries = [Entry](
        repeating: Entry(hash: 0, written: "", local: "", namespace: ""), count: size)
    /// Random, so that nobody can choose names that collide.
    private let seed = UInt64(truncatingIfNeeded: Hasher().finalize())

    /// The entry at an index that ``index(of:)`` has just returned.
    subscript(index: Int) -> Entry { _read { yield entries[index] } }

    /// Returns the index of a name or address, which is valid until the next call.
    mutating func index(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let hash = hash(of: UnsafeRawBufferPointer(bytes))
        let bucket = Int(truncatingIfNeeded: hash >> 32) & (Self.size - Self.bucketSize)
        for index in bucket..<(bucket + Self.bucketSize)
        where entries[index].hash == hash && entries[index].written.hasBytes(bytes) {
            return index
        }
        let entry = made(of: bytes, hash)
        // The oldest entry of the bucket is replaced.
        for index in ((bucket + 1)..<(bucket + Self.bucketSize)).reversed() { entries.swapAt(index, index - 1) }
        entries[bucket] = entry
        return bucket
    }

    private mutating func made(of bytes: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Entry {
        let written = String(decoding: bytes, as: UTF8.self)
        guard let end = bytes.lastIndex(of: UInt8(bitPattern: ExpatSetup.separator)) else {
            return Entry(hash: hash, written: written, local: written, namespace: "")
        }
        let namespace = index(of: UnsafeBufferPointer(rebasing: bytes[..<end]))
        return Entry(
            hash: hash, written: written, local: String(decoding: bytes[(end + 1)...], as: UTF8.self),
            namespace: entries[namespace].written)
    }

    private func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
        var index = 0
        while index + 8 <= bytes.count {
            hash = Self.mixed(hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var rest: UInt64 = 0
        if bytes.count >= 8 {
            // Overlaps bytes that are hashed already, which does no harm.
            rest = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        } else {
            for byte in bytes { rest = rest << 8 | UInt64(byte) }
        }
        return Self.mixed(hash ^ rest)
    }

    private static func mixed(_ bits: UInt64) -> UInt64 {
        let product = bits &* 0x9e37_79b9_7f4a_7c15
        return product ^ product >> 29
    }
}
