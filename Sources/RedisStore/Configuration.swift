public import Heybot
package import HeybotSockets

extension RedisStore {
    /// Where the server is, and how to deal with it.
    public struct Configuration: Sendable {
        /// Where it is.
        public var address: RedisAddress
        /// A PEM file with the certificate of the authority that signed the server's; nil for those the system knows.
        public var authorityFile: String?
        /// The SHA-256 of the server's certificate in hexadecimal digits, which then is all that is checked.
        public var fingerprint: String?
        /// Whether any certificate is taken, which anybody on the way may have: unsafe.
        public var takesAnyCertificate = false
        /// What the Sentinels want to be told, if they have a password of their own.
        public var sentinelPassword: String?
        /// How long a call may take, the waiting for a server that is away included.
        public var deadline: Duration = .seconds(5)
        /// How long ``RedisStore/open()`` waits for a server that can't be reached; nil for as long as it takes.
        public var patience: Duration?
        /// Whether to warn in the log of settings of the server's with which it may forget.
        public var tellsRisks = true
        /// How long to wait before connecting again.
        public var reconnect = ConnectionPolicy.Reconnect(
            first: .milliseconds(100), longest: .seconds(2), stable: .seconds(10))
        /// After how long without a word from the server it's asked whether it's there.
        public var silence: Duration = .seconds(30)

        /// A configuration with what suits most.
        public init(_ address: RedisAddress) {
            self.address = address
        }
    }
}

extension RedisStore.Configuration {
    /// How the connection is encrypted; nil if it isn't.
    ///
    /// - Throws: ``Heybot/StoreError`` if the fingerprint is none.
    package func tls() throws(StoreError) -> TLS? {
        guard address.isEncrypted else { return nil }
        if let fingerprint {
            guard let known = Fingerprint(fingerprint) else {
                throw StoreError(
                    .failed, "\"\(fingerprint)\" isn't a fingerprint", cure: "give 64 hexadecimal digits")
            }
            return TLS(trust: .fingerprint(known))
        }
        if takesAnyCertificate { return TLS(trust: .anyone) }
        return TLS(trust: authorityFile.map { .authorities(file: $0) } ?? .system)
    }
}

// Passwords aren't shown.
extension RedisStore.Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(address)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["address": address]) }
}
