import Testing

@testable import HeybotXMPP

/// When a room's list of occupants is requested, and when it is believed.
@Suite struct RoomResyncTests {
    private let dev = "dev@muc.ship.org"
    private let foreign = "tea@muc.b.org"

    private var profile: SessionConfiguration {
        .inDev {
            $0.timeouts.pingInterval = .seconds(9_999)
            $0.timeouts.roomPingInterval = .seconds(9_999)
        }
    }

    private func comes(_ nick: String, role: String = "participant") -> String {
        let item = "<user:item affiliation='none' role='\(role)' jid='\(nick)@ship.org/x'/>"
        return "< <presence from='\(dev)/\(nick)'><user:x>\(item)</user:x></presence>\n"
    }

    private func goes(_ nick: String) -> String { "< <presence type='unavailable' from='\(dev)/\(nick)'/>\n" }

    private func says(_ nick: String, knownAs person: String? = nil) -> String {
        "< <message from='\(dev)/\(nick)' type='groupchat'><body>Hi</body></message>\n"
            + "= \(dev) \(nick)\(person.map { " (\($0))" } ?? ""): Hi\n"
    }

    /// The join that requests a list.
    private func asks(_ id: String) -> String {
        knock.replacing("<presence ", with: "<presence id='fyko+d2lbbFgjoin\(id)' ")
    }

    /// The own presence that answers it.
    private func answers(_ id: String) -> String {
        welcome.replacing("<presence ", with: "<presence id='fyko+d2lbbFgjoin\(id)' ")
    }

    /// The answers to both joins.
    private func lists(_ number: Int, _ occupants: String) -> String {
        occupants + answers("\(number)") + asks("\(number)b") + occupants + answers("\(number)b")
    }

    private let change =
        "< <message type='groupchat' from='dev@muc.ship.org'><user:x><user:status code='104'/></user:x></message>\n"
    private let own =
        "< <presence type='unavailable' from='dev@muc.ship.org/marvin'><user:x><user:status code='110'/></user:x></presence>\n"
    private let kick =
        "< <presence type='unavailable' from='dev@muc.ship.org/marvin'><user:x><user:status code='110'/><user:status code='307'/></user:x></presence>\n"
    private let isBack = "* joined dev@muc.ship.org as marvin\n"

    private func play(
        _ parts: String..., profile: SessionConfiguration? = nil, rooms: [SessionConfiguration.Room]? = nil,
        location: SourceLocation = #_sourceLocation
    ) {
        XMPPTests.play(profile ?? self.profile, parts.joined(), rooms: rooms, location: location)
    }

    // MARK: Overfull rooms

    private func crowd(_ numbers: Range<Int>) -> String { numbers.map { comes("n\($0)") }.joined() }

    /// In a foreign room with 300 people, of whom the session stores 200.
    private func inCrowd() -> TranscriptPlayer {
        var profile = profile
        profile.rooms = []
        var stage = TranscriptPlayer(profile)
        stage.play(
            alone + "< <message from='eve@b.org/x'><direct:x jid='\(foreign)'/></message>\n"
                + "* eve@b.org/x invited me to \(foreign)\n" + discovery(of: "muc.b.org")
                + (knock + crowd(0..<300) + welcome + isBack).replacing(dev, with: foreign))
        #expect(stage.session.rooms[jid(foreign)]?.isOverfull == true)
        return stage
    }

    private func play(_ parts: String..., on stage: inout TranscriptPlayer) {
        stage.play(parts.joined().replacing(dev, with: foreign))
    }

    private func isVerified(_ nick: String, _ stage: TranscriptPlayer) -> Bool {
        stage.session.occupants(of: jid(foreign))[nick] != nil
    }

    private func leaves(_ nick: String) -> String { goes(nick) + "= \(dev) \(nick) left\n" }

    @Test func `the list of an overfull room is requested once`() {
        var stage = inCrowd()
        let list = comes("n5", role: "moderator") + crowd(0..<5) + crowd(6..<300)
        play(comes("n5", role: "moderator"), asks("1"), on: &stage)
        #expect(!isVerified("n5", stage))
        play(lists(1, list), on: &stage)
        #expect(isVerified("n5", stage) && isVerified("n199", stage) && !isVerified("n200", stage))
        play("+ 600000\n", on: &stage)
        // Newcomers are still unverified, because the session may not have stored them when they changed the role.
        play(leaves("n0"), leaves("n1"), comes("n250"), "= \(dev) n250 joined\n", on: &stage)
        #expect(!isVerified("n250", stage))
    }

    @Test func `someone who wasn't stored isn't taken for a part of the list`() {
        // Between the two lists, and after the second one has become overfull, n250 is shown with a role that the room hides.
        for isLate in [false, true] {
            var stage = inCrowd()
            let space = leaves("n0") + leaves("n1")
            let role = comes("n250", role: "visitor") + "= \(dev) n250 joined\n"
            play(comes("n5", role: "moderator"), asks("1"), on: &stage)
            play(crowd(0..<250), answers("1"), asks("1b"), on: &stage)
            play(isLate ? crowd(0..<240) : "", space, role, isLate ? "" : crowd(2..<200), on: &stage)
            play(answers("1b"), on: &stage)
            #expect(!isVerified("n250", stage) && isVerified("n199", stage))
        }
    }

    @Test func `a room that isn't overfull any more is asked for its list, at most every five minutes`() {
        var stage = inCrowd()
        // The session counts as one.
        play("+ 20000\n", leaves("n0"), "+ 500000\n", leaves("n1"), "+ 1\n", asks("1"), on: &stage)
        play(crowd(2..<201), "= \(dev) n200 joined\n", crowd(201..<250), answers("1"), asks("1b"), on: &stage)
        play(crowd(2..<250), answers("1b"), leaves("n2"), "+ 200000\n", on: &stage)
        // Nobody waits for it.
        play("! \(dev)/n9: 42\n> <message to='\(dev)/n9' type='chat'><body>42</body><user:x/></message>\n", on: &stage)
        play(comes("zoe"), "= \(dev) zoe joined\n", on: &stage)
        #expect(!isVerified("zoe", stage))
        play("+ 99998\n+ 1\n", asks("2"), lists(2, crowd(3..<201) + comes("zoe")), on: &stage)
        #expect(isVerified("zoe", stage))
        play(leaves("n3"), comes("max"), "= \(dev) max joined\n+ 600000\n", on: &stage)
        #expect(isVerified("max", stage))
    }

    @Test func `while the room lists its occupants, answers to verified ones aren't delayed`() throws {
        var stage = TranscriptPlayer(profile)
        stage.play(inDev + comes("bob") + "= \(dev) bob (bob@ship.org) joined\n")
        func asks(_ nick: String) throws -> RequesterIdentity {
            let event = try #require(
                TranscriptPlayer.event("<message type='chat' from='\(dev)/\(nick)'><body>Hi</body></message>"))
            for case .hear(let heard) in stage.session.receive(event, at: stage.now) { return heard.requester }
            return RequesterIdentity("nobody")
        }
        let (ann, bob) = (try asks("ann"), try asks("bob"))
        stage.play(comes("ann", role: "visitor") + self.asks("1"))
        for (nick, requester, isSent) in [("bob", bob, true), ("ann", ann, false)] {
            let message = OutgoingMessage(
                to: jid("\(dev)/\(nick)"), "42", since: stage.now, requester: requester)
            let actions = stage.session.say([message], at: stage.now)
            #expect(actions.contains { if case .send = $0 { true } else { false } } == isSent, "\(nick)")
        }
        // The session doesn't ask to be called at once for what waits.
        #expect(stage.session.due.map { $0 > stage.now } ?? true)
    }

    // MARK: Subjects and older servers

    @Test func `each answer to a join has the subject, and other subjects are news`() {
        let subject = "< <message from='\(dev)/ann' type='groupchat'><subject>Old</subject></message>\n"
        func news(_ who: String) -> String {
            "< <message from='\(dev)/ann' type='groupchat'><subject>New</subject></message>\n"
                + "= \(dev) \(who) sets the topic: New\n"
        }
        let ann = comes("ann", role: "moderator")
        play(
            inDev, change, asks("1"), news("ann"), ann, answers("1"), asks("1b"), subject, news("ann"), ann,
            answers("1b"), subject, news("ann (ann@ship.org)"))
    }

    @Test func `a presence that isn't part of a list doesn't make the others unknown for good`() {
        let role = comes("ann", role: "participant")
        play(
            inDev, comes("bob"), "= \(dev) bob (bob@ship.org) joined\n", role, asks("1"), answers("1"), asks("1b"),
            says("bob", knownAs: "bob@ship.org"), role, answers("1b"), says("ann", knownAs: "ann@ship.org"),
            says("bob"), "+ 10000\n",
            asks("2"), answers("2"), asks("2b"), answers("2b"), says("ann", knownAs: "ann@ship.org"), says("bob"),
            "+ 290000\n",
            "> <presence type='unavailable' to='\(dev)/marvin'/>\n", own, "+ 2000\n", knock, role, comes("bob"),
            welcome, isBack, says("ann", knownAs: "ann@ship.org"), says("bob", knownAs: "bob@ship.org"))
    }

    // MARK: Answers to other joins

    /// In the room, which the session is about to leave and join again because its answers have no ids.
    private var leaving: String {
        inDev + change + asks("1") + welcome + "+ 300000\n> <presence type='unavailable' to='\(dev)/marvin'/>\n"
    }

    @Test(arguments: [true, false])
    func `the list after leaving is believed if the room has confirmed that`(_ isMarked: Bool) {
        let gone = isMarked ? own : own.replacing("<user:x><user:status code='110'/></user:x>", with: "")
        play(
            leaving, gone, "+ 2000\n", knock, comes("ann"), welcome, isBack, says("ann", knownAs: "ann@ship.org"))
    }

    @Test func `the room confirms only after the join that the session has left`() {
        play(
            leaving, "+ 2000\n", knock, comes("bob"), own, comes("ann"), welcome, isBack,
            says("ann", knownAs: "ann@ship.org"), says("bob"))
    }

    @Test func `a room that doesn't confirm that the session has left is asked for its list`() {
        play(
            leaving, "+ 2000\n", knock, comes("ann"), welcome, isBack, asks("2"), says("ann"), lists(2, comes("ann")),
            says("ann", knownAs: "ann@ship.org"))
    }

    @Test func `a room that answers a join too late is asked for its list after the next one`() {
        let late =
            loggedIn + knock + "+ 30000\n* can't join \(dev): it doesn't answer; retrying\n"
            + "* logged in as marvin@ship.org/r1, in no room\n. ready\n"
        for answer in ["", welcome] {
            play(
                late, comes("bob"), answer, "+ 60000\n", knock, comes("ann"), welcome, isBack, asks("1"), says("ann"))
        }
    }

    @Test func `a room that may answer a join after a kick is asked for its list after the next one`() {
        let kicked = kick + "* kicked from \(dev); rejoining\n"
        let again = "+ 2000\n" + knock + comes("ann") + welcome + isBack
        play(inDev, kicked, again, says("ann", knownAs: "ann@ship.org"))
        play(inDev, change, asks("1"), kicked, again, "+ 8000\n", asks("2"), says("ann"))
        // It has.
        play(inDev, kicked, welcome, again, asks("1"), says("ann"))
    }

    @Test func `a room that the session has left and joins again at once`() {
        for isConfirmed in [true, false] {
            var stage = TranscriptPlayer(profile)
            stage.play(inDev)
            stage.act { $0.leave(jid("dev@muc.ship.org"), at: $1) ?? [] }
            stage.play("* left \(dev): on request\n> <presence type='unavailable' to='\(dev)/marvin'/>\n")
            if isConfirmed { stage.play(own) }
            stage.act { $0.join(SessionConfiguration.Room(jid("dev@muc.ship.org")), at: $1) ?? [] }
            let after = isConfirmed ? says("ann", knownAs: "ann@ship.org") : asks("1") + says("ann")
            stage.play(knock + comes("ann") + welcome + isBack + after)
        }
    }

    @Test func `after a login with the same resource rooms are asked for their lists`() {
        var profile = profile
        profile.address = jid("marvin@ship.org/r1")
        let login = loggedIn.replacing(
            "id='bind'><bind:bind/>", with: "id='bind'><bind:bind><bind:resource>r1</bind:resource></bind:bind>")
        let ready = "* logged in as marvin@ship.org/r1, in \(dev)\n. ready\n"
        play(
            login, knock, comes("ann"), welcome, asks("1"), ready, says("ann"), profile: profile, rooms: profile.rooms)
        play(login, knock, comes("ann"), welcome, ready, says("ann", knownAs: "ann@ship.org"), profile: profile)
    }
}
