/// Unicode normalization form C, from the standard library.
enum Normalization {
    /// The only way to it without Foundation; public in spite of its underscore, and the same on all platforms.
    static func nfc(_ text: String) -> String { String(decoding: text._nfcCodeUnits, as: UTF8.self) }
}
