import NIOSSL
import Synchronization

/// Creates NIOSSL's contexts.
enum NIOSSLContextFactory {
    /// The system's roots are about 140 certificates and take 3 MB, so they are parsed only once.
    private static let system = Mutex<[[String]: NIOSSLContext]>([:])

    static func make(for tls: TLSOptions) throws(TLSFileError) -> NIOSSLContext {
        let isPlain = tls.trust == .system && tls.clientCertificate == nil
        if isPlain, let context = system.withLock({ $0[tls.protocols] }) { return context }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = tls.protocols
        configuration.keyLogCallback = { ExporterSecret.receive($0) }
        switch tls.trust {
        case .system: break
        case .authorities(let file): configuration.trustRoots = .certificates(try certificates(in: file))
        // The system's roots aren't needed.
        case .fingerprint:
            // The handler's callback replaces BoringSSL's verification.
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([])
        case .anyone:
            configuration.certificateVerification = .none
            configuration.trustRoots = .certificates([])
        }
        if let certificate = tls.clientCertificate {
            configuration.certificateChain = try certificates(in: certificate.certificateFile).map { .certificate($0) }
            configuration.privateKey = .privateKey(try key(in: certificate.keyFile))
        }
        do {
            let context = try NIOSSLContext(configuration: configuration)
            if isPlain { system.withLock { $0[tls.protocols] = context } }
            return context
        } catch {
            guard let certificate = tls.clientCertificate, error is NIOSSLError else {
                throw TLSFileError(
                    file: "", problem: "the system's certificate authorities can't be read: install ca-certificates")
            }
            throw TLSFileError(
                file: certificate.keyFile,
                problem: "contains a key that doesn't belong to the certificate in \(certificate.certificateFile): "
                    + "set a certificate and a key that belong together; the certificate must be the first in its file")
        }
    }

    private static func certificates(in file: String) throws(TLSFileError) -> [NIOSSLCertificate] {
        let bytes = try PEMFile.read(file)
        guard !bytes.isEmpty, let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty
        else {
            throw TLSFileError(
                file: file,
                problem: "contains no readable certificate: it must be PEM (-----BEGIN CERTIFICATE-----)")
        }
        return certificates
    }

    private static func key(in file: String) throws(TLSFileError) -> NIOSSLPrivateKey {
        let bytes = try PEMFile.read(file)
        if !bytes.isEmpty, let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) { return key }
        let isEncrypted = String(decoding: bytes, as: UTF8.self).contains("ENCRYPTED")
        throw TLSFileError(
            file: file,
            problem: isEncrypted
                ? "contains an encrypted key: decrypt it (openssl pkey -in old.pem -out new.pem)"
                : "contains no readable key: it must be PEM (-----BEGIN PRIVATE KEY-----)")
    }
}

/// A file with certificates or a key that is missing or invalid.
///
/// The description is one line with a fix.
package struct TLSFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path; empty if it is about the system's authorities.
    package let file: String
    /// What is wrong and how to fix it, to follow the path.
    package let problem: String

    /// One line, such as `/etc/ssl/bot.pem doesn't exist: check the path`.
    package var description: String { file.isEmpty ? problem : "\(file) \(problem)" }
}
