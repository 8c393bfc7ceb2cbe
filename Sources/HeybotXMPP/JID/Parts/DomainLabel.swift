/// A label of a domain name: letters, digits and hyphens, or a U-label (RFC 5890 section 2.3).
enum DomainLabel {
    /// Checks a label in lower case and NFC.
    static func check(_ label: [Unicode.Scalar]) throws(JIDError.Reason) {
        guard let first = label.first, let last = label.last else { throw .emptyLabel }
        for scalar in label {
            let isAllowed =
                scalar.isASCII
                ? isAllowed(UInt8(truncatingIfNeeded: scalar.value)) : DerivedProperty.inLabel(scalar) != .disallowed
            guard isAllowed else { throw .forbidden(scalar) }
        }
        guard first != "-" && last != "-" else { throw .misplaced("-") }
        let isASCII = label.allSatisfy(\.isASCII)
        // The number of characters is a lower bound, checked first because counting Punycode takes quadratic time.
        guard label.count <= 63, isASCII || 4 + PunycodeLength.count(of: label) <= 63 else { throw .longLabel }
        // Only U-labels have to follow RFC 5891 section 4.2.3: names such as r3---sn.example are in use.
        if isASCII { return }
        if label.count >= 4 && label[2] == "-" && label[3] == "-" { throw .misplaced("-") }
        switch first.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: throw .misplaced(first)
        default: try ContextRule.check(label)
        }
    }

    /// Whether an ASCII character in lower case is allowed in a label.
    ///
    /// The underscore isn't allowed in host names, but machines in private networks use it, their servers send it, and it has
    /// no other meaning here.
    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7a, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
