/// The name of a machine.
package enum Hostname {
    /// Whether it is one a server would show: letters, digits and hyphens, with at least one dot.
    ///
    /// No part begins or ends with a hyphen or has more than 63 bytes, the whole not more than 253 (RFC 1123 2.1). A dot
    /// may be at the end, as in `services.`
    package static func isValid(_ name: String) -> Bool {
        var parts = name.utf8.split(separator: .dot, omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, parts.count > 1 else { return false }
        if parts.last?.isEmpty == true { parts.removeLast() }
        return parts.allSatisfy { part in
            (1...63).contains(part.count) && part.first != .hyphen && part.last != .hyphen
                && part.allSatisfy { $0.isLetter || $0.isDigit || $0 == .hyphen }
        }
    }
}
