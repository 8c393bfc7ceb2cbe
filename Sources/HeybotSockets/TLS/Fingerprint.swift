import Crypto
import NIOSSL

/// The SHA-256 of a certificate (of its DER), which tells it from any other.
package struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8]

    /// Takes 64 hexadecimal digits in either case, with or without colons and spaces; nil for anything else.
    ///
    /// They may follow `sha256:`, or `SHA256 Fingerprint=` as `openssl x509 -fingerprint -sha256` writes it.
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
        guard high == nil, bytes.count == SHA256.byteCount else { return nil }
        self.bytes = bytes
    }

    init?(of certificate: NIOSSLCertificate) {
        guard let der = try? certificate.toDERBytes() else { return nil }
        bytes = Array(SHA256.hash(data: der))
    }

    /// Takes as long wherever the first difference is.
    func matches(_ other: Fingerprint) -> Bool {
        bytes.count == other.bytes.count && zip(bytes, other.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Pairs of digits with colons between them: `AB:CD:…`.
    package var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}
