/// The normalization forms of Unicode (UAX #15).
enum UnicodeNormalization {
    /// Returns a text in normalization form C.
    ///
    /// The only way to it without Foundation; public in spite of its underscore, and the same on all platforms.
    static func nfc(_ text: String) -> String { String(decoding: text._nfcCodeUnits, as: UTF8.self) }
}
