extension Webhooks {
    /// The combining marks in a text from a stranger.
    enum CombiningMarks {
        /// More than any language needs.
        private static let most = 100

        /// Whether a text has too many marks in a row, as they are or in JSON's escapes, such as `\u0301`.
        ///
        /// The time to compare such a text, or only one of its characters, grows with the square of their number.
        static func areTooMany(in text: String) -> Bool {
            var count = 0
            var highSurrogate: UInt32?
            var scalars = text.unicodeScalars.makeIterator()
            while var scalar = scalars.next() {
                if scalar == "\\" {
                    // Other escapes aren't marks.
                    if scalars.next() == "u" {
                        var code = escapedCode(&scalars)
                        if 0xD800..<0xDC00 ~= code {
                            highSurrogate = code
                            continue
                        }
                        if 0xDC00..<0xE000 ~= code, let high = highSurrogate {
                            code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)
                        }
                        highSurrogate = nil
                        scalar = Unicode.Scalar(code) ?? "\\"
                    }
                }
                count = isMark(scalar) ? count + 1 : 0
                if count > most { return true }
            }
            return false
        }

        /// Reads the four hexadecimal digits of an escape; an invalid digit counts as zero.
        private static func escapedCode(_ scalars: inout String.UnicodeScalarView.Iterator) -> UInt32 {
            var code: UInt32 = 0
            for _ in 0..<4 {
                guard let digit = scalars.next() else { break }
                code = code << 4 | UInt32(Character(digit).hexDigitValue ?? 0)
            }
            return code
        }

        /// Whether normalization reorders the scalar.
        private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
            // The first mark is U+0300.
            scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}
