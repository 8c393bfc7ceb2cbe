/// The derived property of a character: whether a string class allows it, as follows from its Unicode properties.
///
/// Characters are checked last, after all mappings. The rules are the same for every version of Unicode; characters of a
/// newer version are refused until the standard library knows them.
enum DerivedProperty {
    /// PVALID, or FREE_PVAL and the like.
    case valid
    /// CONTEXTJ or CONTEXTO: see ``ContextRule``.
    case contextual
    /// DISALLOWED, ID_DIS or UNASSIGNED.
    case disallowed

    /// In the IdentifierClass of PRECIS (RFC 8264 section 8), for characters in lower case and NFC.
    static func inIdentifierClass(_ scalar: Unicode.Scalar) -> DerivedProperty {
        if scalar.isASCII { return scalar.value > 0x20 && scalar.value < 0x7f ? .valid : .disallowed }
        if let exception = exception(scalar) { return exception }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint || isOldHangulJamo(scalar) { return .disallowed }
        return isLetterOrDigit(properties) && !hasCompat(scalar) ? .valid : .disallowed
    }

    /// In the FreeformClass of PRECIS (RFC 8264 section 8).
    static func inFreeformClass(_ scalar: Unicode.Scalar) -> DerivedProperty {
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value < 0x7f ? .valid : .disallowed }
        if let exception = exception(scalar) { return exception }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint || isOldHangulJamo(scalar) { return .disallowed }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: .disallowed
        default: .valid
        }
    }

    /// In U-labels of domains (RFC 5892 section 3).
    static func inLabel(_ scalar: Unicode.Scalar) -> DerivedProperty {
        if let exception = exception(scalar) { return exception }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint || isOldHangulJamo(scalar) { return .disallowed }
        switch scalar.value {
        // Blocks of combining marks for symbols and musical symbols: RFC 5892 section 2.4.
        case 0x20d0...0x20ff, 0x1d100...0x1d1ff, 0x1d200...0x1d24f: return .disallowed
        // Characters that folding changes are unstable: RFC 5892 section 2.2.
        default: return isLetterOrDigit(properties) && !properties.changesWhenNFKCCaseFolded ? .valid : .disallowed
        }
    }

    /// The exceptions (RFC 5892 section 2.6, RFC 8264 section 9.6), and the joiners.
    private static func exception(_ scalar: Unicode.Scalar) -> DerivedProperty? {
        switch scalar.value {
        case 0xdf, 0x3c2, 0x6fd...0x6fe, 0xf0b, 0x3007: .valid
        case 0xb7, 0x375, 0x5f3...0x5f4, 0x30fb, 0x660...0x669, 0x6f0...0x6f9, 0x200c...0x200d: .contextual
        case 0x640, 0x7fa, 0x302e...0x302f, 0x3031...0x3035, 0x303b: .disallowed
        default: nil
        }
    }

    /// RFC 8264 section 9.1.
    private static func isLetterOrDigit(_ properties: Unicode.Scalar.Properties) -> Bool {
        switch properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .decimalNumber: true
        case .nonspacingMark, .spacingMark: true
        default: false
        }
    }

    /// Parts of syllables, which are written as whole characters today (RFC 8264 section 9.9).
    private static func isOldHangulJamo(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x11ff, 0xa960...0xa97c, 0xd7b0...0xd7c6, 0xd7cb...0xd7fb: true
        default: false
        }
    }

    /// Whether NFKC changes a letter, digit or mark (RFC 8264 section 9.17).
    ///
    /// The standard library has no NFKC. It knows whether NFKC together with case folding changes a character, which gives
    /// the same result except for a few lower-case characters that case folding changes too.
    private static func hasCompat(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        if !properties.changesWhenNFKCCaseFolded { return false }
        if !properties.changesWhenCaseFolded { return true }
        return switch scalar.value {
        // Those of them with a compatibility decomposition in UnicodeData.txt.
        case 0xb5, 0x149, 0x17f, 0x3d0...0x3d1, 0x3d5...0x3d6, 0x3f0...0x3f1, 0x3f5, 0x587, 0x1e9a...0x1e9b: true
        case 0xfb00...0xfb17: true
        default: false
        }
    }
}
