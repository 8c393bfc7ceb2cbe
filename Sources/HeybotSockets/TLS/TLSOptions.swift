/// A connection's TLS configuration: TLS 1.2 or newer.
package struct TLSOptions: Hashable, Sendable {
    /// How the server's certificate is verified.
    package enum Trust: Hashable, Sendable {
        /// It must be for the name, and signed by one of the system's authorities.
        case system
        /// It must be for the name, and signed by one of the authorities in a PEM file, instead of the system's.
        case authorities(file: String)
        /// It must have this fingerprint; signature, names and dates aren't checked.
        case fingerprint(Fingerprint)
        /// Not at all: an attacker can read and change the traffic.
        case anyone
    }

    /// A client certificate.
    package struct ClientCertificate: Hashable, Sendable {
        /// A PEM file with the certificate first, followed by its chain.
        package var certificateFile: String
        /// A PEM file with the unencrypted key; may be the same file.
        package var keyFile: String

        /// Creates a client certificate; the files aren't read yet.
        package init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// How the server's certificate is verified.
    package var trust: Trust

    /// The name that the certificate must be for, also sent to the server (SNI); nil for the endpoint's host.
    ///
    /// If it is an IP address, SNI isn't used, the certificate must be for that address, and the connection must lead to it.
    package var name: String?

    /// The client certificate, for servers that request one; nil for none.
    package var clientCertificate: ClientCertificate?

    /// The protocols to negotiate (ALPN, RFC 7301).
    package var protocols: [String] = []

    /// Creates a configuration; the files aren't read yet.
    package init(trust: Trust = .system, name: String? = nil, clientCertificate: ClientCertificate? = nil) {
        self.trust = trust
        self.name = name
        self.clientCertificate = clientCertificate
    }

    /// Reads and checks the files, to report errors at startup.
    ///
    /// This blocks briefly. Each `Connection.open` reads them again, so they can be renewed meanwhile.
    ///
    /// - Throws: ``TLSFileError`` if a file is missing or invalid.
    package func check() throws(TLSFileError) {
        _ = try NIOSSLContextFactory.make(for: self)
    }
}
