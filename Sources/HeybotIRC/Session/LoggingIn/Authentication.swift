import FoundationEssentials
import HeybotSASL

/// Logging in by SASL (IRCv3 sasl-3.2): the best mechanism first, each tried once.
struct Authentication: Sendable {
    /// What came of a line of the server's.
    enum Step {
        case none
        case send([IRCMessage])
        case succeeded
        /// Nothing is left to try; the reasons, a mechanism each. It is lasting if a password or certificate was
        /// refused, else trying again later may help.
        case failed([LoginProblem], isLasting: Bool)
    }

    /// Best first.
    private static let mechanisms: [Mechanism] = [.external, .scramSHA256, .plain]
    /// The longest part of a response (sasl-3.1).
    private static let partLength = 400
    private static let longestChallenge = 16_384

    private let credentials: Credentials?
    private let hasCertificate: Bool
    private let nonce: String
    private let sendsPlain: Bool
    private var untried: [Mechanism] = []
    private var login: Login?
    /// The mechanism that logged us in.
    private(set) var used: Mechanism?
    private var hasBegun = false
    /// Whether the server has had our proof of the password, so that a failure means that the password is wrong.
    private var hasProved = false
    private var challenge = ""
    private var problems: [LoginProblem] = []
    private var isLasting = false
    private var rounds = 0
    /// We broke off, and the server has yet to say that it heard.
    private var isBreakingOff = false
    /// When the services have had their time.
    private(set) var deadline: Duration?

    /// - Parameters:
    ///   - nonce: Random text, for the mechanisms that need some.
    ///   - sendsPlain: Whether the password may be sent as it is.
    init(_ credentials: Credentials?, hasCertificate: Bool, nonce: String, sendsPlain: Bool = true) {
        self.sendsPlain = sendsPlain
        self.credentials = credentials
        self.hasCertificate = hasCertificate
        self.nonce = nonce
    }

    var isUnderWay: Bool { login != nil || isBreakingOff }

    /// Begins again, with all the mechanisms that we can and the server offers.
    ///
    /// - Parameter offered: The names it offers; empty if it doesn't tell.
    mutating func begin(offered: String, until deadline: Duration) -> Step {
        untried = Self.mechanisms.filter { $0 == .external ? hasCertificate : credentials != nil }
        problems = []
        isLasting = false
        self.deadline = deadline
        keep(offered)
        if !sendsPlain, untried.contains(.plain) {
            untried.removeAll { $0 == .plain }
            if untried.isEmpty { problems = [.inTheClear("PLAIN")] }
        }
        return next()
    }

    private mutating func keep(_ offered: String) {
        let names = Set(offered.uppercased().split { $0 == "," || $0 == " " }.map(String.init))
        guard !names.isEmpty else { return }
        untried.removeAll { !names.contains($0.rawValue) }
    }

    private mutating func next() -> Step {
        login = nil
        challenge = ""
        hasBegun = false
        hasProved = false
        isBreakingOff = false
        guard !untried.isEmpty else {
            deadline = nil
            if problems.isEmpty { problems = ["the server has no mechanism that we could use"] }
            return .failed(problems, isLasting: isLasting)
        }
        let mechanism = untried.removeFirst()
        rounds += 1
        do {
            login = try Login(mechanism, credentials, nonce: nonce + String(rounds))
            return .send([IRCMessage("AUTHENTICATE", mechanism.rawValue)])
        } catch {
            problems.append("\(mechanism.rawValue): \(error)")
            return next()
        }
    }

    /// Takes a line of the server's.
    mutating func receive(_ message: IRCMessage) -> Step {
        if message.command == "AUTHENTICATE" { return answer(message.parameters.first ?? "") }
        switch message.numeric {
        case .authenticationFailed where isBreakingOff, .authenticationAborted where isBreakingOff: return next()
        case .authenticated, .alreadyAuthenticated: return succeed()
        case .nickLocked, .authenticationFailed: return fail(message.parameters.last ?? "", isLasting: true)
        case .authenticationTooLong: return fail(message.parameters.last ?? "", isLasting: false)
        case .authenticationAborted: return login == nil ? .none : fail("it was broken off")
        case .mechanisms:
            if message.parameters.count > 1 { keep(message.parameters[1]) }
            return .none
        default: return .none
        }
    }

    /// The services don't answer.
    mutating func expire() -> Step {
        deadline = nil
        guard isUnderWay else { return .none }
        if let login { problems.append("\(login.mechanism.rawValue): no answer") }
        login = nil
        isBreakingOff = false
        return .failed(problems, isLasting: false)
    }

    private mutating func answer(_ part: String) -> Step {
        guard login != nil else { return .none }
        if part != "+" { challenge += part }
        guard challenge.utf8.count <= Self.longestChallenge else { return breakOff("a challenge that is too long") }
        if part.utf8.count >= Self.partLength { return .none }
        defer { challenge = "" }
        guard let bytes = Data(base64Encoded: challenge) else { return breakOff("a challenge that isn't base64") }
        do {
            let response: [UInt8]?
            if hasBegun {
                response = try login?.respond(to: Array(bytes))
                hasProved = true
            } else {
                hasBegun = true
                response = login?.begin()
            }
            return .send(Self.lines(response ?? []))
        } catch {
            if error == .wrongSignature || hasProved {
                untried = []
                isLasting = true
            }
            return breakOff("\(error)")
        }
    }

    /// A response in parts; the last is shorter than the longest, so that its end can be told.
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

    private mutating func succeed() -> Step {
        guard login != nil else { return .none }
        do {
            try login?.finish(nil)
        } catch {
            // Whoever only claims to know the password must not get it by a weaker mechanism.
            untried = []
            return fail("\(error)", isLasting: true)
        }
        used = login?.mechanism
        login = nil
        deadline = nil
        return .succeeded
    }

    private mutating func breakOff(_ reason: String) -> Step {
        guard let mechanism = login?.mechanism.rawValue else { return .none }
        problems.append("\(mechanism): \(reason)")
        login = nil
        isBreakingOff = true
        return .send([IRCMessage("AUTHENTICATE", "*")])
    }

    private mutating func fail(_ reason: String, isLasting: Bool = false) -> Step {
        guard let mechanism = login?.mechanism.rawValue else { return .none }
        problems.append("\(mechanism): \(reason)")
        if isLasting { self.isLasting = true }
        // It wasn't the mechanism that was refused: the same password by a weaker one is of no use but to whoever listens.
        if hasProved { untried = [] }
        return next()
    }
}

/// Why a way of logging in didn't work.
package enum LoginProblem: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation {
    /// A mechanism or service would be told the password over a connection that isn't encrypted.
    case inTheClear(String)
    /// The service is on a server that may be for anybody, so it isn't told the password.
    case untrustedService(String, server: String)
    case other(String)

    package init(stringLiteral: String) { self = .other(stringLiteral) }

    package var description: String {
        switch self {
        case .inTheClear(let way): "\(way): the connection isn't encrypted, so others could read the password"
        case .untrustedService(let nick, let server):
            "\(nick) is on \(server), which may be a server for anybody, so it isn't told the password"
        case .other(let text): text
        }
    }
}
