import HeybotSupport
import NIOSSL

/// Values that identify a TLS connection, so that a login can be bound to it (RFC 5056).
package struct TLSChannelBindings: Hashable, Sendable {
    /// The value of `tls-exporter` (RFC 9266); nil before TLS 1.3.
    package private(set) var exporter: [UInt8]?
    /// The value of `tls-server-end-point` (RFC 5929 section 4); nil if the certificate's signature doesn't tell the hash
    /// function.
    package private(set) var serverEndPoint: [UInt8]?

    /// Creates the bindings of a connection without TLS: none.
    package init() {}

    /// Reads a handler's state in the event that reports the complete handshake.
    init(_ handler: NIOSSLClientHandler) {
        let secret = ExporterSecret.take()
        if case .tlsv13? = handler.tlsVersion { exporter = secret.flatMap { ExporterSecret.channelBinding(from: $0) } }
        guard let certificate = handler.peerCertificate, let der = try? certificate.toDERBytes() else { return }
        serverEndPoint = Self.serverEndPoint(of: der)
    }

    /// Returns the hash of a certificate, by the hash function of its signature; nil if that isn't known.
    static func serverEndPoint(of certificate: [UInt8]) -> [UInt8]? {
        var outer = DERReader(certificate[...])
        guard let content = outer.next(DERReader.sequence) else { return nil }
        var parts = DERReader(content)
        guard parts.next(DERReader.sequence) != nil, let algorithm = parts.next(DERReader.sequence) else { return nil }
        var fields = DERReader(algorithm)
        guard let name = fields.next(DERReader.objectIdentifier) else { return nil }
        return hash(ofSignature: Array(name))?.hash(certificate)
    }

    /// The hash function of a signature algorithm; nil for RSASSA-PSS and EdDSA, which have none in their name.
    ///
    /// MD5 and SHA-1 count as SHA-256 (RFC 5929 section 4.1).
    private static func hash(ofSignature name: [UInt8]) -> CryptographicHash? {
        let rsa: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]
        let ecdsa: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04]
        if name.starts(with: rsa) {
            switch Array(name.dropFirst(rsa.count)) {
            case [0x04], [0x05], [0x0b]: return .sha256
            case [0x0c]: return .sha384
            case [0x0d]: return .sha512
            default: return nil
            }
        }
        guard name.starts(with: ecdsa) else { return nil }
        switch Array(name.dropFirst(ecdsa.count)) {
        case [0x01], [0x03, 0x02]: return .sha256
        case [0x03, 0x03]: return .sha384
        case [0x03, 0x04]: return .sha512
        default: return nil
        }
    }
}

/// Reads elements in the Distinguished Encoding Rules (X.690), one after the other.
private struct DERReader {
    static let sequence: UInt8 = 0x30
    static let objectIdentifier: UInt8 = 0x06

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Returns the content of the next element; nil if it has another tag, or isn't complete.
    mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == tag, let first = rest.popFirst(), first != 0x80 else { return nil }
        var length = Int(first)
        if first > 0x80 {
            length = 0
            for _ in 0..<(first & 0x7f) {
                guard let byte = rest.popFirst(), length < 1 << 24 else { return nil }
                length = length << 8 | Int(byte)
            }
        }
        guard length <= rest.count else { return nil }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return content
    }
}
