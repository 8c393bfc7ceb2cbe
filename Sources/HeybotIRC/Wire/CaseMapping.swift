/// How names of users and channels are compared (`CASEMAPPING` of ISUPPORT).
///
/// Only ASCII has two cases here; all else is compared byte for byte, as servers do.
package enum CaseMapping: Hashable, Sendable {
    /// A to Z are a to z.
    case ascii
    /// Besides, `[ \ ] ^` are the capitals of `{ | } ~`, as in the Scandinavian alphabets of 1993.
    case rfc1459
    /// As that, but without `^` and `~`.
    case strictRFC1459

    /// The mapping a server calls so; nil if it is none of these.
    package init?(name: String) {
        switch name.lowercased() {
        case "ascii": self = .ascii
        case "rfc1459": self = .rfc1459
        case "rfc1459-strict", "strict-rfc1459": self = .strictRFC1459
        default: return nil
        }
    }

    /// The text with its capitals made small: what is the same name is the same text then.
    package func fold(_ text: String) -> String {
        let last = lastCapital
        guard text.utf8.contains(where: { Self.isCapital($0, last) }) else { return text }
        return String(decoding: text.utf8.map { Self.folded($0, last) }, as: UTF8.self)
    }

    /// Whether two names are the same.
    package func areSame(_ one: String, _ other: String) -> Bool {
        let last = lastCapital
        return one.utf8.count == other.utf8.count
            && one.utf8.elementsEqual(other.utf8) { $0 == $1 || Self.folded($0, last) == Self.folded($1, last) }
    }

    /// The small letters are those from A to here, 0x20 further on.
    private var lastCapital: UInt8 {
        switch self {
        case .ascii: UInt8(ascii: "Z")
        case .rfc1459: UInt8(ascii: "^")
        case .strictRFC1459: UInt8(ascii: "]")
        }
    }

    private static func isCapital(_ byte: UInt8, _ last: UInt8) -> Bool { byte >= 0x41 && byte <= last }

    private static func folded(_ byte: UInt8, _ last: UInt8) -> UInt8 {
        isCapital(byte, last) ? byte + 0x20 : byte
    }
}
