/// How a connection is encrypted, and how the server proves who it is.
///
/// TLS 1.2 or newer.
package struct TLS: Hashable, Sendable {
    /// What makes a server believed.
    package enum Trust: Hashable, Sendable {
        /// Its certificate is for the name, and signed by an authority the system knows.
        case system
        /// Its certificate is for the name, and signed by one of the authorities in a PEM file; the system's don't count.
        case authorities(file: String)
        /// It has this very certificate, whoever signed that, and whatever names and dates are in it.
        case fingerprint(Fingerprint)
        /// Nothing: anyone in between can read and change what is sent.
        case anyone
    }

    /// Who we are, if the server asks for a certificate.
    package struct Identity: Hashable, Sendable {
        /// A PEM file with our certificate first, and what leads from it to its authority.
        package var certificateFile: String
        /// A PEM file with its key, not encrypted; the same file if that holds both.
        package var keyFile: String

        /// An identity; the files aren't read yet.
        package init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// What makes the server believed.
    package var trust: Trust

    /// The name that the certificate must be for, and that the server is told (SNI); nil for the endpoint's host.
    ///
    /// If it is an IP address, the server isn't told, the certificate must be for that address, and the connection
    /// must lead there.
    package var name: String?

    /// Our own certificate, for servers that ask for one; nil for none.
    package var identity: Identity?

    /// What will be spoken behind it, for servers that speak several protocols at one port (ALPN, RFC 7301).
    package var protocols: [String] = []

    /// How to encrypt; the files aren't read yet.
    package init(trust: Trust = .system, name: String? = nil, identity: Identity? = nil) {
        self.trust = trust
        self.name = name
        self.identity = identity
    }

    /// Throws what is wrong with the files, so that it can be told at start.
    ///
    /// It reads them, which blocks for a moment; each `Connection.open` reads them again, so they may be renewed meanwhile.
    package func check() throws(TLSFileError) {
        _ = try TLSContext.make(for: self)
    }
}
