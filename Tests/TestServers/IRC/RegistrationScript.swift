/// How a ``ScriptedIRCServer`` handles a client's registration.
public struct RegistrationScript: Sendable {
    /// The offered capabilities with their values, such as `sasl=PLAIN,SCRAM-SHA-256`; nil for a server without capability
    /// negotiation.
    public var capabilities: [String]?
    /// The tokens of its ISUPPORT (005).
    public var support: [String]
    /// Nicks that are in use (433).
    public var takenNicks: Set<String>
    /// The account and password for SASL with PLAIN or SCRAM.
    public var login: (account: String, password: String)?
    /// The server's name.
    public var serverName: String
    /// The time of the welcome (IRCv3 server-time), such as `2026-11-21T19:00:00.000Z`; nil for none.
    public var time: String?

    /// Creates a script; offers nothing by default.
    public init(
        capabilities: [String]? = [], support: [String] = ["CHANTYPES=#", "NICKLEN=30", "NETWORK=Tests"],
        takenNicks: Set<String> = [], login: (account: String, password: String)? = nil,
        serverName: String = "irc.test", time: String? = nil
    ) {
        self.capabilities = capabilities
        self.support = support
        self.takenNicks = takenNicks
        self.login = login
        self.serverName = serverName
        self.time = time
    }
}

/// What a client sent during registration.
public struct RegisteredClient: Sendable {
    /// The client's nick.
    public var nick = ""
    /// The user name in USER.
    public var user = ""
    /// The real name in USER.
    public var realName = ""
    /// The password in PASS.
    public var password: String?
    /// The client's enabled capabilities.
    public var capabilities: Set<String> = []
    /// The account that the client logged in to.
    public var account: String?
    /// The mechanism of the login.
    public var mechanism: String?
}

extension AcceptedIRCClient {
    /// Performs the registration, up to the end of the message of the day (376).
    ///
    /// - Parameter nick: The nick to assign, if it isn't the requested one.
    /// - Throws: ``TestServerError`` on timeout, or if the client disconnects.
    @discardableResult
    public func welcome(
        nick: String? = nil, _ registration: RegistrationScript = RegistrationScript(),
        within limit: Duration = .testLimit
    ) async throws -> RegisteredClient {
        var dialogue = RegistrationDialogue(registration)
        let end = ContinuousClock.now + limit
        while !dialogue.isDone {
            let line = try await next(within: max(.zero, end - .now))
            send(dialogue.answer(line))
        }
        if let nick { dialogue.client.nick = nick }
        send(dialogue.welcome)
        return dialogue.client
    }
}
