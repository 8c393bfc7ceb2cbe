/// What is between the dots of a domain: letters, digits and hyphens, or a U-label (RFC 5890 section 2.3).
enum Label {
    /// Checks a label of which everything is in lower case and NFC.
    static func check(_ label: [Unicode.Scalar]) throws(JIDError.Flaw) {
        guard let first = label.first, let last = label.last else { throw .emptyLabel }
        for scalar in label {
            let isAllowed =
                scalar.isASCII
                ? isAllowed(UInt8(truncatingIfNeeded: scalar.value)) : DerivedProperty.inLabel(scalar) != .disallowed
            guard isAllowed else { throw .forbidden(scalar) }
        }
        guard first != "-" && last != "-" else { throw .misplaced("-") }
        let isASCII = label.allSatisfy(\.isASCII)
        // Counted by characters first, of which none takes less than a byte: counting Punycode takes the square of them.
        guard label.count <= 63, isASCII || 4 + Punycode.count(of: label) <= 63 else { throw .longLabel }
        // Only U-labels are held to RFC 5891 section 4.2.3: names such as r3---sn.example are in use.
        if isASCII { return }
        if label.count >= 4 && label[2] == "-" && label[3] == "-" { throw .misplaced("-") }
        switch first.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: throw .misplaced(first)
        default: try ContextRule.check(label)
        }
    }

    /// Whether an ASCII character in lower case may be in a label.
    ///
    /// The underscore is neither letter nor digit. But machines inside of networks have it in their names, their servers
    /// send it, and here it means nothing else.
    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7a, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
