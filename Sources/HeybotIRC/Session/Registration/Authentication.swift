import FoundationEssentials
import HeybotSASL

/// Login by SASL (IRCv3 sasl-3.2): tries each mechanism once, the strongest first.
struct Authentication: Sendable {
    /// The result of handling a message from the server.
    enum StepResult {
        case none
        case send([IRCMessage])
        case succeeded
        /// All mechanisms have failed; the reasons, one for each. Permanent if a password or certificate was rejected; otherwise
        /// a later attempt may succeed.
        case failed([LoginFailureReason], isPermanent: Bool)
    }

    /// The strongest first.
    private static let mechanisms: [Mechanism] = [.external, .ecdsaChallenge, .scramSHA512, .scramSHA256, .plain]
    /// The most bytes of a response in one message (sasl-3.1).
    private static let partLength = 400
    private static let maxChallengeLength = 16_384

    private let credentials: Credentials?
    private let signer: SigningCredentials?
    private let hasCertificate: Bool
    private let nonce: String
    private let sendsPlain: Bool
    /// The mechanisms that may be used.
    private let allowed: Set<Mechanism>
    private var untried: [Mechanism] = []
    private var login: SASLClient?
    /// The mechanism of the successful login.
    private(set) var used: Mechanism?
    private var hasBegun = false
    /// Whether the server has received proof of the password, so that a failure means that the password is wrong.
    private var hasProved = false
    private var challenge = ""
    private var reasons: [LoginFailureReason] = []
    private var isPermanent = false
    private var rounds = 0
    /// Whether `AUTHENTICATE *` was sent and the server hasn't confirmed the abort.
    private var isBreakingOff = false
    /// When the login times out.
    private(set) var deadline: Duration?

    /// - Parameters:
    ///   - signer: The account and the key to log in with by a signature; nil if there is none.
    ///   - nonce: Random text, for SCRAM.
    ///   - sendsPlain: Whether the password may be sent in plain text.
    ///   - allowed: The mechanisms that may be used.
    init(
        _ credentials: Credentials?, signer: SigningCredentials? = nil, hasCertificate: Bool, nonce: String,
        sendsPlain: Bool = true, allowed: Set<Mechanism> = Set(Mechanism.allCases)
    ) {
        self.sendsPlain = sendsPlain
        self.allowed = allowed
        self.credentials = credentials
        self.signer = signer
        self.hasCertificate = hasCertificate
        self.nonce = nonce
    }

    var isUnderWay: Bool { login != nil || isBreakingOff }

    /// Starts a login, with every mechanism that the client can use and the server offers.
    ///
    /// - Parameter offered: The names of the mechanisms that the server offers; empty if it doesn't list them.
    mutating func begin(offered: String, until deadline: Duration) -> StepResult {
        untried = Self.mechanisms.filter { allowed.contains($0) && canUse($0) }
        reasons = []
        isPermanent = false
        self.deadline = deadline
        keep(offered)
        if !sendsPlain, untried.contains(.plain) {
            untried.removeAll { $0 == .plain }
            if untried.isEmpty { reasons = [.inTheClear("PLAIN")] }
        }
        return next()
    }

    /// Whether there is what a mechanism needs.
    private func canUse(_ mechanism: Mechanism) -> Bool {
        switch mechanism {
        case .external: hasCertificate
        case .ecdsaChallenge: signer != nil
        default: credentials != nil
        }
    }

    /// Whether the key is all that there is to log in with.
    private var hasOnlyKey: Bool {
        signer != nil && credentials == nil && !hasCertificate && allowed.contains(.ecdsaChallenge)
    }

    private mutating func keep(_ offered: String) {
        let names = Set(offered.uppercased().split { $0 == "," || $0 == " " }.map(String.init))
        guard !names.isEmpty else { return }
        untried.removeAll { !names.contains($0.rawValue) }
    }

    private mutating func next() -> StepResult {
        login = nil
        challenge = ""
        hasBegun = false
        hasProved = false
        isBreakingOff = false
        guard !untried.isEmpty else {
            deadline = nil
            if reasons.isEmpty, hasOnlyKey {
                reasons = [.keyUnsupported]
            } else if reasons.isEmpty {
                let isLimited = !allowed.isSuperset(of: Self.mechanisms)
                let which = isLimited ? "SASL mechanism that the settings allow" : "usable SASL mechanism"
                reasons = ["the server offers no \(which)"]
            }
            return .failed(reasons, isPermanent: isPermanent)
        }
        let mechanism = untried.removeFirst()
        rounds += 1
        do {
            login = try SASLClient(
                mechanism, credentials, signer: signer, nonce: nonce + String(rounds), namesIdentity: true)
            return .send([IRCMessage("AUTHENTICATE", mechanism.rawValue)])
        } catch {
            reasons.append("\(mechanism.rawValue): \(error)")
            return next()
        }
    }

    /// Handles a message from the server.
    mutating func receive(_ message: IRCMessage) -> StepResult {
        if message.command == "AUTHENTICATE" { return answer(message.parameters.first ?? "") }
        switch message.numeric {
        case .authenticationFailed where isBreakingOff, .authenticationAborted where isBreakingOff: return next()
        case .authenticated, .alreadyAuthenticated: return succeed()
        case .nickLocked, .authenticationFailed: return fail(message.parameters.last ?? "", isPermanent: true)
        case .authenticationTooLong: return fail(message.parameters.last ?? "", isPermanent: false)
        case .authenticationAborted: return login == nil ? .none : fail("the login was aborted")
        case .mechanisms:
            if message.parameters.count > 1 { keep(message.parameters[1]) }
            return .none
        default: return .none
        }
    }

    /// Ends the login because the server didn't answer in time.
    mutating func expire() -> StepResult {
        deadline = nil
        guard isUnderWay else { return .none }
        if let login { reasons.append("\(login.mechanism.rawValue): no answer") }
        login = nil
        isBreakingOff = false
        return .failed(reasons, isPermanent: false)
    }

    private mutating func answer(_ part: String) -> StepResult {
        guard login != nil else { return .none }
        if part != "+" { challenge += part }
        guard challenge.utf8.count <= Self.maxChallengeLength else { return breakOff("the challenge is too long") }
        if part.utf8.count >= Self.partLength { return .none }
        defer { challenge = "" }
        guard let bytes = Data(base64Encoded: challenge) else { return breakOff("the challenge isn't base64") }
        do {
            let response: [UInt8]?
            if hasBegun {
                response = try login?.respond(to: Array(bytes))
                // A signature says nothing about the password.
                hasProved = login?.mechanism != .ecdsaChallenge
            } else {
                hasBegun = true
                response = login?.begin()
            }
            return .send(Self.lines(response ?? []))
        } catch {
            if error == .wrongSignature || hasProved {
                untried = []
                isPermanent = true
            }
            return breakOff("\(error)")
        }
    }

    /// Splits a response into messages.
    ///
    /// The last one is shorter than the limit, which marks the end.
    static func lines(_ response: [UInt8]) -> [IRCMessage] {
        var rest = Data(response).base64EncodedString()[...]
        var lines: [IRCMessage] = []
        while rest.utf8.count >= partLength {
            lines.append(IRCMessage("AUTHENTICATE", String(rest.prefix(partLength))))
            rest = rest.dropFirst(partLength)
        }
        lines.append(IRCMessage("AUTHENTICATE", rest.isEmpty ? "+" : String(rest)))
        return lines
    }

    private mutating func succeed() -> StepResult {
        guard login != nil else { return .none }
        do {
            try login?.finish(nil)
        } catch {
            // The server accepted the login without proving that it knows the password: never send it the password by a weaker
            // mechanism.
            untried = []
            return fail("\(error)", isPermanent: true)
        }
        used = login?.mechanism
        login = nil
        deadline = nil
        return .succeeded
    }

    private mutating func breakOff(_ reason: String) -> StepResult {
        guard let mechanism = login?.mechanism.rawValue else { return .none }
        reasons.append("\(mechanism): \(reason)")
        login = nil
        isBreakingOff = true
        return .send([IRCMessage("AUTHENTICATE", "*")])
    }

    private mutating func fail(_ reason: String, isPermanent: Bool = false) -> StepResult {
        guard let mechanism = login?.mechanism else { return .none }
        let text = "\(mechanism.rawValue): \(reason)"
        // Before it knows the account, the server refuses the mechanism.
        let isKeyRefused = mechanism == .ecdsaChallenge && isPermanent && hasBegun
        reasons.append(isKeyRefused ? .keyRefused(text) : .other(text))
        if isPermanent { self.isPermanent = true }
        // The password was rejected, not the mechanism. A weaker mechanism would only expose the password.
        if hasProved { untried = [] }
        return next()
    }
}

/// Why a login method failed.
package enum LoginFailureReason: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation {
    /// A mechanism or service would receive the password over an unencrypted connection.
    case inTheClear(String)
    /// The service is on a server that may not belong to the network's services, so the password isn't sent.
    case untrustedService(String, server: String)
    /// The account hasn't the public half of the key, or doesn't exist.
    case keyRefused(String)
    /// The network can't verify a key, and there is nothing else to log in with.
    case keyUnsupported
    case other(String)

    package init(stringLiteral: String) { self = .other(stringLiteral) }

    package var description: String {
        switch self {
        case .inTheClear(let way): "\(way): the connection isn't encrypted, so others could read the password"
        case .untrustedService(let nick, let server):
            "\(nick) is on \(server), which may not be a services server, so the password wasn't sent"
        case .keyUnsupported: "the network offers no login by a key (SASL ECDSA-NIST256P-CHALLENGE)"
        case .keyRefused(let text), .other(let text): text
        }
    }
}
