/// How a ``ScriptedIRCServer`` goes through the beginning of a connection.
public struct Registration: Sendable {
    /// The capabilities to offer, with their values, such as `sasl=PLAIN,SCRAM-SHA-256`; nil for a server that knows
    /// nothing of capabilities.
    public var capabilities: [String]?
    /// The tokens of its ISUPPORT (005).
    public var support: [String]
    /// Nicks that others have already (433).
    public var takenNicks: Set<String>
    /// The account and password that log in by SASL: by PLAIN, SCRAM-SHA-1 or SCRAM-SHA-256.
    public var login: (account: String, password: String)?
    /// The name the server gives itself.
    public var serverName: String

    /// A server that offers nothing but what is asked for.
    public init(
        capabilities: [String]? = [], support: [String] = ["CHANTYPES=#", "NICKLEN=30", "NETWORK=Tests"],
        takenNicks: Set<String> = [], login: (account: String, password: String)? = nil,
        serverName: String = "irc.test"
    ) {
        self.capabilities = capabilities
        self.support = support
        self.takenNicks = takenNicks
        self.login = login
        self.serverName = serverName
    }
}

/// What a client said of itself in the beginning.
public struct Registered: Sendable {
    /// The nick it has now.
    public var nick = ""
    /// The name of its user, by USER.
    public var user = ""
    /// Its real name, by USER.
    public var realName = ""
    /// What it said by PASS.
    public var password: String?
    /// The capabilities it has now.
    public var capabilities: Set<String> = []
    /// The account it has logged in to.
    public var account: String?
    /// The mechanism it has logged in by.
    public var mechanism: String?
}

extension AcceptedIRCClient {
    /// Goes through the beginning, up to the end of the message of the day (376).
    ///
    /// - Parameter nick: what the client is called in the end, if it isn't what it asks for.
    /// - Throws: ``ServersError`` if it takes longer than the limit, or the client goes away.
    @discardableResult
    public func welcome(
        nick: String? = nil, _ registration: Registration = Registration(), within limit: Duration = .testLimit
    ) async throws -> Registered {
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
