/// One attempt to log in by one mechanism: challenges in, responses out.
///
/// After an error it's over: everything that comes then is an error too. Nothing describes, prints or dumps what is
/// secret in it.
package struct Login: Sendable {
    /// The fewest rounds of hashing a server may ask for: 4,096 (RFC 7677 section 4).
    ///
    /// With fewer, whoever reads or fakes the server could find the password too cheaply.
    package static let minimumIterations = 4_096

    /// The most rounds of hashing a server may ask for: a million.
    ///
    /// The call that hashes blocks its thread meanwhile, for about half a second at the most.
    package static let maximumIterations = 1_000_000

    private enum Step { case new, begun, over }

    /// How this attempt logs in.
    package let mechanism: Mechanism

    private let first: [UInt8]
    private var scram: Scram?
    private var step = Step.new

    /// An attempt that has said nothing yet.
    ///
    /// SCRAM prepares account and password as SASLprep (RFC 4013) wants it, but for two of its steps: neither
    /// normalization (NFKC) nor the check of mixed directions is done, so a password that only these would change
    /// or refuse is used as it is. PLAIN sends both as they are, since there the server prepares them (RFC 4616).
    ///
    /// - Parameters:
    ///   - credentials: who logs in; EXTERNAL needs none, and sends nothing of it.
    ///   - nonce: random text that is used once: for SCRAM at least 18 printable ASCII characters, without commas.
    /// - Throws: `LoginError.unusable` if something is missing or can't be sent.
    package init(_ mechanism: Mechanism, _ credentials: Credentials?, nonce: String) throws(LoginError) {
        self.mechanism = mechanism
        if mechanism == .external {
            first = []
            return
        }
        guard let credentials, !credentials.account.isEmpty, !credentials.password.isEmpty else {
            throw .unusable("\(mechanism.rawValue) needs an account and a password")
        }
        guard mechanism != .plain else {
            first = try Self.plain(credentials)
            return
        }
        let scram = try Scram(mechanism == .scramSHA1 ? .sha1 : .sha256, credentials, nonce: nonce)
        first = scram.first
        self.scram = scram
    }

    /// What to send first, together with or after naming the mechanism.
    ///
    /// For EXTERNAL it's empty, which a protocol may have to write in its own way. To be called once: later it
    /// returns nothing and changes nothing.
    package mutating func begin() -> [UInt8] {
        guard step == .new else { return [] }
        step = .begun
        return first
    }

    /// What to answer to a challenge of the server.
    ///
    /// An empty challenge before anything was said asks for what ``begin()`` returns.
    ///
    /// - Throws: a ``LoginError`` if the challenge is wrong, or where there is nothing more to say.
    package mutating func respond(to challenge: [UInt8]) throws(LoginError) -> [UInt8] {
        if step == .new, challenge.isEmpty { return begin() }
        let wasBegun = step == .begun
        step = .over
        guard wasBegun, let answer = try scram?.respond(to: challenge) else {
            throw .badChallenge("it asks for more than \(mechanism.rawValue) has to say")
        }
        step = .begun
        return answer
    }

    /// Takes the server's word that it worked.
    ///
    /// With SCRAM only once its signature was right, be it in a challenge before or in the data here. It's the end of
    /// the attempt.
    ///
    /// - Parameter data: what came with the success, as in XMPP; nil or empty if nothing did.
    /// - Throws: `LoginError.wrongSignature` if the server claims success without having proved that it knows the
    ///   password; another ``LoginError`` if what it said is no signature at all.
    package mutating func finish(_ data: [UInt8]?) throws(LoginError) {
        defer { (step, scram) = (.over, nil) }
        guard step == .begun else { throw .badChallenge("it ends what isn't going on") }
        guard mechanism == .scramSHA1 || mechanism == .scramSHA256 else { return }
        guard var scram else { throw .wrongSignature }
        try scram.finish(data ?? [])
    }

    /// The account isn't given: whose login it is follows from the name alone (RFC 4616 section 2).
    private static func plain(_ credentials: Credentials) throws(LoginError) -> [UInt8] {
        let (account, password) = (Array(credentials.account.utf8), Array(credentials.password.utf8))
        guard !account.contains(0) else { throw .unusable("the account has a NUL character in it") }
        guard !password.contains(0) else { throw .unusable("the password has a NUL character in it") }
        return [0] + account + [0] + password
    }
}

extension Login: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The mechanism alone.
    package var description: String { "a login by \(mechanism.rawValue)" }

    /// The mechanism alone.
    package var debugDescription: String { "Login(\(mechanism.rawValue))" }

    /// The mechanism alone.
    package var customMirror: Mirror { Mirror(self, children: ["mechanism": mechanism]) }
}
