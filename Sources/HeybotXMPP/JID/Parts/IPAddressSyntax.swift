/// IP addresses in a domain (RFC 3986 section 3.2.2).
///
/// A zone after `%` isn't allowed: RFC 9844 removed it from RFC 7622.
enum IPAddressSyntax {
    static func isIPv4(_ text: Substring) -> Bool {
        let numbers = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { number in
                // No leading zeros: some parsers read them as octal numbers.
                (1...3).contains(number.count) && number.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
                    && (number.count == 1 || number.first != 0x30)
                    && number.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 255
            }
    }

    /// - Parameter text: The address without brackets.
    static func isIPv6(_ text: Substring) -> Bool {
        let bytes = text.utf8
        let colon = UInt8(ascii: ":")
        guard
            let gap = zip(bytes.indices, bytes.indices.dropFirst()).first(where: {
                bytes[$0] == colon && bytes[$1] == colon
            })
        else { return groups(text, mayEndInIPv4: true) == 8 }
        guard let front = groups(text[..<gap.0], mayEndInIPv4: false),
            let back = groups(text[bytes.index(after: gap.1)...], mayEndInIPv4: true)
        else { return false }
        return front + back <= 7
    }

    /// Returns the number of 16-bit groups; nil if one isn't valid.
    private static func groups(_ text: Substring, mayEndInIPv4: Bool) -> Int? {
        guard !text.isEmpty else { return 0 }
        var groups = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var count = groups.count
        if mayEndInIPv4, let last = groups.last, isIPv4(Substring(last)) {
            groups.removeLast()
            count += 1
        }
        return groups.allSatisfy(isGroup) ? count : nil
    }

    private static func isGroup(_ bytes: Substring.UTF8View) -> Bool {
        (1...4).contains(bytes.count)
            && bytes.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x66) }
    }
}
