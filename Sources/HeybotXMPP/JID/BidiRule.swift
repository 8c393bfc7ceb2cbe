/// The Bidi rule: which characters may be combined if some are written from right to left (RFC 5893 section 2).
enum BidiRule {
    /// Whether any character is written from right to left.
    static func applies(to scalars: [Unicode.Scalar]) -> Bool {
        scalars.contains { scalar in
            guard scalar.value >= 0x590 else { return false }
            let bidiClass = bidiClass(of: scalar)
            return bidiClass == .rightToLeft || bidiClass == .arabicNumber
        }
    }

    /// Whether the characters satisfy the rule.
    static func isSatisfied(by scalars: [Unicode.Scalar]) -> Bool {
        let classes = scalars.map(bidiClass)
        let last = classes.last { $0 != .mark }
        switch classes.first {
        case .rightToLeft:
            return !classes.contains(.leftToRight) && !(classes.contains(.number) && classes.contains(.arabicNumber))
                && (last == .rightToLeft || last == .number || last == .arabicNumber)
        case .leftToRight:
            return !classes.contains(.rightToLeft) && !classes.contains(.arabicNumber)
                && (last == .leftToRight || last == .number)
        default:
            return false
        }
    }

    /// The values of Bidi_Class that the rule distinguishes.
    private enum BidiClass {
        /// L.
        case leftToRight
        /// R and AL.
        case rightToLeft
        /// AN.
        case arabicNumber
        /// EN.
        case number
        /// NSM.
        case mark
        /// ES, CS, ET, ON and BN.
        case other
    }

    /// Returns the class of a character that is allowed in a localpart or label; others needn't be classified correctly.
    ///
    /// From DerivedBidiClass.txt; whole blocks of right-to-left scripts are included, for future additions.
    private static func bidiClass(of scalar: Unicode.Scalar) -> BidiClass {
        switch scalar.value {
        case 0x61...0x7a, 0x41...0x5a: .leftToRight
        case 0x30...0x39, 0x6f0...0x6f9: .number
        case 0...0x7f: .other
        case 0x660...0x669, 0x10d30...0x10d39, 0x10d40...0x10d49: .arabicNumber
        // Marks of Brahmic scripts that, unlike others, have a direction.
        case 0xcbf, 0xcc6, 0x11a07...0x11a08, 0x11c3f: .leftToRight
        case _ where scalar.properties.generalCategory == .nonspacingMark: .mark
        case 0x590...0x8ff, 0xfb1d...0xfdff, 0xfe70...0xfeff, 0x10800...0x10fff, 0x1e800...0x1efff: .rightToLeft
        // Middle dots, keraia, joiners, and modifier letters that are symbols.
        case 0xb7, 0x375, 0x30fb, 0x200c...0x200d, 0x2b9...0x2ba, 0x2c6...0x2cf, 0x2ec, 0x208f: .other
        case 0x2e2f, 0xa67f, 0xa717...0xa71f, 0xa788: .other
        default: .leftToRight
        }
    }
}
