/// Maps fullwidth and halfwidth characters, known from East Asian legacy encodings, to their usual width (RFC 8265 section
/// 3.3.2).
enum WidthMapping {
    /// Returns the character at its usual width: its decomposition mapping if that is of the kind `<wide>` or `<narrow>` in
    /// UnicodeData.txt, which never changes for an existing character.
    static func mapped(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let value = scalar.value
        let mapped: UInt32? =
            switch value {
            case 0x3000: 0x20
            case 0xff01...0xff5e: value - 0xfee0
            case 0xff5f...0xff60: value - 0xff5f + 0x2985
            case 0xff61...0xff9f: katakana[Int(value - 0xff61)].value
            case 0xffa0: 0x3164
            case 0xffa1...0xffbe: value - 0xffa1 + 0x3131
            // The vowels come in rows of six.
            case 0xffc2...0xffc7: value - 0xffc2 + 0x314f
            case 0xffca...0xffcf: value - 0xffca + 0x3155
            case 0xffd2...0xffd7: value - 0xffd2 + 0x315b
            case 0xffda...0xffdc: value - 0xffda + 0x3161
            case 0xffe0...0xffe6: signs[Int(value - 0xffe0)].value
            case 0xffe8: 0x2502
            case 0xffe9...0xffec: value - 0xffe9 + 0x2190
            case 0xffed: 0x25a0
            case 0xffee: 0x25cb
            default: nil
            }
        return mapped.flatMap(Unicode.Scalar.init) ?? scalar
    }

    /// U+FF61 to U+FF9F; the last two are combining voicing marks.
    private static let katakana = Array(
        "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309a}"
            .unicodeScalars)

    /// U+FFE0 to U+FFE6.
    private static let signs = Array("¢£¬¯¦¥₩".unicodeScalars)
}
