extension Substring {
    /// The first characters of a text, as many as so many bytes hold.
    ///
    /// A text's length in bytes is known without a look at it, whereas a single character may be as long as the text.
    func beginning(bytes: Int) -> Substring {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes)
        // Back to where a scalar begins.
        while end > startIndex, utf8[end] & 0b1100_0000 == 0b1000_0000 { end = utf8.index(before: end) }
        return self[..<end]
    }
}
