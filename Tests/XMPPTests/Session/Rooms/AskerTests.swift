import Testing

@testable import HeybotXMPP

/// To whom it is accounted what somebody has us do in a room that doesn't show their address, and who gets private answers.
@Suite struct AskerTests {
    private let dev = "dev@muc.ship.org"

    /// In our room with Eve, who was there before us.
    ///
    /// - Parameter isIdentifying: Whether the room's service says that it tells occupants apart.
    private func inRoom(isIdentifying: Bool = false, nonce: String = Stage.nonce) -> Stage {
        let features = [Namespace.muc] + (isIdentifying ? [Namespace.occupantID] : [])
        let info = features.map { "<info:feature var='\($0)'/>" }.joined()
        var stage = Stage(.inDev { $0.waits.silence = .seconds(9_999) }, hidesServices: false, nonce: nonce)
        stage.play(
            loggedIn + "> <iq type='get' id='{1}' to='muc.ship.org'><info:query/></iq>\n" + knock + """
                < <iq type='result' id='{1}' from='muc.ship.org'><info:query>
                  <info:identity category='conference' type='text'/>\(info)</info:query></iq>
                < <presence from='\(dev)/eve'/>

                """ + welcome + "* logged in as marvin@ship.org/r1, in \(dev)\n. settled\n"
                + "< <message from='\(dev)/eve' type='groupchat'><subject>Old</subject></message>\n")
        return stage
    }

    /// Who is heard when that comes; nil if nobody is.
    private func asker(_ xml: String, _ stage: inout Stage, after seconds: Int = 0) throws -> Asker? {
        let event = try #require(Stage.event(xml))
        for case .hear(let heard) in stage.session.receive(event, at: stage.now + .seconds(seconds)) {
            return heard.asker
        }
        return nil
    }

    private func words(_ nick: String, type: String = "groupchat") -> String {
        "<message type='\(type)' from='\(dev)/\(nick)'><body>Hi</body></message>"
    }

    private func rename(_ nick: String, _ new: String) -> String {
        "<presence type='unavailable' from='\(dev)/\(nick)'><user:x><user:item nick='\(new)'/><user:status code='303'/></user:x></presence>"
    }

    private func id(_ id: String) -> String { "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(id)'/>" }

    private func comes(_ nick: String, _ extra: String = "") -> String {
        "<presence from='\(dev)/\(nick)'>\(extra)</presence>"
    }

    private func goes(_ nick: String) -> String { "<presence type='unavailable' from='\(dev)/\(nick)'/>" }

    @Test func `who changes the nick stays the same asker, and the next with the old nick is another`() throws {
        var stage = inRoom()
        let eve = try #require(try asker(words("eve"), &stage))
        #expect(eve.turn == eve.id)
        for (old, new) in [("eve", "eva"), ("eva", "evi")] {
            _ = try asker(rename(old, new), &stage)
            #expect(try asker(words(new), &stage) == eve)
            _ = try asker(comes(new), &stage)
            #expect(try asker(words(new), &stage) == eve)
            #expect(try asker(words(new, type: "chat"), &stage) == eve)
        }
        _ = try asker(comes("eve"), &stage)
        let other = try #require(try asker(words("eve"), &stage))
        #expect(other.id != eve.id)
        #expect(stage.session.occupants(of: jid(dev))["eva"] == nil)
    }

    @Test func `who has just come in takes turns with others who have, and alone later`() throws {
        var stage = inRoom()
        var ids: [String] = []
        for nick in ["bob", "zoe"] {
            let coming = try #require(try asker(comes(nick), &stage))
            let topic = "<message from='\(dev)/\(nick)' type='groupchat'><subject>New</subject></message>"
            for xml in [words(nick), topic, words(nick, type: "chat")] {
                #expect(try asker(xml, &stage, after: 59) == coming)
            }
            #expect(coming.turn == "\(dev)#")
            ids.append(coming.id)
        }
        // Whom the room doesn't show, too.
        #expect(try asker(words("ghost"), &stage)?.turn == "\(dev)#")
        #expect(try asker(words("bob"), &stage, after: 60)?.turn == ids[0])
        #expect(try asker(words("bob"), &stage, after: 60)?.id == ids[0])
        _ = try asker(rename("zoe", "zo"), &stage)
        #expect(try asker(words("zo"), &stage, after: 60)?.turn == ids[1])
        // To leave and come in again makes a newcomer, of whom nobody can say that it is the same.
        #expect(try asker(goes("zo"), &stage, after: 59)?.turn == "\(dev)#")
        _ = try asker(goes("bob"), &stage, after: 70)
        _ = try asker(comes("bob"), &stage, after: 70)
        let again = try #require(try asker(words("bob"), &stage, after: 71))
        #expect(again.turn == "\(dev)#" && again.id != ids[0])
    }

    @Test func `a service that tells occupants apart is believed in that`() throws {
        var stage = inRoom(isIdentifying: true)
        let anonymous = try asker(words("eve"), &stage)
        for nick in ["eve", "bob"] {
            _ = try asker(comes(nick, id("x1")), &stage)
            for type in ["groupchat", "chat"] {
                #expect(try asker(words(nick, type: type), &stage)?.id == "\(dev)#x1")
            }
        }
        #expect(try asker(words("eve"), &stage)?.turn == "\(dev)#x1")
        #expect(try asker(words("bob"), &stage, after: 59)?.turn == "\(dev)#")
        #expect(try asker(words("bob"), &stage, after: 60)?.turn == "\(dev)#x1")
        // What no service writes is nobody's name.
        for forged in [id("x1") + id("x2"), id(""), id(String(repeating: "x", count: 257))] {
            _ = try asker(comes("eve", forged), &stage)
            #expect(try asker(words("eve"), &stage) == anonymous)
        }
    }

    @Test func `new people of other servers take turns as one, and those of ours don't`() throws {
        var stage = inRoom(isIdentifying: true)
        for (nick, address) in [("bob", "bob@b.org"), ("ann", "ann@ship.org")] {
            _ = try asker(comes(nick, "<user:x><user:item jid='\(address)/x'/></user:x>"), &stage)
        }
        let bob = try #require(try asker(words("bob"), &stage))
        #expect(bob.id == "bob@b.org" && bob.turn == "\(dev)#")
        #expect(try asker(words("bob"), &stage, after: 60)?.turn == "bob@b.org")
        #expect(try asker(words("ann"), &stage)?.turn == "ann@ship.org")
    }

    // MARK: Private answers

    /// The nick that a private answer to somebody goes to now; nil if nobody gets it.
    private func place(_ asker: Asker?, _ stage: inout Stage, nick: String = "eve") -> String? {
        let actions = stage.session.say([Chat(to: jid("\(dev)/\(nick)"), "42", asker: asker)], at: stage.now)
        return told(actions)
    }

    private func told(_ actions: [Session.Action]) -> String? {
        var withheld = 0
        for action in actions {
            switch action {
            case .send(let element) where element.is("message", Namespace.client):
                return element["to"].flatMap { try? JID($0) }?.resource
            case .note(.withheld(let count)): withheld += count
            default: break
            }
        }
        #expect(withheld == 1)
        return nil
    }

    @Test func `a private answer follows whoever asked, not the nick`() throws {
        var stage = inRoom()
        let eve = try asker(words("eve", type: "chat"), &stage)
        #expect(place(eve, &stage) == "eve")
        _ = try asker(rename("eve", "eva"), &stage)
        #expect(place(eve, &stage) == "eva")
        _ = try asker(comes("eve"), &stage)
        let mal = try asker(words("eve", type: "chat"), &stage)
        #expect(place(eve, &stage) == "eva" && place(mal, &stage) == "eve")
        // Whoever left doesn't hear it, whether the nick is free or not.
        _ = try asker(goes("eva"), &stage)
        #expect(place(eve, &stage) == nil)
        _ = try asker(goes("eve"), &stage)
        #expect(place(mal, &stage) == nil)
        _ = try asker(comes("eve"), &stage)
        #expect(place(eve, &stage) == nil && place(mal, &stage) == nil)
        // What answers nobody is for whoever has the nick.
        #expect(place(nil, &stage) == "eve")
    }

    @Test func `a private answer isn't for those who are there when we come back`() throws {
        var stage = inRoom()
        let eve = try asker(words("eve", type: "chat"), &stage)
        let kick =
            "<presence type='unavailable' from='\(dev)/marvin'><user:x><user:status code='307'/></user:x></presence>"
        _ = try asker(kick, &stage)
        // It waits until we are in.
        #expect(stage.session.say([Chat(to: jid("\(dev)/eve"), "42", asker: eve)], at: stage.now).isEmpty)
        _ = stage.session.tick(at: stage.now + .seconds(10))
        _ = try asker(comes("eve"), &stage, after: 10)
        let own = try #require(
            Stage.event("<presence from='\(dev)/marvin'><user:x><user:status code='110'/></user:x></presence>"))
        let actions = stage.session.receive(own, at: stage.now + .seconds(10))
        #expect(actions.contains(.note(.withheld(1))))
        #expect(!actions.contains { if case .send(let element) = $0 { element["to"] == "\(dev)/eve" } else { false } })
        stage.now += .seconds(20)
        // Whom the address tells, or the service, is told apart.
        for chat in [Asker("eve@b.org"), Asker("\(dev)#x1")] { #expect(place(chat, &stage) == nil) }
    }

    @Test func `what another session has left is for the same people`() throws {
        let item = "<user:x><user:item jid='eve@ship.org/x'/></user:x>"
        for isIdentifying in [false, true] {
            var before = inRoom(isIdentifying: isIdentifying)
            _ = try asker(comes("eve", id("x1") + (isIdentifying ? "" : item)), &before)
            let eve = try asker(words("eve", type: "chat"), &before)
            var stage = inRoom(isIdentifying: isIdentifying, nonce: "another seed" + Stage.nonce.suffix(12))
            #expect(place(eve, &stage) == nil)
            _ = try asker(comes("eva", id("x1") + (isIdentifying ? "" : item)), &stage)
            #expect(place(eve, &stage) == "eva")
        }
    }

    @Test func `who is recognized only after asking still gets the answer`() throws {
        var stage = inRoom()
        let eve = try asker(words("eve", type: "chat"), &stage)
        _ = try asker(comes("eve", "<user:x><user:item jid='eve@ship.org/x'/></user:x>"), &stage)
        #expect(try asker(words("eve"), &stage)?.id == "eve@ship.org")
        #expect(place(eve, &stage) == "eve")
    }

    @Test func `who comes in by a nick whose leaving we haven't seen is somebody else`() throws {
        var stage = inRoom()
        func item(_ address: String) -> String { "<user:x><user:item jid='\(address)/x'/></user:x>" }
        _ = try asker(comes("bob", item("bob@ship.org")), &stage)
        let bob = try asker(words("bob", type: "chat"), &stage)
        _ = try asker(comes("bob", item("mal@ship.org")), &stage)
        #expect(place(bob, &stage, nick: "bob") == nil)
    }

    // MARK: Rooms that hide people

    private func item(_ address: String, role: String = "moderator") -> String {
        "<user:x><user:item jid='\(address)/x' role='\(role)'/></user:x>"
    }

    private let settingsChange =
        "<message type='groupchat' from='dev@muc.ship.org'><user:x><user:status code='104'/></user:x></message>"
    private let ownPresence =
        "<presence from='dev@muc.ship.org/marvin'><user:x><user:status code='110'/></user:x></presence>"

    /// What the session sends and says when that comes.
    private func actions(_ xml: String, _ stage: inout Stage, after seconds: Int = 0) throws -> [Session.Action] {
        let event = try #require(Stage.event(xml))
        return stage.session.receive(event, at: stage.now + .seconds(seconds))
    }

    private func isResync(_ action: Session.Action) -> Bool {
        guard case .send(let element) = action else { return false }
        return element.name == "presence" && element["to"] == "\(dev)/marvin" && element.has("x", Namespace.muc)
    }

    @Test func `after a change of a room's settings nobody is who they were until the room has told`() throws {
        var stage = inRoom()
        for nick in ["ann", "bob"] { _ = try actions(comes(nick, item("\(nick)@ship.org")), &stage) }
        let (ann, bob) = (try asker(words("ann", type: "chat"), &stage), try asker(words("bob", type: "chat"), &stage))
        #expect(ann?.id == "ann@ship.org" && bob?.id == "bob@ship.org")
        #expect(try actions(settingsChange, &stage).contains(where: isResync))
        // Meanwhile nobody is heard as them, and what is for them alone waits.
        #expect(try asker(words("bob"), &stage)?.id == "\(dev)/bob")
        #expect(stage.session.say([Chat(to: jid("\(dev)/bob"), "42", asker: bob)], at: stage.now).isEmpty)
        #expect(!stage.session.say([Chat(to: jid(dev), "all")], at: stage.now).isEmpty)
        // Who is there still doesn't come in.
        #expect(try actions(comes("ann", item("ann@ship.org")), &stage).isEmpty)
        #expect(try actions(ownPresence, &stage).contains(.note(.withheld(1))))
        #expect(try asker(words("ann"), &stage) == ann && place(ann, &stage, nick: "ann") == "ann")
        #expect(try asker(words("bob"), &stage)?.id == "\(dev)/bob")
        // Settings that change all the time cost a question in ten seconds.
        #expect(try actions(settingsChange, &stage, after: 1).isEmpty)
        #expect(stage.session.due == stage.now + .seconds(10))
        #expect(stage.session.tick(at: stage.now + .seconds(10)).contains(where: isResync))
        // Another one meanwhile makes the answer worthless, and so does none.
        #expect(try actions(settingsChange, &stage, after: 11).isEmpty)
        _ = try actions(comes("ann", item("ann@ship.org")), &stage, after: 12)
        _ = try actions(ownPresence, &stage, after: 12)
        #expect(stage.session.tick(at: stage.now + .seconds(20)).contains(where: isResync))
        #expect(stage.session.rooms[jid(dev)]?.resync != Resync.none)
    }

    @Test func `a room that doesn't tell who is there has forgotten us`() throws {
        var stage = inRoom()
        _ = try actions(comes("ann", item("ann@ship.org")), &stage)
        _ = try actions(settingsChange, &stage)
        #expect(!stage.session.tick(at: stage.now + .seconds(29)).contains(.note(.lostRoom(jid(dev)))))
        let again = stage.session.tick(at: stage.now + .seconds(30))
        #expect(again.contains(.note(.lostRoom(jid(dev)))) && again.contains(where: isResync))
        // Who was there before doesn't come in.
        #expect(try actions(comes("ann", item("ann@ship.org")), &stage, after: 31).isEmpty)
        _ = try actions(ownPresence, &stage, after: 31)
        #expect(try asker(words("ann"), &stage, after: 31)?.id == "ann@ship.org")
    }

    @Test func `a pause doesn't count against a room that tells who is there`() throws {
        var stage = inRoom()
        _ = try actions(settingsChange, &stage)
        stage.session.pause(at: stage.now + .seconds(1))
        stage.session.resume(at: stage.now + .seconds(40))
        #expect(!stage.session.tick(at: stage.now + .seconds(41)).contains(.note(.lostRoom(jid(dev)))))
        #expect(stage.session.tick(at: stage.now + .seconds(69)).contains(.note(.lostRoom(jid(dev)))))
    }

    @Test func `our own presence alone isn't all who are there`() throws {
        var stage = inRoom()
        _ = try actions(comes("ann", item("ann@ship.org")), &stage)
        _ = try actions(settingsChange, &stage)
        // Such as a change of our own role, before the room tells.
        _ = try actions(ownPresence, &stage)
        #expect(stage.session.rooms[jid(dev)]?.resync != Resync.none)
        #expect(try actions(comes("ann", item("ann@ship.org")), &stage, after: 4).isEmpty)
        _ = try actions(ownPresence, &stage, after: 4)
        #expect(stage.session.rooms[jid(dev)]?.resync == Resync.none)
        #expect(try asker(words("ann"), &stage)?.id == "ann@ship.org")
    }

    @Test func `a room that shows who joins twice only themselves is left and joined, at most once in five minutes`()
        throws
    {
        var stage = inRoom()
        func leaves(_ action: Session.Action) -> Bool {
            guard case .send(let element) = action else { return false }
            return element.name == "presence" && element["type"] == "unavailable" && element["to"] == "\(dev)/marvin"
        }
        _ = try actions(settingsChange, &stage, after: 1)
        _ = try actions(ownPresence, &stage, after: 1)
        // Too soon: nobody is known, but nothing else happens.
        let soon = stage.session.tick(at: stage.now + .seconds(6))
        #expect(!soon.contains(where: leaves) && stage.session.rooms[jid(dev)]?.resync == Resync.none)
        _ = try actions(comes("ann", item("ann@ship.org")), &stage, after: 7)
        _ = try actions(settingsChange, &stage, after: 400)
        _ = try actions(ownPresence, &stage, after: 400)
        #expect(stage.session.tick(at: stage.now + .seconds(405)).contains(where: leaves))
        let gone =
            "<presence type='unavailable' from='\(dev)/marvin'><user:x><user:status code='110'/></user:x></presence>"
        #expect(try actions(gone, &stage, after: 406).isEmpty)
        #expect(stage.session.tick(at: stage.now + .seconds(407)).contains(where: isResync))
        #expect(try actions(comes("ann", item("ann@ship.org")), &stage, after: 407).isEmpty)
        _ = try actions(ownPresence, &stage, after: 407)
        #expect(try asker(words("ann"), &stage, after: 407)?.id == "ann@ship.org")
    }

    @Test func `who is in doubt can leave or change the nick, and still be recognized`() throws {
        var stage = inRoom()
        for nick in ["ann", "bob"] { _ = try actions(comes(nick, item("\(nick)@ship.org")), &stage) }
        _ = try actions(settingsChange, &stage)
        let left = try actions(goes("bob"), &stage)
        #expect(left.contains { if case .hear(let heard) = $0 { heard.content == .left(nil) } else { false } })
        let renamed =
            "<presence type='unavailable' from='\(dev)/ann'><user:x><user:item jid='ann@ship.org/x' nick='anna'/>"
            + "<user:status code='303'/></user:x></presence>"
        #expect(try actions(renamed, &stage).isEmpty)
        // She doesn't come in.
        #expect(try actions(comes("anna", item("ann@ship.org")), &stage).isEmpty)
        _ = try actions(ownPresence, &stage)
        #expect(try asker(words("anna"), &stage)?.id == "ann@ship.org")
    }

    @Test func `what is asked while the room tells is answered to the same one alone`() throws {
        for address in ["ann@ship.org", "mal@ship.org"] {
            var stage = inRoom()
            _ = try actions(comes("ann", item("ann@ship.org")), &stage)
            _ = try actions(settingsChange, &stage)
            let asked = try asker(words("ann", type: "chat"), &stage)
            _ = try actions(comes("ann", item(address)), &stage)
            _ = try actions(ownPresence, &stage)
            #expect(place(asked, &stage, nick: "ann") == (address == "ann@ship.org" ? "ann" : nil))
        }
        // Whom it doesn't show any more gets it as others do whom it doesn't show.
        var stage = inRoom()
        _ = try actions(settingsChange, &stage)
        let asked = try asker(words("eve", type: "chat"), &stage)
        _ = try actions(comes("ann"), &stage)
        _ = try actions(ownPresence, &stage)
        #expect(place(asked, &stage) == "eve")
    }

    @Test func `who gets another role is doubted: the room may hide it`() throws {
        var stage = inRoom()
        for nick in ["ann", "bob"] { _ = try actions(comes(nick, item("\(nick)@ship.org")), &stage) }
        #expect(try actions(comes("ann", item("ann@ship.org", role: "participant")), &stage).contains(where: isResync))
        #expect(try asker(words("ann"), &stage)?.id == "\(dev)/ann")
        #expect(try asker(words("bob"), &stage)?.id == "bob@ship.org")
        _ = try actions(comes("bob", item("bob@ship.org")), &stage)
        _ = try actions(ownPresence, &stage)
        #expect(stage.session.occupants(of: jid(dev))["ann"] == nil)
        #expect(stage.session.occupants(of: jid(dev))["bob"] != nil)
    }

    @Test func `whom the service doesn't identify isn't the same after a change`() throws {
        for isIdentifying in [false, true] {
            var stage = inRoom(isIdentifying: isIdentifying)
            _ = try actions(comes("eve", id("x1")), &stage)
            let eve = try asker(words("eve", type: "chat"), &stage)
            _ = try actions(settingsChange, &stage)
            _ = try actions(comes("eve", id("x1")), &stage)
            _ = try actions(ownPresence, &stage)
            #expect(place(eve, &stage) == (isIdentifying ? "eve" : nil))
        }
    }

    @Test func `whom a room doesn't show gets answers for half a minute`() throws {
        var stage = inRoom()
        let ghost = try asker(words("ghost", type: "chat"), &stage)
        #expect(place(ghost, &stage, nick: "ghost") == "ghost")
        stage.now += .seconds(29)
        #expect(place(ghost, &stage, nick: "ghost") == "ghost")
        stage.now += .seconds(1)
        #expect(place(ghost, &stage, nick: "ghost") == nil)
        let late = try asker(words("ghost", type: "chat"), &stage)
        _ = try actions(comes("ghost"), &stage)
        #expect(place(late, &stage, nick: "ghost") == nil)
    }

    @Test func `what waits for its turn is looked at when it is said`() throws {
        var stage = inRoom()
        let eve = try asker(words("eve", type: "chat"), &stage)
        stage.session.isClogged = true
        let chats = (0..<3).map { Chat(to: jid("\(dev)/eve"), "\($0)", asker: eve, isUrgent: $0 == 0) }
        #expect(stage.session.say(chats, at: stage.now).isEmpty && stage.session.unsentCount == 3)
        _ = try asker(goes("eve"), &stage)
        _ = try asker(comes("eve"), &stage)
        stage.session.isClogged = false
        #expect(stage.session.tick(at: stage.now) == [.note(.withheld(3))])
    }

    @Test func `in a room that we have left nobody gets a private answer`() throws {
        var stage = inRoom()
        let eve = try asker(words("eve", type: "chat"), &stage)
        _ = stage.session.leave(jid(dev), at: stage.now)
        #expect(place(eve, &stage) == nil)
    }

    @Test(.timeLimit(.minutes(15))) func `thousands who leave one nick behind cost little`() throws {
        var stage = inRoom()
        for index in 0..<4_000 {
            _ = try asker(comes("a"), &stage)
            _ = try asker(rename("a", "b\(index)"), &stage)
            _ = try asker(comes("b\(index)"), &stage)
        }
        #expect(stage.session.occupants(of: jid(dev)).count > 4_000)
    }

    @Test func `several spellings of one account take turns as one, and have limits of their own`() {
        for (one, other) in [("straße", "strasse"), ("σας", "σασ"), ("क्\u{200c}ष", "क्ष")] {
            let (one, other) = (Asker(jid("\(one)@b.org")), Asker(jid("\(other)@b.org")))
            #expect(one.turn == other.turn && one.id != other.id)
        }
        for name in ["ann", "zoë", "bıb", "жук", "ǰan"] {
            let asker = Asker(jid("\(name)@b.org"))
            #expect(asker.turn == asker.id)
        }
    }

    @Test func `where the service says nothing of that, anybody could write it`() throws {
        var stage = inRoom()
        let eve = try asker(words("eve"), &stage)
        _ = try asker(comes("eve", id("x1")), &stage)
        #expect(try asker(words("eve"), &stage) == eve)
    }
}
