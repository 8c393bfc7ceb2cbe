package import HeybotSASL
package import HeybotSupport

/// Who we are on the network, and how we behave there.
package struct Profile: Hashable, Sendable {
    /// A room to be in (XEP-0045).
    package struct Room: Hashable, Sendable {
        /// Without a resource.
        package var address: JID
        /// What lets us in if it asks for one.
        package var password: String?
        /// The domain of who invited us to it; nil if it is of our own choice.
        package var inviter: String?
        /// Whether somebody has spoken there since we came in first.
        package var isUsed = false

        /// Names a room; a resource of the address is left out.
        package init(_ address: JID, password: String? = nil) {
            self.address = address.bare
            self.password = password
        }
    }

    /// Who may befriend us, and talk with us alone.
    package enum Contacts: Hashable, Sendable {
        case all
        case none
        /// Those with these addresses or of these domains.
        case only(Set<JID>)

        /// Whether somebody is among them; nil stands for somebody who doesn't show their address.
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

    // Who we are.
    /// Our address; with a resource, that is asked for.
    package var address: JID
    package var password: String
    /// What we are called in rooms.
    package var nick: String
    /// What our presence says of us; nil for nothing.
    package var status: String?
    /// What we tell who asks for our version (XEP-0092).
    package var version = "Heybot"

    // How we log in.
    /// Whether the connection must be encrypted before anything is told to the server; if not, it never is.
    package var usesTLS = true
    /// The mechanism to try first if the server offers it.
    package var mechanism: Mechanism?

    // What we do there.
    package var rooms: [Room] = []
    package var contacts = Contacts.all
    package var rejoinsAfterKick = true
    /// Whether we show our contacts that we are there, and get what is said to our address.
    package var isAvailable = true
    /// Whether we go into rooms that one of our contacts invites us to.
    package var acceptsInvitations = true

    // How we speak.
    package var pace = Pace(burst: 20, interval: .milliseconds(100))
    /// How many messages may wait to be said.
    package var queueLimit = 1_000
    /// The longest text of one message, in bytes; a longer one becomes several.
    package var longestText = 8_192
    /// The most bytes of a stanza if the server doesn't say what it takes (XEP-0478); at least 10,000, which each does.
    package var longestStanza = 65_536

    package var waits = Waits()

    /// Makes a profile with this account, and everything else as it suits most servers.
    package init(address: JID, password: String, nick: String) {
        self.address = address
        self.password = password
        self.nick = nick
    }

    /// Whether it is one of our own list, and not one that we were invited to.
    func chose(_ room: JID) -> Bool { rooms.contains { $0.address == room } }

    var credentials: Credentials { Credentials(account: address.local ?? "", password: password) }
}

/// How long a stream waits for things.
package struct Waits: Hashable, Sendable {
    /// From its beginning until all is agreed on.
    package var login: Duration = .seconds(60)
    /// Without hearing anything, before we ask whether anybody is there (XEP-0199).
    package var silence: Duration = .seconds(60)
    /// For the answer to that, and to whatever else we ask.
    package var answer: Duration = .seconds(30)
    /// For a room to let us in.
    package var join: Duration = .seconds(30)
    /// Before a room that refused us is tried again.
    package var joinRetry: Duration = .seconds(60)
    /// Before we go back into a room after a kick; twice as long after each further one.
    package var rejoin: Duration = .seconds(2)
    /// Between two attempts to get our nick in a room back.
    package var regain: Duration = .seconds(60)
    /// In a room that we were invited to and where nobody speaks, before we leave it.
    package var unused: Duration = .seconds(86_400)
    /// Without hearing anything from a room, before we ask whether we are still in it (XEP-0410).
    package var roomSilence: Duration = .seconds(300)

    /// Waits that suit most servers.
    package init() {}
}

extension Profile {
    /// An element as it may be logged: without what lets us, or anybody, in.
    package func loggable(_ element: Element) -> String {
        guard element.namespace == Namespace.sasl else { return Self.withoutPasswords(element).description }
        var element = element
        if element.name != "mechanisms", !element.children.isEmpty, element.name != "failure" {
            element.children = [.text("…")]
        }
        return element.description
    }

    /// Those of rooms stand in elements or, in invitations, in attributes of that name.
    private static func withoutPasswords(_ element: Element) -> Element {
        var element = element
        if element["password"] != nil { element["password"] = "…" }
        if element.name == "password" {
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
