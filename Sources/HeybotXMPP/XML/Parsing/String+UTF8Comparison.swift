import CExpat

extension String {
    /// Whether the string consists of these bytes in UTF-8.
    func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { own in
            own.count == bytes.count && heybot_expat_same(own.baseAddress, bytes.baseAddress, own.count)
        }
        return isSame ?? utf8.elementsEqual(bytes)
    }

    /// Whether both strings consist of the same bytes in UTF-8; faster than comparing by canonical equivalence.
    func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return other.utf8.withContiguousStorageIfAvailable(hasBytes) ?? utf8.elementsEqual(other.utf8)
    }
}
