/// The server or service: a name of labels, or an IP address (RFC 7622 section 3.2).
enum Domainpart {
    static func prepared(_ text: Substring) throws(JIDError.Flaw) -> String {
        if text.utf8.withContiguousStorageIfAvailable(isPlain) == true { return String(text) }
        var name = mapped(text)
        if name.utf8.last == UInt8(ascii: ".") { name.unicodeScalars.removeLast() }
        try Limit.check(name)
        if name.utf8.first == UInt8(ascii: "[") {
            guard name.utf8.last == UInt8(ascii: "]"), IPAddress.isIPv6(name.dropFirst().dropLast()) else {
                throw .noIPAddress
            }
        } else {
            do throws(JIDError.Flaw) {
                try check(name)
            } catch {
                guard case .forbidden(let scalar) = error else { throw error }
                throw .forbidden(LowerCase.origin(of: scalar, in: text))
            }
        }
        return name
    }

    /// Whether it is an ASCII name that is prepared already, as nearly all are.
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var count = 0
        var last = UInt8(ascii: ".")
        var isNumeric = true
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                guard count > 0 && last != UInt8(ascii: "-") else { return false }
                count = 0
            } else {
                guard Label.isAllowed(byte), count > 0 || byte != UInt8(ascii: "-"), count < 63 else { return false }
                if byte < 0x30 || byte > 0x39 { isNumeric = false }
                count += 1
            }
            last = byte
        }
        return count > 0 && last != UInt8(ascii: "-") && !isNumeric && Limit.isKept(bytes.count)
    }

    /// Lower case and usual width, as RFC 5895 section 2 has it; the ideographic full stop is a dot.
    private static func mapped(_ text: Substring) -> String {
        var lower = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let scalar = Width.mapped(scalar)
            LowerCase.append(scalar == "\u{3002}" ? "." : scalar, to: &lower)
        }
        return Normalization.nfc(String(lower))
    }

    private static func check(_ name: String) throws(JIDError.Flaw) {
        let labels = name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map(Array.init)
        for label in labels { try Label.check(label) }
        // One label from right to left puts all of them under the rule (RFC 5893 section 2).
        if labels.contains(where: BidiRule.isNeeded) && !labels.allSatisfy(BidiRule.holds) { throw .mixedDirections }
        // Numbers alone are an IPv4 address or nothing; a single one may be a machine's name.
        let isNumeric = labels.allSatisfy { $0.allSatisfy { $0 >= "0" && $0 <= "9" } }
        if isNumeric && labels.count > 1 && !IPAddress.isIPv4(name[...]) { throw .noIPAddress }
    }
}
