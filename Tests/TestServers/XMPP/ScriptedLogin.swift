import Foundation

/// How a ``ScriptedXMPPServer`` handles the login.
public struct ScriptedLogin: Sendable {
    /// The server's domain.
    public var domain: String
    /// The account that may log in, and its password.
    public var account: (name: String, password: String)
    /// The offered mechanisms: PLAIN and SCRAM work, any other fails.
    public var mechanisms: [String]
    /// Further stream features before the login, such as `<starttls …/>`.
    public var firstFeatures: String
    /// Further stream features after the login, besides `bind` and `session`.
    public var lastFeatures: String
    /// The resource that the server assigns; nil for the one that the client requests.
    public var resource: String?
    /// The answer to a request to resume a session (XEP-0198), which ends the login unless it is `<failed …/>`.
    public var resumption = "<failed xmlns='urn:xmpp:sm:3'/>"

    /// Creates a login with only the given features.
    public init(
        domain: String = "xmpp.test", account: (name: String, password: String) = ("heybot", "secret"),
        mechanisms: [String] = ["SCRAM-SHA-1", "PLAIN"], firstFeatures: String = "", lastFeatures: String = "",
        resource: String? = nil
    ) {
        self.domain = domain
        self.account = account
        self.mechanisms = mechanisms
        self.firstFeatures = firstFeatures
        self.lastFeatures = lastFeatures
        self.resource = resource
    }
}

/// The result of a client's login.
public struct LoginResult: Sendable {
    /// The domain that the client requested.
    public var domain: String?
    /// The mechanism of the successful login.
    public var mechanism: String?
    /// The mechanisms that failed before.
    public var failures: [String] = []
    /// The client's full address.
    public var address = ""
}

extension AcceptedXMPPClient {
    /// Performs the login, up to the answer to `bind`; `session` is answered whenever it comes.
    ///
    /// - Throws: ``TestServerError`` after the time limit, or if the client disconnects.
    @discardableResult
    public func logIn(
        _ login: ScriptedLogin = ScriptedLogin(), within limit: Duration = .testLimit
    ) async throws -> LoginResult {
        answerRequest("<session") { "<iq type='result' id='\($0)'/>" }
        var dialogue = LoginDialogue(login)
        let end = ContinuousClock.now + limit
        while !dialogue.isDone {
            let piece = try await next(within: max(.zero, end - .now))
            send(dialogue.answer(piece))
        }
        return dialogue.client
    }

    /// Opens the server's side of a stream, with these features.
    ///
    /// - Parameter id: The stream's id.
    public func openStream(from domain: String = "xmpp.test", id: String = "stream", features: String) {
        send(LoginDialogue.header(domain, id) + "<stream:features>\(features)</stream:features>")
    }
}

/// The server's side of a login.
struct LoginDialogue {
    private let login: ScriptedLogin
    private var mechanism: String?
    private var scram: ScramServer?
    private var streams = 0

    var client = LoginResult()
    private(set) var isDone = false

    init(_ login: ScriptedLogin) { self.login = login }

    static func header(_ domain: String, _ id: String) -> String {
        """
        <?xml version='1.0'?><stream:stream from='\(domain)' id='\(id)' version='1.0' xml:lang='en' \
        xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>
        """
    }

    mutating func answer(_ piece: String) -> [String] {
        switch piece.dropFirst().prefix(while: { !" />".contains($0) }) {
        case "stream:stream":
            client.domain = attribute("to", of: piece)
            streams += 1
            return [Self.header(login.domain, "stream-\(streams)"), features]
        case "auth":
            begin(attribute("mechanism", of: piece) ?? "")
            return [authenticate(piece)]
        case "response": return [authenticate(piece)]
        case "abort": return [fail("aborted")]
        case "iq" where piece.contains("urn:ietf:params:xml:ns:xmpp-bind"): return [bind(piece)]
        case "resume":
            isDone = !login.resumption.hasPrefix("<failed")
            return [login.resumption]
        default: return []
        }
    }

    private var features: String {
        let inside =
            if client.mechanism == nil {
                login.firstFeatures + "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
                    + login.mechanisms.map { "<mechanism>\($0)</mechanism>" }.joined() + "</mechanisms>"
            } else {
                login.lastFeatures + "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
                    + "<session xmlns='urn:ietf:params:xml:ns:xmpp-session'><optional/></session>"
            }
        return "<stream:features>\(inside)</stream:features>"
    }

    private mutating func begin(_ name: String) {
        mechanism = name
        scram = ScramServer.Hash(rawValue: name).map { ScramServer($0, password: login.account.password) }
    }

    private mutating func authenticate(_ piece: String) -> String {
        guard let mechanism, login.mechanisms.contains(mechanism) else { return fail("invalid-mechanism") }
        guard let bytes = Data(base64Encoded: content(piece)) else { return fail("incorrect-encoding") }
        if mechanism == "PLAIN" {
            let right = "\0\(login.account.name)\0\(login.account.password)".utf8
            return bytes.elementsEqual(right) ? succeed("") : fail("not-authorized")
        }
        guard let answer = try? scram?.respond(to: Array(bytes)), scram?.account == login.account.name else {
            return fail("not-authorized")
        }
        let text = Data(answer).base64EncodedString()
        if scram?.hasProof == true { return succeed(text) }
        return "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(text)</challenge>"
    }

    private mutating func succeed(_ text: String) -> String {
        client.mechanism = mechanism
        return "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(text)</success>"
    }

    private mutating func fail(_ condition: String) -> String {
        if let mechanism { client.failures.append(mechanism) }
        mechanism = nil
        return "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><\(condition)/></failure>"
    }

    private mutating func bind(_ piece: String) -> String {
        let asked = piece.range(of: "<resource>").flatMap { start in
            piece[start.upperBound...].firstIndex(of: "<").map { String(piece[start.upperBound..<$0]) }
        }
        client.address = "\(login.account.name)@\(login.domain)/\(login.resource ?? asked ?? "given")"
        isDone = true
        return """
            <iq type='result' id='\(attribute("id", of: piece) ?? "")'>\
            <bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>\(client.address)</jid></bind></iq>
            """
    }

    private func content(_ piece: String) -> String {
        String(piece.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" })
    }
}
