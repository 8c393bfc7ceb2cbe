extension Substring {
    /// Returns the beginning of a text, up to a number of bytes.
    ///
    /// The length in bytes is known in advance, whereas a single character may be as long as the whole text.
    func beginning(bytes: Int) -> Substring {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes)
        // Back to the beginning of a scalar.
        while end > startIndex, utf8[end] & 0b1100_0000 == 0b1000_0000 { end = utf8.index(before: end) }
        return self[..<end]
    }
}
