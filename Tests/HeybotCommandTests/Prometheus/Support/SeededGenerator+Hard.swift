import HeybotTesting

// Random values that are the same in each run.

extension SeededGenerator {
    /// Returns a text with many special characters.
    mutating func text() -> String {
        let hard: [Unicode.Scalar] = [
            "\\", "\"", "\n", "\r", "n", "_", ":", "{", "}", ",", "=", "#", " ", "\t", "0", "a", "Z", "\0", "é",
            "\u{301}", "\u{2028}", "\u{85}", "😀"
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...8, using: &self) {
            let any = Unicode.Scalar(UInt32.random(in: 0...0x10_ffff, using: &self))
            text.append(Bool.random(using: &self) ? hard[Int.random(in: hard.indices, using: &self)] : any ?? "a")
        }
        return String(text)
    }

    /// Returns labels, some with the same name.
    mutating func labels() -> [(String, String)] {
        (0..<Int.random(in: 0...4, using: &self)).map { _ in (Bool.random(using: &self) ? "le" : text(), text()) }
    }

    /// Returns a number of any size and sign, sometimes NaN.
    mutating func number() -> Double {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: Double(Int64.random(in: -1_000...1_000, using: &self))
        case 1: [.nan, .infinity, -.infinity, -0.0, 1e300].randomElement(using: &self) ?? 0
        default: Double(bitPattern: next())
        }
    }
}
