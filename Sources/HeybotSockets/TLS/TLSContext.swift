import NIOSSL
import Synchronization

/// Makes what BoringSSL is set up with.
enum TLSContext {
    /// The system's roots are some 140 certificates and 3 MB: parsed once, whatever connects.
    private static let system = Mutex<[[String]: NIOSSLContext]>([:])

    static func make(for tls: TLS) throws(TLSFileError) -> NIOSSLContext {
        let isPlain = tls.trust == .system && tls.identity == nil
        if isPlain, let context = system.withLock({ $0[tls.protocols] }) { return context }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = tls.protocols
        switch tls.trust {
        case .system: break
        case .authorities(let file): configuration.trustRoots = .certificates(try certificates(in: file))
        // Roots that nobody is going to ask needn't be loaded.
        case .fingerprint:
            // The handler's own verification takes the place of BoringSSL's.
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([])
        case .anyone:
            configuration.certificateVerification = .none
            configuration.trustRoots = .certificates([])
        }
        if let identity = tls.identity {
            configuration.certificateChain = try certificates(in: identity.certificateFile).map { .certificate($0) }
            configuration.privateKey = .privateKey(try key(in: identity.keyFile))
        }
        do {
            let context = try NIOSSLContext(configuration: configuration)
            if isPlain { system.withLock { $0[tls.protocols] = context } }
            return context
        } catch {
            guard let identity = tls.identity, error is NIOSSLError else {
                throw TLSFileError(
                    file: "", problem: "the system's certificate authorities can't be read: install ca-certificates")
            }
            throw TLSFileError(
                file: identity.keyFile,
                problem: "has a key that isn't that of the certificate in \(identity.certificateFile): "
                    + "give the two that belong together, the certificate first in its file")
        }
    }

    private static func certificates(in file: String) throws(TLSFileError) -> [NIOSSLCertificate] {
        let bytes = try TextFile.read(file)
        guard !bytes.isEmpty, let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty
        else {
            throw TLSFileError(
                file: file,
                problem: "holds no certificate that can be read: it must be PEM (-----BEGIN CERTIFICATE-----)")
        }
        return certificates
    }

    private static func key(in file: String) throws(TLSFileError) -> NIOSSLPrivateKey {
        let bytes = try TextFile.read(file)
        if !bytes.isEmpty, let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) { return key }
        let isEncrypted = String(decoding: bytes, as: UTF8.self).contains("ENCRYPTED")
        throw TLSFileError(
            file: file,
            problem: isEncrypted
                ? "has an encrypted key: decrypt it (openssl pkey -in old.pem -out new.pem)"
                : "holds no key that can be read: it must be PEM (-----BEGIN PRIVATE KEY-----)")
    }
}

/// A file that TLS needs and that doesn't do; described in one line with its cure.
package struct TLSFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// As it was given; empty if it is about the system's own authorities.
    package let file: String
    /// What is wrong and what to do, to follow the file's name.
    package let problem: String

    /// One line, such as `/etc/ssl/bot.pem isn't there: check the path`.
    package var description: String { file.isEmpty ? problem : "\(file) \(problem)" }
}
