/// The domainpart: a domain name or an IP address (RFC 7622 section 3.2).
enum Domainpart {
    static func prepared(_ text: Substring) throws(JIDError.Reason) -> String {
        if text.utf8.withContiguousStorageIfAvailable(isPlain) == true { return String(text) }
        var name = mapped(text)
        if name.utf8.last == UInt8(ascii: ".") { name.unicodeScalars.removeLast() }
        try JIDPartLength.check(name)
        if name.utf8.first == UInt8(ascii: "[") {
            guard name.utf8.last == UInt8(ascii: "]"), IPAddressSyntax.isIPv6(name.dropFirst().dropLast()) else {
                throw .invalidIPAddress
            }
        } else {
            do throws(JIDError.Reason) {
                try check(name)
            } catch {
                guard case .forbidden(let scalar) = error else { throw error }
                throw .forbidden(LowercaseMapping.origin(of: scalar, in: text))
            }
        }
        return name
    }

    /// Whether it is an ASCII name in normalized form, as nearly all are.
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var count = 0
        var last = UInt8(ascii: ".")
        var isNumeric = true
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                guard count > 0 && last != UInt8(ascii: "-") else { return false }
                count = 0
            } else {
                guard DomainLabel.isAllowed(byte), count > 0 || byte != UInt8(ascii: "-"), count < 63 else {
                    return false
                }
                if byte < 0x30 || byte > 0x39 { isNumeric = false }
                count += 1
            }
            last = byte
        }
        return count > 0 && last != UInt8(ascii: "-") && !isNumeric && JIDPartLength.isValid(bytes.count)
    }

    /// Maps to lower case and usual width, as in RFC 5895 section 2; the ideographic full stop becomes a dot.
    private static func mapped(_ text: Substring) -> String {
        var lower = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let scalar = WidthMapping.mapped(scalar)
            LowercaseMapping.append(scalar == "\u{3002}" ? "." : scalar, to: &lower)
        }
        return UnicodeNormalization.nfc(String(lower))
    }

    private static func check(_ name: String) throws(JIDError.Reason) {
        let labels = name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map(Array.init)
        for label in labels { try DomainLabel.check(label) }
        // A single right-to-left label subjects all of them to the rule (RFC 5893 section 2).
        if labels.contains(where: BidiRule.applies) && !labels.allSatisfy(BidiRule.isSatisfied) {
            throw .mixedDirections
        }
        // A name of numbers alone has to be an IPv4 address; a single number may be a machine's name.
        let isNumeric = labels.allSatisfy { $0.allSatisfy { $0 >= "0" && $0 <= "9" } }
        if isNumeric && labels.count > 1 && !IPAddressSyntax.isIPv4(name[...]) { throw .invalidIPAddress }
    }
}
