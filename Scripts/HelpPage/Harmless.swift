/// Text without anything that could disturb what stands around it.
enum Harmless {
    /// The text with control characters made visible, and each break of a line or paragraph as a space.
    static func text(_ text: some StringProtocol) -> String {
        var harmless = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09...0x0d, 0x85, 0x2028, 0x2029: harmless.append(" ")
            case 0..<0x20: harmless.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{fffd}")
            case 0x7f: harmless.append("\u{2421}")
            // The last two lots turn the direction of what follows, and one of them ends what keeps them in.
            case 0x80..<0xa0, 0x202a...0x202e, 0x2066...0x2069: harmless.append("\u{fffd}")
            default: harmless.append(scalar)
            }
        }
        return String(harmless)
    }
}
