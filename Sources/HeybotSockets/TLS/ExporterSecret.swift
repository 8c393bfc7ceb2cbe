import HeybotSupport
import NIOCore
import Synchronization

/// The secret from which both ends of a TLS 1.3 connection derive values for the protocols above (RFC 8446 section 7.5).
///
/// NIOSSL has no function that derives such values, but a callback for a log of keys, which gets this secret in a line of text.
/// No line is kept or written anywhere; the secret only until the end of the handshake.
enum ExporterSecret {
    /// The secret of the handshake that is just being completed.
    ///
    /// All handshakes take place on the one event loop. BoringSSL derives the secret in the call that completes the handshake,
    /// after which NIOSSL reports the completion, before anything else can happen on the event loop.
    private static let latest = Mutex<[UInt8]?>(nil)

    private static let label = "EXPORTER_SECRET "

    /// Handles a line of the log of keys: a label, the client's random number, and a secret.
    static func receive(_ line: ByteBuffer) {
        // No copy is made of the secrets that encrypt the connection.
        guard line.readableBytesView.starts(with: label.utf8) else { return }
        let words = String(buffer: line).split(whereSeparator: \.isWhitespace)
        guard words.count == 3, let secret = bytes(words[2]) else { return }
        latest.withLock { $0 = secret }
    }

    /// Removes and returns the secret of the handshake that has just ended; nil with TLS 1.2.
    static func take() -> [UInt8]? { latest.withLock { $0.take() } }

    private static func bytes(_ digits: Substring) -> [UInt8]? {
        let values = digits.compactMap(\.hexDigitValue)
        guard values.count == digits.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    /// Returns the value of the channel binding `tls-exporter` (RFC 9266 section 2).
    ///
    /// - Returns: Nil if the secret belongs to no known cipher suite.
    static func channelBinding(from secret: [UInt8]) -> [UInt8]? {
        let hash: CryptographicHash
        switch secret.count {
        case CryptographicHash.sha256.byteCount: hash = .sha256
        case CryptographicHash.sha384.byteCount: hash = .sha384
        default: return nil
        }
        let nothing = hash.hash([UInt8]())
        let own = expanded(secret, "EXPORTER-Channel-Binding", nothing, to: hash.byteCount, hash)
        return expanded(own, "exporter", nothing, to: 32, hash)
    }

    /// HKDF-Expand-Label for at most one block (RFC 8446 section 7.1).
    private static func expanded(
        _ secret: [UInt8], _ label: String, _ context: [UInt8], to count: Int, _ hash: CryptographicHash
    ) -> [UInt8] {
        let label = Array("tls13 \(label)".utf8)
        var info: [UInt8] = [0, UInt8(clamping: count), UInt8(clamping: label.count)]
        info += label
        info.append(UInt8(clamping: context.count))
        info += context
        info.append(1)
        return Array(hash.authenticationCode(for: info, key: secret).prefix(count))
    }
}
