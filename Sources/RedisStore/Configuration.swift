public import Heybot
package import HeybotSockets

extension RedisStore {
    /// The location of the server, and the settings of the connection.
    public struct Configuration: Sendable {
        /// The location of the brain.
        public var address: RedisAddress
        /// A PEM file with the certificate of the authority that signed the server's; nil for the system's authorities.
        public var authorityFile: String?
        /// The SHA-256 fingerprint of the server's certificate, in hexadecimal digits, instead of other verification.
        public var fingerprint: String?
        /// Whether to accept any certificate.
        ///
        /// Unsafe: anyone on the network path can intercept the connection.
        public var acceptsAnyCertificate = false
        /// The password of the Sentinels, if they have one of their own.
        public var sentinelPassword: String?
        /// The timeout of a call, including the time without a connection.
        public var callTimeout: Duration = .seconds(5)
        /// The timeout of ``RedisStore/open()``; nil to wait as long as it takes.
        public var openTimeout: Duration?
        /// Whether to log a warning about settings of the server that may lose data.
        public var warnsOfDataLoss = true
        /// The delays between connection attempts.
        public var reconnect = ConnectionTimings.Reconnect(
            first: .milliseconds(100), longest: .seconds(2), stable: .seconds(10))
        /// The silence after which the server is pinged.
        public var pingInterval: Duration = .seconds(30)

        /// Creates a configuration with default values.
        public init(_ address: RedisAddress) {
            self.address = address
        }
    }
}

extension RedisStore.Configuration {
    /// Returns the TLS settings; nil if the connection isn't encrypted.
    ///
    /// - Throws: ``Heybot/StoreError`` if the fingerprint isn't valid.
    package func tls() throws(StoreError) -> TLSOptions? {
        guard address.isEncrypted else { return nil }
        if let fingerprint {
            guard let known = Fingerprint(fingerprint) else {
                throw StoreError(
                    .failed, "\"\(fingerprint)\" isn't a fingerprint", fix: "a fingerprint has 64 hexadecimal digits")
            }
            return TLSOptions(trust: .fingerprint(known))
        }
        if acceptsAnyCertificate { return TLSOptions(trust: .anyone) }
        return TLSOptions(trust: authorityFile.map { .authorities(file: $0) } ?? .system)
    }
}

// Passwords aren't printed.
extension RedisStore.Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(address)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["address": address]) }
}
