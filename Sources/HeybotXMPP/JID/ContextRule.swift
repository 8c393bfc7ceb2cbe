/// The contextual rules: characters that are only allowed next to certain others (RFC 5892 appendix A).
enum ContextRule {
    /// Checks every character.
    static func check(_ scalars: [Unicode.Scalar]) throws(JIDError.Reason) {
        for (index, scalar) in scalars.enumerated() where !isAllowed(scalar, at: index, in: scalars) {
            throw .misplaced(scalar)
        }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar, at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        let previous = index > 0 ? scalars[index - 1] : nil
        let next = index + 1 < scalars.count ? scalars[index + 1] : nil
        return switch scalar.value {
        // Joiners: after a virama. A non-joiner between joining letters is refused, because the standard library doesn't know
        // the joining types.
        case 0x200c, 0x200d: previous?.properties.canonicalCombiningClass == .virama
        // Middle dot: within the Catalan l·l.
        case 0xb7: previous == "l" && next == "l"
        // Keraia: before Greek.
        case 0x375: next.map(isGreek) ?? false
        // Geresh and gershayim: after Hebrew.
        case 0x5f3, 0x5f4: previous.map(isHebrew) ?? false
        // Katakana middle dot: only together with Japanese characters.
        case 0x30fb: scalars.contains(where: isJapanese)
        // The two sets of Arabic digits can't be mixed.
        case 0x660...0x669: !scalars.contains { (0x6f0...0x6f9).contains($0.value) }
        case 0x6f0...0x6f9: !scalars.contains { (0x660...0x669).contains($0.value) }
        default: true
        }
    }

    /// Scripts.txt: Greek.
    private static func isGreek(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x37e, 0x385, 0x387, 0x3e2...0x3ef: false
        case 0x370...0x373, 0x375...0x3ff, 0x1d26...0x1d2a, 0x1d5d...0x1d61, 0x1d66...0x1d6a, 0x1dbf: true
        case 0x1f00...0x1fff, 0x2126, 0xab65, 0x10140...0x1018e, 0x101a0, 0x1d200...0x1d245: true
        default: false
        }
    }

    /// Scripts.txt: Hebrew.
    private static func isHebrew(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x591...0x5f4, 0xfb1d...0xfb4f: true
        default: false
        }
    }

    /// Scripts.txt: Hiragana, Katakana and Han.
    private static func isJapanese(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3041...0x3096, 0x309d...0x309f, 0x1b001...0x1b11f, 0x1b132, 0x1b150...0x1b152, 0x1f200: true
        case 0x30a1...0x30fa, 0x30fd...0x30ff, 0x31f0...0x31ff, 0x32d0...0x32fe, 0x3300...0x3357: true
        case 0xff66...0xff6f, 0xff71...0xff9d, 0x1aff0...0x1affe, 0x1b000, 0x1b120...0x1b122, 0x1b155: true
        case 0x1b164...0x1b167, 0x2e80...0x2fd5, 0x3005, 0x3007, 0x3021...0x3029, 0x3038...0x303b: true
        case 0x3400...0x4dbf, 0x4e00...0x9fff, 0xf900...0xfad9, 0x16fe2...0x16fe3, 0x16ff0...0x16ff6: true
        default: scalar.properties.isUnifiedIdeograph
        }
    }
}
