/// A name in DNS, in lower case.
struct DomainName: Hashable {
    /// Each label after its length, as in a message, without the root's empty one at the end (RFC 1035 section 3.1).
    let wire: [UInt8]

    /// As it came in a message: labels of any bytes, in lower case already.
    init(wire: [UInt8]) {
        self.wire = wire
    }

    /// A name as people write it; nil for what can't be asked for, such as the root and empty labels.
    ///
    /// Labels with other characters than ASCII become A-labels: in lower case, but not brought into NFC or checked against
    /// IDNA's tables. A dot at the end is fine.
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

    /// Those of East Asian scripts are dots as well (RFC 3490 section 3.1).
    private static let dots: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{ff0e}", "\u{ff61}"]

    /// In all, with the root's (RFC 1035 section 2.3.4).
    static let longest = 255

    /// The name of a host, without a dot at the end; nil for the root, and for what isn't made of letters, digits, `-` and
    /// `_` only.
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
        // Each scalar takes a byte at least; this spares a long text the encoder.
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
