/// A DNS name in lower case.
struct DNSName: Hashable {
    /// The labels in wire format, each after its length, without the root's empty one (RFC 1035 section 3.1).
    let wire: [UInt8]

    /// Creates a name from a message: labels of any bytes, already in lower case.
    init(wire: [UInt8]) {
        self.wire = wire
    }

    /// Parses a name; nil if it can't be looked up, such as the root or a name with an empty label.
    ///
    /// Labels with non-ASCII characters become A-labels: in lower case, but without NFC normalization or checks against IDNA's
    /// tables. A trailing dot is allowed.
    init?(_ text: String) {
        var labels = text.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: Self.dots.contains)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        var wire: [UInt8] = []
        for label in labels {
            guard let bytes = Self.ascii(label), wire.count + bytes.count + 1 < Self.longest else { return nil }
            wire.append(UInt8(bytes.count))
            wire += bytes
        }
        self.wire = wire
    }

    /// The ideographic full stops are label separators too (RFC 3490 section 3.1).
    private static let dots: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{ff0e}", "\u{ff61}"]

    /// The length limit in wire format, with the root's label (RFC 1035 section 2.3.4).
    static let longest = 255

    /// The host name, without a trailing dot; nil for the root, and for names with other characters than letters, digits, `-` and
    /// `_`.
    var hostName: String? {
        var text: [UInt8] = []
        var rest = wire[...]
        while let length = rest.popFirst() {
            let label = rest.prefix(Int(length))
            guard label.allSatisfy(Self.isOfHost) else { return nil }
            if !text.isEmpty { text.append(UInt8(ascii: ".")) }
            text += label
            rest = rest.dropFirst(Int(length))
        }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    private static func ascii(_ label: Substring.UnicodeScalarView) -> [UInt8]? {
        // A scalar needs at least one byte; this avoids encoding long labels.
        guard label.count < 64 else { return nil }
        let text = String(label).lowercased()
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let bytes = Array((isASCII ? text : "xn--" + Punycode.encoded(text.unicodeScalars)).utf8)
        return (1...63).contains(bytes.count) && bytes.allSatisfy(isOfHost) ? bytes : nil
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
