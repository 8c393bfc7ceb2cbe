/// How names of users and channels are compared (`CASEMAPPING` in ISUPPORT).
///
/// Only ASCII letters are folded; everything else is compared byte for byte, as servers do.
package enum CaseMapping: Hashable, Sendable {
    /// A to Z are equivalent to a to z.
    case ascii
    /// In addition, `[ \ ] ^` are the upper case of `{ | } ~`, as in the Scandinavian character sets of the time.
    case rfc1459
    /// As ``rfc1459``, but without `^` and `~`.
    case strictRFC1459

    /// The mapping with that ISUPPORT name; nil if it is unknown.
    package init?(name: String) {
        switch name.lowercased() {
        case "ascii": self = .ascii
        case "rfc1459": self = .rfc1459
        case "rfc1459-strict", "strict-rfc1459": self = .strictRFC1459
        default: return nil
        }
    }

    /// The ISUPPORT name.
    package var name: String {
        switch self {
        case .ascii: "ascii"
        case .rfc1459: "rfc1459"
        case .strictRFC1459: "rfc1459-strict"
        }
    }

    /// Folds the text to lower case.
    ///
    /// Equivalent names become equal texts.
    package func fold(_ text: String) -> String {
        let last = lastCapital
        // Much faster than the text's own view, and names are folded for every message.
        var text = text
        let folded: String? = text.withUTF8 { name in
            guard name.contains(where: { Self.isCapital($0, last) }) else { return nil }
            return String(unsafeUninitializedCapacity: name.count) { bytes in
                for index in 0..<name.count { bytes[index] = Self.folded(name[index], last) }
                return name.count
            }
        }
        return folded ?? text
    }

    /// Whether two names are equivalent.
    package func areSame(_ one: String, _ other: String) -> Bool {
        let last = lastCapital
        return one.utf8.count == other.utf8.count
            && one.utf8.elementsEqual(other.utf8) { $0 == $1 || Self.folded($0, last) == Self.folded($1, last) }
    }

    /// The last byte with a lower-case counterpart, which is 0x20 higher; the first is A.
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
