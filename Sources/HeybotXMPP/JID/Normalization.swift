/// The one place that asks the standard library for Unicode's normalisation form C.
enum Normalization {
    /// Without a Foundation, this is the only way to it: public, though with an underscore, and the same on all platforms.
    static func nfc(_ text: String) -> String { String(decoding: text._nfcCodeUnits, as: UTF8.self) }
}
