import Testing

@testable import HeybotXMPP

/// Private answers in rooms of another server: a connection between servers may lose an occupant's leave.
@Suite struct RemoteRoomAnswerTests {
    private let tea = "tea@muc.b.org"

    /// In a room of another server, with Ada.
    private func inRoom(isIdentifying: Bool = true, ada: String) -> TranscriptPlayer {
        let features = [Namespace.muc] + (isIdentifying ? [Namespace.occupantID] : [])
        let info = features.map { "<info:feature var='\($0)'/>" }.joined()
        var profile = SessionConfiguration.marvin
        profile.timeouts.pingInterval = .seconds(9_999)
        profile.rooms = [SessionConfiguration.Room(jid(tea))]
        var stage = TranscriptPlayer(profile, hidesServices: false)
        let distrusted =
            isIdentifying
            ? ""
            : "* users in \(tea) are identified by nick only: muc.b.org adds no occupant ids (XEP-0421), and isn't a subdomain of ship.org\n"
        stage.play(
            loggedIn + "> <iq type='get' id='{1}' to='muc.b.org'><info:query/></iq>\n"
                + knock.replacing("dev@muc.ship.org", with: tea) + """
                    < <iq type='result' id='{1}' from='muc.b.org'><info:query>
                      <info:identity category='conference' type='text'/>\(info)</info:query></iq>
                    < \(comes(ada))

                    """ + welcome.replacing("dev@muc.ship.org", with: tea) + distrusted
                + "* logged in as marvin@ship.org/r1, in \(tea)\n. ready\n"
                + "< <message from='\(tea)/ada' type='groupchat'><subject>Old</subject></message>\n")
        return stage
    }

    private func comes(_ extra: String, nick: String = "ada") -> String {
        "<presence from='\(tea)/\(nick)'>\(extra)</presence>"
    }

    private func id(_ id: String) -> String { "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(id)'/>" }

    private func receive(_ xml: String, _ stage: inout TranscriptPlayer) throws -> [Session.Action] {
        stage.session.receive(try #require(TranscriptPlayer.event(xml)), at: stage.now)
    }

    private func asks(_ extra: String, _ stage: inout TranscriptPlayer) throws -> RequesterIdentity {
        let heard = try receive(
            "<message type='chat' from='\(tea)/ada'><body>Hi</body>\(extra)</message>", &stage)
        for case .hear(let event) in heard { return event.requester }
        throw TranscriptError.nothingHeard
    }

    private enum TranscriptError: Error { case nothingHeard }

    private func answers(_ requester: RequesterIdentity, _ stage: inout TranscriptPlayer) -> [Session.Action] {
        stage.session.say(
            [OutgoingMessage(to: jid("\(tea)/ada"), "42", since: stage.now, requester: requester)], at: stage.now)
    }

    /// The nicks that an answer was sent to.
    private func recipients(_ actions: [Session.Action]) -> [String] {
        actions.compactMap {
            guard case .send(let element) = $0, element.name == "message" else { return nil }
            return element["to"].flatMap { try? JID($0) }?.resource
        }
    }

    private func isJoin(_ action: Session.Action) -> Bool {
        guard case .send(let element) = action else { return false }
        return element.name == "presence" && element["to"] == "\(tea)/marvin" && element.has("x", Namespace.muc)
    }

    /// Lets the room answer both joins of a list, the second with these presences.
    private func list(
        _ presences: [String], _ stage: inout TranscriptPlayer, begins: Bool = true, ends: Bool = true
    ) throws -> [Session.Action] {
        var actions: [Session.Action] = []
        if begins { actions += try receive(answer(stage), &stage) }
        for presence in presences { actions += try receive(presence, &stage) }
        if ends { actions += try receive(answer(stage), &stage) }
        return actions
    }

    /// The session's own presence, as the room answers the join that the session waits for.
    private func answer(_ stage: TranscriptPlayer) -> String {
        let id =
            switch stage.session.rooms[jid(tea)]?.resync {
            case .requested(let list), .listing(let list): list.id
            default: "none"
            }
        return "<presence id='\(id)' from='\(tea)/marvin'><user:x><user:status code='110'/></user:x></presence>"
    }

    @Test func `an answer within a second is sent at once`() throws {
        var stage = inRoom(ada: id("a"))
        let ada = try asks(id("a"), &stage)
        stage.now += .milliseconds(900)
        #expect(recipients(answers(ada, &stage)) == ["ada"])
    }

    @Test func `a later answer waits until the room has listed the requester`() throws {
        var stage = inRoom(ada: id("a"))
        let ada = try asks(id("a"), &stage)
        stage.now += .seconds(2)
        let actions = answers(ada, &stage)
        #expect(recipients(actions).isEmpty && actions.contains(where: isJoin))
        stage.now += .seconds(2)
        #expect(recipients(try list([comes(id("a"))], &stage)) == ["ada"])
        // The next one within a second doesn't need another list.
        #expect(recipients(answers(ada, &stage)) == ["ada"])
        stage.now += .seconds(2)
        #expect(recipients(answers(ada, &stage)).isEmpty)
    }

    @Test func `a nick that someone else has meanwhile gets no answer`() throws {
        for (listed, expected) in [
            ([comes(id("m"))], [String]()), ([], []), ([comes(id("m")), comes(id("a"), nick: "ada2")], ["ada2"])
        ] {
            var stage = inRoom(ada: id("a"))
            let ada = try asks(id("a"), &stage)
            stage.now += .seconds(2)
            #expect(answers(ada, &stage).contains(where: isJoin))
            let actions = try list(listed, &stage)
            #expect(stage.session.rooms[jid(tea)]?.resync.canList == true)
            #expect(recipients(actions) == expected)
            #expect(actions.contains(.log(.withheld(1))) == expected.isEmpty)
        }
    }

    @Test func `a changed occupant id is another occupant, also without a leave`() throws {
        var stage = inRoom(ada: id("a"))
        let ada = try asks(id("a"), &stage)
        _ = try receive(comes(id("m")), &stage)
        let actions = answers(ada, &stage)
        #expect(recipients(actions).isEmpty && actions.contains(.log(.withheld(1))))
    }

    @Test func `without ids and addresses a list proves nothing, so a late answer isn't sent`() throws {
        var stage = inRoom(isIdentifying: false, ada: "")
        let ada = try asks("", &stage)
        #expect(recipients(answers(ada, &stage)) == ["ada"])
        stage.now += .seconds(2)
        let actions = answers(ada, &stage)
        #expect(recipients(actions).isEmpty && !actions.contains(where: isJoin))
        #expect(actions.contains(.log(.withheld(1))))
    }

    @Test func `without ids and addresses, a presence with the nick proves nothing either`() throws {
        var stage = inRoom(isIdentifying: false, ada: "")
        let ada = try asks("", &stage)
        stage.now += .seconds(2)
        _ = try receive(comes("<show>away</show>"), &stage)
        #expect(recipients(answers(ada, &stage)).isEmpty)
    }

    @Test func `a hidden requester gets an answer within a second`() throws {
        for (time, expected) in [(900, ["guest"]), (1_100, [])] {
            var stage = inRoom(ada: id("a"))
            let heard = try receive(
                "<message type='chat' from='\(tea)/guest'><body>Hi</body>\(id("g"))</message>", &stage)
            var requester: RequesterIdentity?
            for case .hear(let event) in heard { requester = event.requester }
            stage.now += .milliseconds(time)
            let message = OutgoingMessage(
                to: jid("\(tea)/guest"), "42", since: stage.now, requester: requester)
            #expect(recipients(stage.session.say([message], at: stage.now)) == expected)
        }
    }

    @Test func `a list without occupants who have left unseen identifies the others, and the next one confirms it`()
        throws
    {
        var stage = inRoom(ada: id("a"))
        for nick in ["bob", "ghost", "ghost2", "ghost3"] { _ = try receive(comes(id(nick), nick: nick), &stage) }
        let ada = try asks(id("a"), &stage)
        stage.now += .seconds(2)
        _ = answers(ada, &stage)
        let shown = [comes(id("a")), comes(id("bob"), nick: "bob")]
        #expect(recipients(try list(shown, &stage)) == ["ada"])
        #expect(stage.session.occupants(of: jid(tea)).keys.sorted() == ["ada", "bob", "marvin"])
        stage.now += .seconds(10)
        #expect(stage.session.tick(at: stage.now).contains(where: isJoin))
        _ = try list(shown, &stage)
        #expect(stage.session.rooms[jid(tea)]?.resync == .idle)
    }

    @Test func `two empty lists remove those who have left unseen, and the next person is identified`() throws {
        var stage = inRoom(ada: id("a"))
        _ = try receive(comes(id("ghost"), nick: "ghost"), &stage)
        let ada = try asks(id("a"), &stage)
        stage.now += .seconds(2)
        _ = answers(ada, &stage)
        // The second list confirms that the session has missed that they left.
        #expect(recipients(try list([], &stage)).isEmpty)
        stage.now += .seconds(10)
        #expect(stage.session.tick(at: stage.now).contains(where: isJoin))
        #expect(recipients(try list([], &stage)).isEmpty)
        #expect(stage.session.occupants(of: jid(tea)).keys.sorted() == ["marvin"])
        #expect(stage.session.rooms[jid(tea)]?.resync == .idle)
        _ = try receive(comes(id("b"), nick: "bob"), &stage)
        #expect(stage.session.rooms[jid(tea)]?.occupants["bob"] != nil)
    }

    @Test func `a list that takes long still proves who is there`() throws {
        var stage = inRoom(ada: id("a"))
        let ada = try asks(id("a"), &stage)
        stage.now += .seconds(2)
        _ = answers(ada, &stage)
        _ = try list([], &stage, ends: false)
        _ = try receive(comes(id("a")), &stage)
        stage.now += .seconds(5)
        #expect(recipients(try list([], &stage, begins: false)) == ["ada"])
    }

    @Test func `a second answer that waits doesn't invalidate the list`() throws {
        var stage = inRoom(ada: id("a"))
        _ = try receive(comes(id("b"), nick: "bob"), &stage)
        let ada = try asks(id("a"), &stage)
        stage.now += .seconds(2)
        _ = answers(ada, &stage)
        _ = try list([], &stage, ends: false)
        _ = try receive(comes(id("a")), &stage)
        stage.now += .seconds(2)
        // This one is for someone whom the list has shown already, and is about to be confirmed by its end.
        #expect(recipients(answers(ada, &stage)).isEmpty)
        _ = try receive(comes(id("b"), nick: "bob"), &stage)
        #expect(recipients(try list([], &stage, begins: false)) == ["ada", "ada"])
    }

    @Test func `another client of the robot's account gets its answer, and the robot doesn't wait in vain`() throws {
        let item = "<user:x><user:item jid='marvin@ship.org/phone'/></user:x>"
        var stage = inRoom(ada: item + id("own"))
        let own = try asks(id("own"), &stage)
        _ = try receive(
            "<presence from='\(tea)/marvin'><user:x><user:item jid='marvin@ship.org/r1'/><user:status code='110'/></user:x></presence>",
            &stage)
        stage.now += .seconds(2)
        #expect(recipients(answers(own, &stage)).isEmpty)
        #expect(stage.session.due.map { $0 > stage.now } ?? true)
        #expect(recipients(try list([comes(item + id("own"))], &stage)) == ["ada"])
    }

    @Test func `an address that the room shows confirms the requester`() throws {
        let item = "<user:x><user:item jid='ada@b.org/x'/></user:x>"
        var stage = inRoom(isIdentifying: false, ada: item)
        let ada = try asks("", &stage)
        stage.now += .seconds(2)
        #expect(answers(ada, &stage).contains(where: isJoin))
        #expect(recipients(try list([comes(item)], &stage)) == ["ada"])
    }
}
