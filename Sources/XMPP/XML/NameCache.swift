import CExpat

/// Names that come again and again, each made into a string only once.
///
/// So a thousand elements share their namespace, too, however long it is.
struct NameCache {
    private static let size = 256

    private var names = [String](repeating: "", count: size)
    /// Nobody outside knows it, and so nobody can choose names that share a place.
    private let seed = UInt64(truncatingIfNeeded: Hasher().finalize())

    mutating func name(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let place = place(of: UnsafeRawBufferPointer(bytes))
        let known = names[place]
        if Self.areSame(known, bytes) { return known }
        let name = String(decoding: bytes, as: UTF8.self)
        names[place] = name
        return name
    }

    private func place(of bytes: UnsafeRawBufferPointer) -> Int {
        var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
        var index = 0
        while index + 8 <= bytes.count {
            hash = Self.mixed(hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var rest: UInt64 = 0
        while index < bytes.count {
            rest = rest << 8 | UInt64(bytes[index])
            index += 1
        }
        return Int(truncatingIfNeeded: Self.mixed(hash ^ rest) >> 32) & (Self.size - 1)
    }

    private static func mixed(_ bits: UInt64) -> UInt64 {
        let product = bits &* 0x9e37_79b9_7f4a_7c15
        return product ^ product >> 29
    }

    private static func areSame(_ name: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        name.utf8.withContiguousStorageIfAvailable { name in
            name.count == bytes.count && heybot_expat_same(name.baseAddress, bytes.baseAddress, name.count)
        } ?? false
    }
}
