/// Unicode forms in which texts are compared.
package enum Normalization {
    /// Returns a text in normalization form C.
    ///
    /// The only way to it without Foundation; public in spite of its underscore, and the same on all platforms.
    package static func nfc(_ text: String) -> String { String(decoding: text._nfcCodeUnits, as: UTF8.self) }

    /// Returns the form that all spellings share which a server may take for one account.
    ///
    /// Servers that use nodeprep (RFC 6122, appendix A), such as ejabberd, let one account log in under several spellings,
    /// such as `ß` and `ss`, and show each.
    ///
    /// - Parameter name: In lower case.
    package static func spelling(of name: String) -> String {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name }
        var folded = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
            let upper = scalar.properties.uppercaseMapping
            switch scalar {
            case "ς": folded.append("σ")
            // Such as ß; everything else is in lower case already.
            case _ where upper.unicodeScalars.count > 1: folded.append(contentsOf: upper.lowercased().unicodeScalars)
            default: folded.append(scalar)
            }
        }
        return nfc(String(folded))
    }
}
