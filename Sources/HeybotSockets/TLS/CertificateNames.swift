import NIOCore
import NIOSSL

/// The names and addresses of a certificate.
struct CertificateNames {
    private(set) var names: [String] = []
    private(set) var addresses: [String] = []

    /// For display: names, then addresses; the common name if there are none.
    private(set) var all: [String] = []

    init(_ certificate: NIOSSLCertificate) {
        for name in certificate._subjectAlternativeNames() {
            switch name.nameType {
            case .dnsName: names.append(Self.printable(name.contents))
            case .ipAddress:
                let address = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: name.contents), port: 0)
                if let text = address?.ipAddress { addresses.append(text) }
            default: break
            }
        }
        all = names + addresses
        if all.isEmpty {
            all = certificate.subjectName.filter { $0.type == .commonName }.map { Self.printable($0.value.utf8) }
        }
    }

    /// Whether one of the names matches; a wildcard matches only the first label.
    func hasName(_ name: String) -> Bool {
        let name = name.lowercased()
        return names.contains { candidate in
            let candidate = candidate.lowercased()
            guard candidate.hasPrefix("*."), let dot = name.firstIndex(of: "."), dot != name.startIndex else {
                return candidate == name
            }
            return candidate.dropFirst() == name[dot...]
        }
    }

    /// Sanitized, because certificates may contain anything, and names end up in logs.
    private static func printable(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes.prefix(253).map { (0x21...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
