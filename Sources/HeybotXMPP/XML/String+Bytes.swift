import CExpat

extension String {
    /// Whether it is these bytes in UTF-8.
    func isWritten(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { own in
            own.count == bytes.count && heybot_expat_same(own.baseAddress, bytes.baseAddress, own.count)
        }
        return isSame ?? utf8.elementsEqual(bytes)
    }

    /// Whether both are the same bytes in UTF-8; for that, nobody need know what Unicode holds to be the same.
    func isWritten(like other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return other.utf8.withContiguousStorageIfAvailable(isWritten) ?? utf8.elementsEqual(other.utf8)
    }
}
