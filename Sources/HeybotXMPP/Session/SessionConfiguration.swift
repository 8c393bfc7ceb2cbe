package import HeybotSASL
package import HeybotSupport

/// The account, the rooms and the behavior of a session.
package struct SessionConfiguration: Hashable, Sendable {
    /// A room to join (XEP-0045).
    package struct Room: Hashable, Sendable {
        /// The room's address, without a resource.
        package var address: JID
        /// The password of a protected room.
        package var password: String?
        /// The address of the sender whose invitation led here; nil for a configured room.
        package var inviter: String?
        /// Whether somebody has spoken in the room since the session first joined it.
        package var isUsed = false
        /// The time since which the session has missed the room's messages, on the session's clock; nil if it has missed none
        /// since it was last inside, or has never been inside.
        package var missedSince: Duration?

        /// Creates a room; a resource of the address is ignored.
        package init(_ address: JID, password: String? = nil) {
            self.address = address.bare
            self.password = password
        }
    }

    /// The people who may subscribe to the robot's presence, send it direct messages, and invite it.
    package enum AllowedContacts: Hashable, Sendable {
        case all
        case none
        /// The people with these addresses or of these domains.
        case only(Set<JID>)

        /// Whether a person is included; pass nil if the person's address isn't known.
        package func include(_ person: JID?) -> Bool {
            switch self {
            case .all: true
            case .none: false
            case .only(let known):
                person.map {
                    known.contains($0.bare) || known.contains { $0.local == nil && $0.domain == person?.domain }
                }
                    ?? false
            }
        }
    }

    // The account.
    /// The account's address; a resource is requested if it has one.
    package var address: JID
    /// The resource to request if the address has none; nil for one that the server chooses.
    ///
    /// If a server keeps the session of a killed robot, the next one takes its place by the same resource.
    package var resource: String?
    /// A UUID of the robot's installation, which the server may use to end an earlier session of the same robot (XEP-0388);
    /// nil for none.
    package var installation: String?
    /// The account's password.
    package var password: String
    /// The robot's nick in rooms.
    package var nick: String
    /// The status text of the robot's presence; nil for none.
    package var status: String?
    /// The version in answers to version queries (XEP-0092).
    package var version = "Heybot"

    // The login.
    /// Whether TLS is required; if not, it is never used.
    package var usesTLS = true
    /// The SASL mechanism to try first, if the server offers it.
    package var mechanism: Mechanism?

    // The behavior.
    /// The rooms to join.
    package var rooms: [Room] = []
    /// Whether configured rooms that the session creates are to be persistent (XEP-0045 section 4.2).
    package var makesRoomsPersistent = true
    /// The people who may contact and invite the robot.
    package var contacts = AllowedContacts.all
    /// Whether the session rejoins a room after a kick, a ban, or the destruction of the room.
    package var rejoinsAfterKick = true
    /// Whether the session sends presence to its contacts, and so receives messages to its bare address.
    package var isAvailable = true
    /// Whether the session joins rooms that a contact invites it to.
    package var acceptsInvitations = true
    /// Whether others see that the robot is writing, and has received and read their direct messages.
    package var showsActivity = true
    /// Whether the session, when it quits, stays open on the server if possible, so that another process can resume it.
    package var isKeptAtStop = false
    /// The chat commands that are ad-hoc commands too (XEP-0050).
    package var commands: [AdHocCommand] = []
    /// Whether the rooms that the robot joins by invitation or on request are stored as bookmarks of the account.
    package var usesBookmarks = false
    /// How old the messages may be that rooms repeat after the session was away; zero for none.
    package var missedMessageAge: Duration = .zero

    // Sending.
    /// The rate limit of outgoing messages.
    package var rateLimit = RateLimit(burst: 20, interval: .milliseconds(100))
    /// The maximum number of queued messages.
    package var queueLimit = 1_000
    /// The maximum length of a message, in bytes; longer texts are split.
    package var longestText = 8_192
    /// The maximum size of a stanza in bytes if the server doesn't announce one (XEP-0478); at least 10,000, which every
    /// server accepts.
    package var longestStanza = 65_536

    /// The timeouts and intervals.
    package var timeouts = Timeouts()

    /// Creates a configuration for an account, with defaults that suit most servers.
    package init(address: JID, password: String, nick: String) {
        self.address = address
        self.password = password
        self.nick = nick
    }

    /// Whether a room is one of the configured rooms, rather than one that the robot was invited to.
    func isConfigured(_ room: JID) -> Bool { rooms.contains { $0.address == room } }

    var credentials: Credentials { Credentials(account: address.local ?? "", password: password) }
}

/// The timeouts and intervals of a session.
package struct Timeouts: Hashable, Sendable {
    /// For the login, from the opening of the stream on.
    package var login: Duration = .seconds(60)
    /// The silence after which the server is pinged (XEP-0199).
    package var pingInterval: Duration = .seconds(60)
    /// For the response to a ping or another request.
    package var response: Duration = .seconds(30)
    /// For a room to answer a join.
    package var join: Duration = .seconds(30)
    /// The delay before a refused join is retried.
    package var joinRetryDelay: Duration = .seconds(60)
    /// The delay before a room is rejoined after a kick; it doubles with each further kick.
    package var rejoinDelay: Duration = .seconds(2)
    /// The interval between two attempts to get the configured nick back in a room.
    package var nickRetryInterval: Duration = .seconds(60)
    /// The time after which the session leaves a room that it was invited to and in which nobody speaks.
    package var idleRoom: Duration = .seconds(86_400)
    /// How long a room may be silent before the session checks whether it is still an occupant (XEP-0410).
    package var roomPingInterval: Duration = .seconds(300)

    /// Creates timeouts that suit most servers.
    package init() {}
}

extension SessionConfiguration {
    /// Returns a copy of an element that is safe to log: without credentials and room passwords.
    package func loggable(_ element: Element) -> String {
        guard [Namespace.sasl, Namespace.sasl2].contains(element.namespace) else {
            return Self.withoutPasswords(element).description
        }
        var element = element
        if element.name != "mechanisms", !element.children.isEmpty, element.name != "failure" {
            element.children = [.text("…")]
        }
        return element.description
    }

    /// Passwords of rooms are in elements, in fields of forms, or, in invitations, in attributes of that name.
    private static func withoutPasswords(_ element: Element) -> Element {
        var element = element
        if element["password"] != nil { element["password"] = "…" }
        if element.name == "password" || element.name == "field" && element["var"] == "password" {
            element.children = [.text("…")]
            return element
        }
        for index in element.children.indices {
            guard case .element(let child) = element.children[index] else { continue }
            element.children[index] = .element(withoutPasswords(child))
        }
        return element
    }
}
