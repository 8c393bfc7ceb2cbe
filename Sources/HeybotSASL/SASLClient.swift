import HeybotSupport

/// A client for one SASL exchange: challenges in, responses out.
///
/// After an error, every further call throws. Descriptions, dumps and mirrors omit secrets.
package struct SASLClient: Sendable {
    /// The lowest iteration count that is accepted: 4,096 (RFC 7677 section 4).
    ///
    /// A lower one would make it cheap for an eavesdropper or a fake server to guess the password.
    package static let minimumIterations = 4_096

    /// The highest iteration count that is accepted: a million.
    ///
    /// Hashing blocks the calling thread, with this count for about half a second.
    package static let maximumIterations = 1_000_000

    private enum State { case new, begun, over }

    /// The mechanism.
    package let mechanism: Mechanism

    private let first: [UInt8]
    private var scram: SCRAMClient?
    /// Signs the challenge; nil once it has.
    private var key: SigningKey?
    private var state = State.new

    /// Starts an exchange.
    ///
    /// SCRAM prepares account and password with SASLprep (RFC 4013), except for two of its steps, normalization (NFKC) and the
    /// bidirectional check: a password that only they would change or reject is used as it is. PLAIN sends both unprepared, as
    /// the server prepares them (RFC 4616).
    ///
    /// - Parameters:
    ///   - credentials: Not needed for EXTERNAL, which sends nothing of them, and for a login by signature.
    ///   - signer: The account and the key for a login by signature.
    ///   - nonce: Random text that is used only once; for SCRAM at least 18 printable ASCII characters, without commas.
    ///   - namesIdentity: Whether PLAIN also sends the account as the identity to act as, instead of none. Both mean the same
    ///     (RFC 4616 section 2), but services of IRC are used to the former.
    ///   - binding: What SCRAM tells the server about channel binding; a mechanism with `-PLUS` needs a bound login.
    ///   - offer: What the server offers, for SCRAM to verify it; nil if it can't be verified.
    /// - Throws: `SASLError.unusable` if something is missing or can't be sent.
    package init(
        _ mechanism: Mechanism, _ credentials: Credentials?, signer: SigningCredentials? = nil, nonce: String,
        namesIdentity: Bool = false, binding: ChannelBindingUse = .impossible, offer: SASLOffer? = nil
    ) throws(SASLError) {
        self.mechanism = mechanism
        if mechanism == .external {
            first = []
            return
        }
        if mechanism == .ecdsaChallenge {
            let (account, key) = try Self.signing(signer)
            first = account
            self.key = key
            return
        }
        guard let credentials, !credentials.account.isEmpty, !credentials.password.isEmpty else {
            throw .unusable("\(mechanism.rawValue) needs an account and a password")
        }
        guard let hash = mechanism.hash else {
            first = try Self.plain(credentials, namesIdentity: namesIdentity)
            return
        }
        if case .bound = binding {
            guard mechanism.isBound else { throw .unusable("\(mechanism.rawValue) can't be bound to a connection") }
        } else if mechanism.isBound {
            throw .unusable("\(mechanism.rawValue) needs a value of the connection")
        }
        let scram = try SCRAMClient(hash, credentials, nonce: nonce, binding, offer)
        first = scram.first
        self.scram = scram
    }

    /// Returns the initial response, to be sent with or after the mechanism's name.
    ///
    /// It is empty for EXTERNAL, which some protocols encode specially. Call it once: later calls return an empty response.
    package mutating func begin() -> [UInt8] {
        guard state == .new else { return [] }
        state = .begun
        return first
    }

    /// Returns the response to a challenge.
    ///
    /// An empty challenge at the start asks for the initial response, as ``begin()`` returns it.
    ///
    /// - Throws: A ``SASLError`` if the challenge is invalid, or the mechanism has no further response.
    package mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
        if state == .new, challenge.isEmpty { return begin() }
        let wasBegun = state == .begun
        state = .over
        guard wasBegun, let answer = try response(to: challenge) else {
            throw .badChallenge("it asks for another response after \(mechanism.rawValue)'s last one")
        }
        state = .begun
        return answer
    }

    private mutating func response(to challenge: [UInt8]) throws(SASLError) -> [UInt8]? {
        guard let key = key.take() else { return try scram?.respond(to: challenge) }
        guard challenge.count == SigningKey.digestByteCount else {
            throw .badChallenge("its challenge has \(challenge.count) bytes instead of \(SigningKey.digestByteCount)")
        }
        do { return try key.signature(of: challenge) } catch { throw SASLError.unusable("the key's file \(error)") }
    }

    /// Verifies the server's claim of success, and ends the exchange.
    ///
    /// With SCRAM, the server's signature must be valid, in an earlier challenge or in the data.
    ///
    /// - Parameter data: The additional data sent with the success, as in XMPP; nil or empty if there is none.
    /// - Throws: `SASLError.wrongSignature` if the server hasn't proved that it knows the password; another ``SASLError`` if the
    ///   data isn't a signature.
    package mutating func finish(_ data: [UInt8]?) throws(SASLError) {
        defer { (state, scram, key) = (.over, nil, nil) }
        guard state == .begun else { throw .badChallenge("it reports success, but no login is in progress") }
        guard mechanism.hash != nil else { return }
        guard var scram else { throw .wrongSignature }
        try scram.finish(data ?? [])
    }

    /// Without an authorization identity, because it follows from the account.
    private static func signing(_ signer: SigningCredentials?) throws(SASLError) -> ([UInt8], SigningKey) {
        guard let signer, !signer.account.isEmpty else {
            throw .unusable("\(Mechanism.ecdsaChallenge.rawValue) needs an account and a key")
        }
        guard !signer.account.utf8.contains(0) else { throw .unusable("the account contains a NUL character") }
        return (Array(signer.account.utf8), signer.key)
    }

    /// Without an authorization identity unless it is to be named, because it follows from the account (RFC 4616 section 2).
    private static func plain(_ credentials: Credentials, namesIdentity: Bool) throws(SASLError) -> [UInt8] {
        let (account, password) = (Array(credentials.account.utf8), Array(credentials.password.utf8))
        guard !account.contains(0) else { throw .unusable("the account contains a NUL character") }
        guard !password.contains(0) else { throw .unusable("the password contains a NUL character") }
        return (namesIdentity ? account : []) + [0] + account + [0] + password
    }
}

extension SASLClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The mechanism, without secrets.
    package var description: String { "a login by \(mechanism.rawValue)" }

    /// The mechanism, without secrets.
    package var debugDescription: String { "SASLClient(\(mechanism.rawValue))" }

    /// The mechanism, without secrets.
    package var customMirror: Mirror { Mirror(self, children: ["mechanism": mechanism]) }
}

/// A SASL mechanism (RFC 4422).
///
/// `allCases` is sorted by strength: use the first one that the server offers and the credentials allow.
package enum Mechanism: String, CaseIterable, Hashable, Sendable {
    /// Authentication by the connection itself, such as a client certificate (RFC 4422 appendix A).
    case external = "EXTERNAL"
    /// A signature of the server's challenge, by ECDSA on the curve P-256 (Atheme's services for IRC).
    ///
    /// The server learns no secret, but doesn't prove anything either.
    case ecdsaChallenge = "ECDSA-NIST256P-CHALLENGE"
    /// As ``scramSHA512``, bound to the encrypted connection, so that nobody can be in between (RFC 5802 section 6).
    case boundSCRAMSHA512 = "SCRAM-SHA-512-PLUS"
    /// As ``scramSHA256``, bound to the encrypted connection.
    case boundSCRAMSHA256 = "SCRAM-SHA-256-PLUS"
    /// As ``scramSHA1``, bound to the encrypted connection.
    case boundSCRAMSHA1 = "SCRAM-SHA-1-PLUS"
    /// As ``scramSHA256``, with a longer hash (draft-melnikov-scram-sha-512).
    case scramSHA512 = "SCRAM-SHA-512"
    /// Mutual proof of the password (RFC 7677).
    case scramSHA256 = "SCRAM-SHA-256"
    /// As ``scramSHA256``, with an older hash function (RFC 5802).
    case scramSHA1 = "SCRAM-SHA-1"
    /// The password in plain text, visible to anyone who can read the connection (RFC 4616).
    case plain = "PLAIN"

    /// The hash function of SCRAM; nil for other mechanisms.
    var hash: CryptographicHash? {
        switch self {
        case .boundSCRAMSHA512, .scramSHA512: .sha512
        case .boundSCRAMSHA256, .scramSHA256: .sha256
        case .boundSCRAMSHA1, .scramSHA1: .sha1
        case .external, .ecdsaChallenge, .plain: nil
        }
    }

    /// Whether the login is bound to the encrypted connection.
    package var isBound: Bool {
        switch self {
        case .boundSCRAMSHA512, .boundSCRAMSHA256, .boundSCRAMSHA1: true
        case .external, .ecdsaChallenge, .scramSHA512, .scramSHA256, .scramSHA1, .plain: false
        }
    }
}
