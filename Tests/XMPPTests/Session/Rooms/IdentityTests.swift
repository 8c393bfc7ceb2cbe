import Testing

@testable import HeybotXMPP

/// Which addresses are trusted, and attempts to fake them.
@Suite struct IdentityTests {
    private let admin = "<user:x><user:item affiliation='owner' role='moderator' jid='ann@ship.org/phone'/></user:x>"

    private func knock(_ room: String) -> String { XMPPTests.knock.replacing("dev@muc.ship.org", with: room) }

    private func invited(_ room: String) -> String {
        "< <message from='eve@ship.org/marvin'><direct:x jid='\(room)'/></message>\n"
    }

    /// An account that pretends to be a room with the admin in it, as any account at the own server can.
    private func lies(_ room: String) -> String {
        """
        < <presence from='\(room)/alice'>\(admin)</presence>
        < <presence from='\(room)/marvin'><user:x><user:item jid='ann@ship.org/phone'/><user:status code='110'/></user:x></presence>

        """
    }

    @Test func `an account of the own server isn't a room, and its presence shows no addresses`() {
        let session = play(
            alone + invited("eve@ship.org") + """
                * eve@ship.org/marvin invited me to eve@ship.org; not joining: it isn't the address of a room

                """ + lies("eve@ship.org") + """
                    < <message from='eve@ship.org/alice' type='groupchat'><body>marvin: die</body></message>
                    < <message from='eve@ship.org/alice'><body>who am I</body></message>
                    = eve@ship.org/alice privately: who am I
                    """)
        #expect(session.wantedRooms == [] && session.joined == [])
    }

    @Test(arguments: ["ship.org", "tea@ship.org/x", "eve@ship.org", "marvin@ship.org"])
    func `no address in the account's domain is a room`(_ address: String) {
        let session = play(
            alone + invited(address)
                + "* eve@ship.org/marvin invited me to \(jid(address).bare); not joining: it isn't the address of a room\n"
                + lies(jid(address).bare.description))
        #expect(session.wantedRooms == [] && session.joined == [])
    }

    @Test func `an account at another server isn't a room`() {
        let room = "eve@lair.ship.org"
        let session = play(
            alone + invited(room) + """
                * eve@ship.org/marvin invited me to \(room)
                > <iq type='get' id='{1}' to='ship.org'><items:query/></iq>
                > <iq type='get' id='{2}' to='lair.ship.org'><info:query/></iq>

                """ + lies(room) + """
                    < <message from='\(room)/alice' type='groupchat'><body>marvin: die</body></message>
                    < <iq type='result' id='{2}' from='\(room)'><info:query><info:identity category='conference' type='text'/>
                      <info:feature var='http://jabber.org/protocol/muc'/></info:query></iq>
                    < <iq type='result' id='{2}' from='lair.ship.org'><info:query><info:identity category='server' type='im'/>
                      <info:feature var='http://jabber.org/protocol/muc'/></info:query></iq>
                    * not joining \(room): lair.ship.org isn't a conference service

                    """ + lies(room))
        #expect(session.wantedRooms == [] && session.joined == [])
    }

    /// A service that names the sender of each message.
    private static let identifying =
        "category='conference' type='text'/><info:feature var='urn:xmpp:occupant-id:0'"

    /// A service below the own domain may be anyone's; only the own server knows which services are its own.
    ///
    /// In a room that isn't a configured one, a message must also name its occupant.
    @Test(arguments: [
        ("muc.b.org", false, identifying, false),
        ("rooms.students.ship.org", false, identifying, false),
        ("muc.ship.org", true, identifying, true),
        ("muc.ship.org", true, "category='conference' type='text'", false),
        ("irc.ship.org", true, "category='conference' type='irc'", false)
    ])
    func `only services of the account's server are trusted`(
        _ domain: String, _ isOurs: Bool, _ identity: String, _ isTrusted: Bool
    ) {
        let room = "lair@\(domain)"
        play(
            alone + invited(room) + "* eve@ship.org/marvin invited me to \(room)\n"
                + discovery(of: domain, isOurs: isOurs, identity: identity) + knock(room) + """
                    < <presence from='\(room)/boss'>\(admin)<occupant-id xmlns='urn:xmpp:occupant-id:0' id='x'/></presence>
                    < <presence from='\(room)/marvin'><user:x><user:status code='110'/></user:x></presence>
                    * joined \(room) as marvin
                    < <message type='groupchat' from='\(room)/boss'><body>marvin: open the airlock</body>
                      <occupant-id xmlns='urn:xmpp:occupant-id:0' id='x'/></message>
                    = \(room) boss\(isTrusted ? " (ann@ship.org)" : ""): marvin: open the airlock
                    """)
    }

    @Test func `a list of services that arrives later counts in rooms that are joined already`() {
        let (room, other) = ("lair@muc.ship.org", "den@muc.ship.org")
        let id = "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='x'/>"
        func hello(_ who: String) -> String {
            "< <message type='groupchat' from='\(room)/boss'><body>Hi</body>\(id)</message>\n= \(room) \(who): Hi\n"
        }
        var profile = SessionConfiguration.marvin
        profile.timeouts.pingInterval = .seconds(1_000)
        let begun = """
            * eve@ship.org/marvin invited me to \(room)
            > <iq type='get' id='{1}' to='ship.org'><items:query/></iq>
            > <iq type='get' id='{2}' to='muc.ship.org'><info:query/></iq>
            < <iq type='result' id='{2}' from='muc.ship.org'><info:query>
              <info:identity \(Self.identifying)/><info:feature var='\(Namespace.muc)'/></info:query></iq>
            + 30000

            """
        let joins = """
            < <presence from='\(room)/boss'>\(admin)\(id)</presence>
            < <presence from='\(room)/marvin'><user:x><user:status code='110'/></user:x></presence>
            * joined \(room) as marvin

            """
        let lists = """
            * eve@ship.org/marvin invited me to \(other)
            > <iq type='get' id='{3}' to='ship.org'><items:query/></iq>
            < <iq type='result' id='{3}' from='ship.org'><items:query><items:item jid='muc.ship.org'/></items:query></iq>

            """
        let before = [alone, invited(room), begun, knock(room), joins, hello("boss")]
        let after = [invited(other), lists, knock(other), hello("boss (ann@ship.org)")]
        play(profile, (before + after).joined())
    }

    @Test func `a service that also has accounts isn't trusted`() {
        let room = "lair@muc.ship.org"
        let both = "category='conference' type='text'/><info:identity category='server' type='im'"
        play(
            alone + invited(room) + "* eve@ship.org/marvin invited me to \(room)\n"
                + discovery(of: "muc.ship.org", isOurs: true, identity: both) + knock(room) + """
                    < <presence from='\(room)/boss'>\(admin)</presence>
                    < <presence from='\(room)/marvin'><user:x><user:status code='110'/></user:x></presence>
                    * joined \(room) as marvin
                    < <message type='groupchat' from='\(room)/boss'><body>Hi</body></message>
                    = \(room) boss: Hi
                    """)
    }

    @Test func `the services of an earlier session's rooms are queried again`() {
        let room = "eve@ship.org"
        let session = play(
            .marvin,
            loggedIn + """
                * not joining \(room): it isn't the address of a room
                * logged in as marvin@ship.org/r1, in no room
                . ready

                """ + lies(room), rooms: [SessionConfiguration.Room(jid(room))])
        #expect(session.joined == [])
    }

    // MARK: Configured rooms

    private let asked = "> <iq type='get' id='{1}' to='muc.ship.org'><info:query/></iq>\n"
    private let boss =
        "< <presence from='dev@muc.ship.org/boss'><user:x><user:item jid='ann@ship.org/phone'/></user:x></presence>\n"
    private let hello = "< <message type='groupchat' from='dev@muc.ship.org/boss'><body>Hi</body></message>\n"
    private let ready = "* logged in as marvin@ship.org/r1, in dev@muc.ship.org\n. ready\n"
    private let known = "= dev@muc.ship.org boss (ann@ship.org): Hi\n"
    private let unknown = "= dev@muc.ship.org boss: Hi\n"

    private static let feature = "<info:feature var='http://jabber.org/protocol/muc'/>"
    private static let rooms = "<info:identity category='conference' type='text'/>"
    private static let irc = "<info:identity category='conference' type='irc'/>"
    private static let gateway = "<info:identity category='gateway' type='irc'/>"
    private static let server = "<info:identity category='server' type='im'/>"
    private static let mixed = "is a gateway to another network, or isn't only a conference service"
    private static let other = "doesn't describe itself as a conference service"

    private func service(_ parts: String...) -> String {
        let info = parts.joined()
        return "< <iq type='result' id='{1}' from='muc.ship.org'><info:query>\(info)</info:query></iq>\n"
    }

    private func distrusted(_ reason: String) -> String {
        "* users in dev@muc.ship.org are identified by nick only: \(reason)\n"
    }

    /// Plays a transcript after the login, with the query of the room's service.
    private func playInSettings(_ parts: String..., location: SourceLocation = #_sourceLocation) {
        var profile = SessionConfiguration.inDev()
        profile.timeouts.pingInterval = .seconds(1_000)
        play(profile, ([loggedIn, asked, XMPPTests.knock] + parts).joined(), hidesServices: false, location: location)
    }

    @Test(arguments: [
        (IdentityTests.irc + IdentityTests.feature, IdentityTests.mixed),
        (IdentityTests.rooms + IdentityTests.gateway + IdentityTests.feature, IdentityTests.mixed),
        (IdentityTests.rooms + IdentityTests.server + IdentityTests.feature, IdentityTests.mixed),
        (IdentityTests.server + IdentityTests.feature, IdentityTests.other),
        (IdentityTests.rooms, IdentityTests.other), ("", IdentityTests.other)
    ])
    func `a configured room is trusted only if its service is for rooms`(_ info: String, _ reason: String) {
        playInSettings(
            service(info), boss, welcome, distrusted("muc.ship.org \(reason)"), ready, hello, unknown)
    }

    @Test func `a configured room on any server is trusted if its service is for rooms`() {
        // With the response before or after the join.
        let answer = service(Self.rooms, Self.feature)
        playInSettings(answer, boss, welcome, ready, hello, known)
        playInSettings(boss, welcome, ready, hello, unknown, answer, hello, known)
    }

    @Test func `a service that doesn't answer isn't trusted, and is queried again at the next join`() {
        let kicked = """
            < <presence type='unavailable' from='dev@muc.ship.org/marvin'><user:x><user:item role='none'/><user:status code='110'/><user:status code='307'/></user:x></presence>
            * kicked from dev@muc.ship.org; rejoining
            + 2000

            """
        let answer = service(Self.rooms, Self.feature).replacing("{1}", with: "{2}")
        playInSettings(
            boss, welcome, ready, "+ 30000\n", distrusted("its server doesn't answer"), hello, unknown, kicked,
            asked.replacing("{1}", with: "{2}"), XMPPTests.knock, answer, boss, welcome,
            "* joined dev@muc.ship.org as marvin\n",
            hello, known)
    }

    @Test func `a service that doesn't answer is queried again later, and then trusted`() {
        let again = asked.replacing("{1}", with: "{2}")
        let answer = service(Self.rooms, Self.feature).replacing("{1}", with: "{2}")
        playInSettings(
            boss, welcome, ready, "+ 30000\n", distrusted("its server doesn't answer"), hello, unknown,
            "+ 59999\n+ 1\n", again, answer, hello, known, "+ 200000\n")
        let error = """
            < <iq type='error' id='{1}' from='muc.ship.org'><error><stanzas:internal-server-error/></error></iq>

            """
        playInSettings(
            boss, welcome, ready, error, distrusted("muc.ship.org doesn't describe itself (internal-server-error)"),
            hello, unknown, "+ 59999\n+ 1\n", again, answer, hello, known, "+ 200000\n")
    }

    @Test func `a service that answers later that it isn't for rooms isn't trusted, nor queried again`() {
        playInSettings(
            boss, welcome, ready, "+ 30000\n", distrusted("its server doesn't answer"), "+ 60000\n",
            asked.replacing("{1}", with: "{2}"), service(Self.server, Self.feature).replacing("{1}", with: "{2}"),
            distrusted("muc.ship.org \(Self.other)"), hello, unknown, "+ 200000\n")
    }

    @Test func `a service that never answers is queried less and less often, up to a limit`() {
        var services = MUCServices(account: "ship.org", chosen: [jid("dev@muc.ship.org")])
        var times: [Duration] = []
        for domain in ["muc.ship.org", "muc.b.org"] { _ = services.startQuery(domain) }
        services.failQuery("muc.ship.org", "silence", at: .zero)
        // Only services of configured rooms are queried again automatically.
        services.failQuery("muc.b.org", "silence", at: .zero)
        while let due = services.due, times.count < 1_000 {
            times.append(due)
            let early = services.retry(at: due - .milliseconds(1))
            let late = services.retry(at: due)
            #expect(early == [] && late == ["muc.ship.org"])
            #expect(services.due == nil)
            services.failQuery("muc.ship.org", "silence", at: due)
        }
        #expect(times.prefix(4) == [.seconds(60), .seconds(180), .seconds(420), .seconds(900)])
        #expect(times.count == 30)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= .seconds(3_600) })
        // Joining one of its rooms starts over.
        let asks = services.startQuery("muc.ship.org")
        #expect(asks)
        services.failQuery("muc.ship.org", "silence", at: .zero)
        #expect(services.due == .seconds(60))
    }

    @Test func `people at a gateway are identified by their addresses there in direct messages`() {
        let words = """
            < <message type='chat' from='zoe%irc.example@muc.ship.org/x'><body>Hi</body></message>
            = zoe%irc.example@muc.ship.org/x privately: Hi
            """
        playInSettings(
            service(Self.irc, Self.feature), welcome, distrusted("muc.ship.org \(Self.mixed)"), ready, words)
    }

    @Test func `an invitation to a domain that has rooms and accounts doesn't silence its users`() {
        let invited = """
            < <message from='eve@b.org/1'><direct:x jid='nowhere@ann.org'/></message>
            * eve@b.org/1 invited me to nowhere@ann.org

            """
        let mixed = discovery(
            of: "ann.org", identity: "category='conference' type='text'/><info:identity category='server'")
        let words = "< <message type='chat' from='ann@ann.org/phone'><body>Hi</body></message>\n"
        let heard = "= ann@ann.org/phone privately: Hi\n"
        let profile = SessionConfiguration(address: jid("marvin@ship.org"), password: "pencil", nick: "marvin")
        play(profile, alone + words + heard + invited + mixed + knock("nowhere@ann.org") + words + heard)
        let gateway = discovery(of: "ann.org", identity: "category='conference' type='irc'")
        let session = play(
            profile,
            alone + words + heard + invited + gateway + knock("nowhere@ann.org") + words
                + heard.replacing(" privately", with: " unidentified privately"))
        #expect(session.services.hidesPeople(at: "ann.org"))
        // At a domain that has only rooms, an address is a room's.
        play(profile, alone + words + heard + invited + discovery(of: "ann.org") + knock("nowhere@ann.org") + words)
    }

    @Test func `a configured room of another server is trusted only with occupant ids`() {
        var profile = SessionConfiguration(address: jid("marvin@ship.org"), password: "pencil", nick: "marvin")
        profile.timeouts.pingInterval = .seconds(1_000)
        profile.rooms = [SessionConfiguration.Room(jid("tea@muc.b.org"))]
        func there(_ text: String) -> String { text.replacing("dev@muc.ship.org", with: "tea@muc.b.org") }
        func service(_ features: String) -> String {
            "< <iq type='result' id='{1}' from='muc.b.org'><info:query>\(Self.rooms + Self.feature + features)</info:query></iq>\n"
        }
        let begun = loggedIn + "> <iq type='get' id='{1}' to='muc.b.org'><info:query/></iq>\n" + there(XMPPTests.knock)
        let inside = there(boss + welcome)
        let distrusted =
            "* users in tea@muc.b.org are identified by nick only: muc.b.org adds no occupant ids (XEP-0421), and isn't a subdomain of ship.org\n"
        play(
            profile, begun + service("") + inside + distrusted + there(ready + hello + unknown), hidesServices: false)
        // The account's server may list services of other servers.
        var services = MUCServices(account: "ship.org", chosen: profile.rooms.map(\.address))
        services.receiveInfo(
            Element(
                "query", Namespace.discoInfo, [:],
                Element("identity", Namespace.discoInfo, ["category": "conference", "type": "text"]),
                Element("feature", Namespace.discoInfo, ["var": Namespace.muc])), of: "muc.b.org")
        services.receiveList(
            Element("query", Namespace.discoItems, [:], Element("item", Namespace.discoItems, ["jid": "muc.b.org"])))
        #expect(services.trusts(jid("tea@muc.b.org")) && !services.trustsAddresses(in: jid("tea@muc.b.org")))
        let id = "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='x'/>"
        play(
            profile,
            begun + service("<info:feature var='urn:xmpp:occupant-id:0'/>")
                + there(boss.replacing("</presence>", with: "\(id)</presence>") + welcome + ready)
                + there(hello.replacing("</message>", with: "\(id)</message>") + known), hidesServices: false)
    }

    // MARK: Mediated invitations with restricted contacts

    private func forged(_ room: String) -> String {
        "< <message from='\(room)'><user:x><user:invite from='ann@ship.org/phone'/></user:x></message>\n"
            + "* ann@ship.org/phone invited me to \(room)\n"
    }

    @Test func `the inviter that an untrusted room names isn't trusted`() {
        let friends = SessionConfiguration(address: jid("marvin@ship.org"), password: "pencil", nick: "marvin")
        var profile = friends
        profile.contacts = .only([jid("ann@ship.org")])
        let session = play(
            profile,
            alone + forged("lair@evil.test") + discovery(of: "evil.test") + """
                * not joining lair@evil.test: only some users may invite me, and I can't verify who invited me

                """)
        #expect(session.wantedRooms == [])
        play(
            profile,
            alone + forged("tea@muc.ship.org") + discovery(of: "muc.ship.org", isOurs: true) + knock("tea@muc.ship.org")
        )
        // An address in another form may be another account's.
        play(
            profile,
            alone
                + "< <message from='tea@muc.ship.org'><user:x><user:invite from='\u{ff41}nn@ship.org/phone'/></user:x></message>\n"
                + "* ann@ship.org/phone invited me to tea@muc.ship.org; ignored, because that user may not invite me\n")
        // The account's server vouches for the sender of a direct invitation.
        play(
            profile,
            alone + """
                < <message from='ann@ship.org/phone'><direct:x jid='tea@muc.b.org'/></message>
                * ann@ship.org/phone invited me to tea@muc.b.org

                """ + discovery(of: "muc.b.org") + knock("tea@muc.b.org"))
    }

    @Test func `an occupant's invitation without the occupant id is somebody else's`() {
        var profile = SessionConfiguration.inDev()
        profile.contacts = .only([jid("ann@ship.org")])
        func id(_ id: String) -> String { "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(id)'/>" }
        func invited(_ id: String) -> String {
            "< <message from='dev@muc.ship.org/boss'><direct:x jid='tea@muc.b.org'/>\(id)</message>\n"
                + "* dev@muc.ship.org/boss invited me to tea@muc.b.org"
        }
        let refused = "; ignored, because that user may not invite me\n"
        let boss = "< <presence from='dev@muc.ship.org/boss'>\(admin)\(id("x"))</presence>\n"
        let feature = "<info:feature var='urn:xmpp:occupant-id:0'/>"
        let begun = [loggedIn, asked, XMPPTests.knock, service(Self.rooms, Self.feature, feature), boss, welcome, ready]
        let words = [invited(""), refused, invited(id("y")), refused, invited(id("x")), "\n"]
        let joins = [discovery(of: "muc.b.org", from: 2), knock("tea@muc.b.org")]
        play(profile, (begun + words + joins).joined(), hidesServices: false)
    }

    // MARK: In rooms

    @Test func `an address that the room no longer shows is forgotten`() {
        play(
            .inDev(),
            inDev + """
                < <presence from='dev@muc.ship.org/ann'><user:x><user:item role='moderator'/></user:x></presence>
                < <message type='groupchat' from='dev@muc.ship.org/ann'><body>Hi</body></message>
                = dev@muc.ship.org ann: Hi
                """)
    }

    @Test(arguments: [
        "<user:x><user:item jid='eve@b.org/x'/></user:x><user:x><user:item jid='ann@ship.org/x'/></user:x>",
        "<user:x><user:item jid='ann@ship.org/x'/><user:item jid='eve@b.org/x'/></user:x>"
    ])
    func `forged room data in a presence shows no address`(_ forged: String) {
        play(
            .inDev(),
            inDev + """
                < <presence from='dev@muc.ship.org/eve'>\(forged)</presence>
                = dev@muc.ship.org eve joined
                < <message type='groupchat' from='dev@muc.ship.org/eve'><body>Hi</body></message>
                = dev@muc.ship.org eve: Hi
                """)
    }

    @Test func `another occupant's presence isn't the robot's own, whatever status it has`() {
        let session = play(
            .inDev(),
            inDev + """
                < <presence from='dev@muc.ship.org/eve'><user:x><user:item jid='eve@b.org/x'/><user:status code='110'/></user:x></presence>
                = dev@muc.ship.org eve (eve@b.org) joined
                < <message type='groupchat' from='dev@muc.ship.org/eve'><body>Hi</body></message>
                = dev@muc.ship.org eve (eve@b.org): Hi
                < <presence type='unavailable' from='dev@muc.ship.org/eve'><user:x><user:item jid='eve@b.org/x'/><user:status code='110'/></user:x></presence>
                = dev@muc.ship.org eve (eve@b.org) left
                """)
        #expect(session.nick(in: jid("dev@muc.ship.org")) == "marvin" && session.joined == [jid("dev@muc.ship.org")])
    }

    @Test func `a change of nick doesn't pass on an address`() {
        let rename =
            "< <presence type='unavailable' from='dev@muc.ship.org/ann'><user:x><user:item nick='anna'/><user:status code='303'/></user:x></presence>\n"
        play(
            .inDev(),
            inDev + rename + """
                = dev@muc.ship.org anna was ann
                < <message type='groupchat' from='dev@muc.ship.org/anna'><body>Hi</body></message>
                = dev@muc.ship.org anna: Hi
                """)
        play(
            .inDev(),
            inDev + """
                < <presence from='dev@muc.ship.org/anna'><user:x><user:item jid='eve@b.org/x'/></user:x></presence>
                = dev@muc.ship.org anna (eve@b.org) joined

                """ + rename + """
                    < <message type='groupchat' from='dev@muc.ship.org/anna'><body>Hi</body></message>
                    = dev@muc.ship.org anna (eve@b.org): Hi
                    """)
    }

    @Test func `outside of a room its occupants aren't identified`() {
        play(
            .inDev(),
            inDev + """
                < <presence type='unavailable' from='dev@muc.ship.org/marvin'><user:x><user:item role='none'/><user:status code='110'/><user:status code='307'/></user:x></presence>
                * kicked from dev@muc.ship.org; rejoining
                < <presence from='dev@muc.ship.org/eve'>\(admin)</presence>
                < <message type='groupchat' from='dev@muc.ship.org/eve'><body>Hi</body></message>
                < <message from='dev@muc.ship.org/eve'><body>Hi</body></message>
                """)
    }

    // MARK: Addresses that can't be read

    private static let hint =
        "I can't read your address: it has characters that no XMPP address may have. Please log in with its usual spelling."

    @Test(arguments: ["e&#xad;ve", "\u{24d4}ve", "\u{1d41e}ve", "e&#x200b;ve"])
    func `an occupant whose address can't be read gets a hint once an hour, and nothing else`(_ spelling: String) {
        let comes = "<presence from='dev@muc.ship.org/eve'><user:x><user:item jid='\(spelling)@ship.org/x'/></user:x>"
        func words(_ text: String, type: String = "groupchat") -> String {
            "< <message type='\(type)' from='dev@muc.ship.org/eve'><body>\(text)</body></message>\n"
        }
        let hint =
            "> <message to='dev@muc.ship.org/eve' type='chat'><body>\(Self.hint)</body><user:x/></message>\n"
        play(
            .inDev(),
            inDev + "< \(comes)</presence>\n= dev@muc.ship.org eve joined\n" + words("Hi all") + words("Marvin: ping")
                + hint + words("marvin: ping") + words("ping", type: "chat"))
        // A presence that is skipped doesn't help.
        let skipped = (0..<70).map { "a\($0)='b'" }.joined(separator: " ")
        play(
            .inDev(),
            inDev + "< \(comes)</presence>\n= dev@muc.ship.org eve joined\n"
                + "< <presence from='dev@muc.ship.org/eve'><x \(skipped)/></presence>\n"
                + "* a stanza from dev@muc.ship.org/eve was skipped: an element has more than 64 attributes\n"
                + words("marvin: ping") + hint)
    }
}
