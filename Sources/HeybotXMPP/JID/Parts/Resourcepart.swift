/// The resourcepart after the `/`: the OpaqueString profile (RFC 7622 section 3.4, RFC 8265 section 4.2).
enum Resourcepart {
    static func prepared(_ text: Substring) throws(JIDError.Reason) -> String {
        if text.utf8.withContiguousStorageIfAvailable(isPlain) == true { return String(text) }
        var mapped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            mapped.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
        }
        let prepared = UnicodeNormalization.nfc(String(mapped))
        try JIDPartLength.check(prepared)
        let scalars = Array(prepared.unicodeScalars)
        // Characters are checked last, in the order of RFC 8264 section 7, so that canonically equivalent texts give the same
        // result.
        for scalar in scalars { try check(scalar) }
        try ContextRule.check(scalars)
        return prepared
    }

    /// Whether it is ASCII and therefore in normalized form, as nearly all are.
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        JIDPartLength.isValid(bytes.count) && bytes.allSatisfy { $0 >= 0x20 && $0 <= 0x7e }
    }

    private static func check(_ scalar: Unicode.Scalar) throws(JIDError.Reason) {
        guard DerivedProperty.inFreeformClass(scalar) != .disallowed else { throw .forbidden(scalar) }
    }
}
