/// The localpart before the `@`: the UsernameCaseMapped profile with fewer characters (RFC 7622 section 3.3, RFC 8265 section
/// 3.3).
enum Localpart {
    static func prepared(_ text: Substring) throws(JIDError.Reason) -> String {
        if text.utf8.withContiguousStorageIfAvailable(isPlain) == true { return String(text) }
        var lower = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            LowercaseMapping.append(WidthMapping.mapped(scalar), to: &lower)
        }
        let prepared = UnicodeNormalization.nfc(String(lower))
        try JIDPartLength.check(prepared)
        let scalars = Array(prepared.unicodeScalars)
        // Characters are checked last, in the order of RFC 8264 section 7, so that canonically equivalent texts give the same
        // result.
        if let scalar = scalars.first(where: { !isAllowed($0) }) {
            throw .forbidden(LowercaseMapping.origin(of: scalar, in: text))
        }
        try ContextRule.check(scalars)
        if BidiRule.applies(to: scalars) && !BidiRule.isSatisfied(by: scalars) { throw .mixedDirections }
        return prepared
    }

    /// Whether it is ASCII in normalized form, as nearly all are.
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        JIDPartLength.isValid(bytes.count) && bytes.allSatisfy { isAllowed($0) && !($0 >= 0x41 && $0 <= 0x5a) }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            ? isAllowed(UInt8(truncatingIfNeeded: scalar.value))
            : DerivedProperty.inIdentifierClass(scalar) != .disallowed
    }

    /// Whether an ASCII character is allowed: all printable ones except those of RFC 7622 section 3.3.1.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x26, 0x27, 0x2f, 0x3a, 0x3c, 0x3e, 0x40: false  // "&'/:<>@
        case 0x21...0x7e: true
        default: false
        }
    }
}
