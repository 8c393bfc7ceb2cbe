import HeybotSupport
import NIOSSL

/// A certificate's SHA-256 fingerprint (of its DER encoding).
package struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8]

    /// Parses 64 hexadecimal digits in either case, with or without colons and spaces; nil for anything else.
    ///
    /// A prefix of `sha256:`, or `SHA256 Fingerprint=` as in the output of `openssl x509 -fingerprint -sha256`, is skipped.
    package init?(_ text: String) {
        var digits = text.lowercased()[...]
        for prefix in ["sha256:", "sha256 fingerprint="] where digits.hasPrefix(prefix) {
            digits = digits.dropFirst(prefix.count)
        }
        var bytes: [UInt8] = []
        var high: UInt8?
        for scalar in digits.unicodeScalars where scalar != ":" && scalar != " " {
            guard scalar.isASCII, let digit = Character(scalar).hexDigitValue.map({ UInt8($0) }) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil, bytes.count == CryptographicHash.sha256.byteCount else { return nil }
        self.bytes = bytes
    }

    init?(of certificate: NIOSSLCertificate) {
        guard let der = try? certificate.toDERBytes() else { return nil }
        bytes = CryptographicHash.sha256.hash(der)
    }

    /// Compares in constant time.
    func matches(_ other: Fingerprint) -> Bool { CryptographicHash.areEqual(bytes, other.bytes) }

    /// Pairs of digits, separated by colons: `AB:CD:…`.
    package var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}
