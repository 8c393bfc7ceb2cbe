extension StringProtocol {
    /// The same text in Unicode's normalization form C, which writes `é` with one code point however it was typed.
    ///
    /// Texts that are equal have the same bytes then, as they must where they are keys of the brain.
    var normalized: String {
        // The standard library's only way to it: public, though with an underscore, and the same on all platforms.
        String(decoding: String(self)._nfcCodeUnits, as: UTF8.self)
    }
}
