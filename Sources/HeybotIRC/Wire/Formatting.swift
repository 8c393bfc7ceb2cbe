/// Formatting codes: control characters for bold, colors and so on (modern.ircdocs.horse/formatting).
package enum Formatting {
    /// Removes the codes; returns the same text, without copying, if there are none.
    ///
    /// A color code includes its digits: up to two and, after a comma, up to two more; exactly six and six if they are
    /// hexadecimal.
    package static func plain(_ text: String) -> String {
        guard hasCode(text) else { return text }
        let bytes = Array(text.utf8)
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case 0x03: index = end(of: 1...2, in: bytes, from: index, where: \.isDigit)
            case 0x04: index = end(of: 6...6, in: bytes, from: index) { $0.hexadecimal != nil }
            default: if !isCode(byte) { plain.append(byte) }
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    private static func hasCode(_ text: String) -> Bool {
        var text = text
        // Most texts have no control characters. The compiler makes vector instructions of the search for the lowest byte.
        return text.withUTF8 { bytes in bytes.reduce(.max) { min($0, $1) } < 0x20 && bytes.contains(where: isCode) }
    }

    private static func isCode(_ byte: UInt8) -> Bool {
        switch byte {
        // Bold, color, hexadecimal color, reset.
        case 0x02, 0x03, 0x04, 0x0f: true
        // Monospace, reverse, italics, strike, underline.
        case 0x11, 0x16, 0x1d, 0x1e, 0x1f: true
        default: false
        }
    }

    /// Returns where a color's digits end, with the background color after a comma; a comma without digits is text.
    private static func end(
        of length: ClosedRange<Int>, in bytes: [UInt8], from start: Int, where isDigit: (UInt8) -> Bool
    ) -> Int {
        func end(from start: Int) -> Int? {
            let digits = bytes[start...].prefix(length.upperBound).prefix(while: isDigit).count
            return digits >= length.lowerBound ? start + digits : nil
        }
        guard let first = end(from: start) else { return start }
        guard first < bytes.count, bytes[first] == .comma else { return first }
        return end(from: first + 1) ?? first
    }
}
