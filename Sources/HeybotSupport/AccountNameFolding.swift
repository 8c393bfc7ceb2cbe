/// The folding of account names, for comparing them.
package enum AccountNameFolding {
    /// Returns the form that all spellings share which a server may take for one account.
    ///
    /// Servers that use nodeprep (RFC 6122, appendix A), such as ejabberd, let one account log in under several spellings,
    /// such as `ß` and `ss`, and show each.
    ///
    /// - Parameter name: In lower case.
    package static func fold(_ name: String) -> String {
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
        return UnicodeNormalization.nfc(String(folded))
    }
}
