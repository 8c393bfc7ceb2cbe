extension StringProtocol {
    /// The text in Unicode normalization form C.
    ///
    /// Equal texts then have equal bytes, as keys of the brain must.
    var normalized: String {
        // The only way in the standard library; public, despite its underscore, on all platforms.
        String(decoding: String(self)._nfcCodeUnits, as: UTF8.self)
    }
}
