/// Names and addresses that come again and again, each made into strings only once.
///
/// So a thousand elements share their namespace, too, however long it is.
struct NameCache {
    /// A name of an element or attribute, or an address.
    struct Entry {
        fileprivate let hash: UInt64
        /// As expat writes it: after its namespace and a separator, if it has one.
        let written: String
        /// Without its namespace.
        let local: String
        /// Empty if it has none.
        let namespace: String
        /// Whether the values of attributes with that name are addresses.
        let isOfAddresses: Bool
        /// Whether only the same bytes are the same name to Unicode.
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
    /// So many have room in one place, so that two that belong there don't drive each other out.
    private static let placeSize = 4

    private var entries = [Entry](
        repeating: Entry(hash: 0, written: "", local: "", namespace: ""), count: size)
    /// Nobody outside knows it, and so nobody can choose names that share a place.
    private let seed = UInt64(truncatingIfNeeded: Hasher().finalize())

    /// What an index of now stands for.
    subscript(index: Int) -> Entry { _read { yield entries[index] } }

    /// Where to find what expat writes so, until the next is asked for.
    mutating func index(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let hash = hash(of: UnsafeRawBufferPointer(bytes))
        let place = Int(truncatingIfNeeded: hash >> 32) & (Self.size - Self.placeSize)
        for index in place..<(place + Self.placeSize)
        where entries[index].hash == hash && entries[index].written.isWritten(bytes) {
            return index
        }
        let entry = made(of: bytes, hash)
        // Whoever came first goes.
        for index in ((place + 1)..<(place + Self.placeSize)).reversed() { entries.swapAt(index, index - 1) }
        entries[place] = entry
        return place
    }

    private mutating func made(of bytes: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Entry {
        let written = String(decoding: bytes, as: UTF8.self)
        guard let end = bytes.lastIndex(of: UInt8(bitPattern: Expat.separator)) else {
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
            // What was seen already does no harm.
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
