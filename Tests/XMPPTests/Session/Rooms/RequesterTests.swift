import Testing

@testable import HeybotXMPP

/// The requesters in rooms that don't show addresses, and the recipients of private answers.
@Suite struct RequesterTests {
    private let dev = "dev@muc.ship.org"

    /// In the configured room, with Eve, who was there before.
    ///
    /// - Parameter isIdentifying: Whether the room's service announces occupant ids.
    private func inRoom(isIdentifying: Bool = false, nonce: String = TranscriptPlayer.nonce) -> TranscriptPlayer {
        let features = [Namespace.muc] + (isIdentifying ? [Namespace.occupantID] : [])
        let info = features.map { "<info:feature var='\($0)'/>" }.joined()
        var stage = TranscriptPlayer(
            .inDev { $0.timeouts.pingInterval = .seconds(9_999) }, hidesServices: false, nonce: nonce)
        stage.play(
            loggedIn + "> <iq type='get' id='{1}' to='muc.ship.org'><info:query/></iq>\n" + knock + """
                < <iq type='result' id='{1}' from='muc.ship.org'><info:query>
                  <info:identity category='conference' type='text'/>\(info)</info:query></iq>
                < <presence from='\(dev)/eve'/>

                """ + welcome + "* logged in as marvin@ship.org/r1, in \(dev)\n. ready\n"
                + "< <message from='\(dev)/eve' type='groupchat'><subject>Old</subject></message>\n")
        return stage
    }

    /// Returns the requester of the event that a stanza causes; nil if it causes none.
    private func requester(_ xml: String, _ stage: inout TranscriptPlayer, after seconds: Int = 0) throws
        -> RequesterIdentity?
    {
        let event = try #require(TranscriptPlayer.event(xml))
        for case .hear(let heard) in stage.session.receive(event, at: stage.now + .seconds(seconds)) {
            return heard.requester
        }
        return nil
    }

    private func words(_ nick: String, type: String = "groupchat", _ extra: String = "") -> String {
        "<message type='\(type)' from='\(dev)/\(nick)'><body>Hi</body>\(extra)</message>"
    }

    private func rename(_ nick: String, _ new: String) -> String {
        "<presence type='unavailable' from='\(dev)/\(nick)'><user:x><user:item nick='\(new)'/><user:status code='303'/></user:x></presence>"
    }

    private func id(_ id: String) -> String { "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(id)'/>" }

    private func comes(_ nick: String, _ extra: String = "") -> String {
        "<presence from='\(dev)/\(nick)'>\(extra)</presence>"
    }

    private func goes(_ nick: String) -> String { "<presence type='unavailable' from='\(dev)/\(nick)'/>" }

    @Test func `a requester stays the same after a change of nick, and the next with the old nick is another`() throws {
        var stage = inRoom()
        let eve = try #require(try requester(words("eve"), &stage))
        #expect(eve.turn == eve.id)
        for (old, new) in [("eve", "eva"), ("eva", "evi")] {
            _ = try requester(rename(old, new), &stage)
            #expect(try requester(words(new), &stage) == eve)
            _ = try requester(comes(new), &stage)
            #expect(try requester(words(new), &stage) == eve)
            #expect(try requester(words(new, type: "chat"), &stage) == eve)
        }
        _ = try requester(comes("eve"), &stage)
        let other = try #require(try requester(words("eve"), &stage))
        #expect(other.id != eve.id)
        #expect(stage.session.occupants(of: jid(dev))["eva"] == nil)
    }

    @Test func `newcomers share their turns, and get their own later`() throws {
        var stage = inRoom()
        var ids: [String] = []
        for nick in ["bob", "zoe"] {
            let coming = try #require(try requester(comes(nick), &stage))
            let topic = "<message from='\(dev)/\(nick)' type='groupchat'><subject>New</subject></message>"
            for xml in [words(nick), topic, words(nick, type: "chat")] {
                let later = try requester(xml, &stage, after: 59)
                #expect(later?.id == coming.id && later?.turn == coming.turn)
            }
            #expect(coming.turn == "\(dev)#")
            ids.append(coming.id)
        }
        // Hidden senders too.
        #expect(try requester(words("ghost"), &stage)?.turn == "\(dev)#")
        #expect(try requester(words("bob"), &stage, after: 60)?.turn == ids[0])
        #expect(try requester(words("bob"), &stage, after: 60)?.id == ids[0])
        _ = try requester(rename("zoe", "zo"), &stage)
        #expect(try requester(words("zo"), &stage, after: 60)?.turn == ids[1])
        // Leaving and joining again makes a newcomer, who may be another person.
        #expect(try requester(goes("zo"), &stage, after: 59)?.turn == "\(dev)#")
        _ = try requester(goes("bob"), &stage, after: 70)
        _ = try requester(comes("bob"), &stage, after: 70)
        let again = try #require(try requester(words("bob"), &stage, after: 71))
        #expect(again.turn == "\(dev)#" && again.id != ids[0])
    }

    @Test func `occupant ids are used if the service sets them`() throws {
        var stage = inRoom(isIdentifying: true)
        let anonymous = try requester(words("eve"), &stage)
        for nick in ["eve", "bob"] {
            _ = try requester(comes(nick, id("x1")), &stage)
            for type in ["groupchat", "chat"] {
                #expect(try requester(words(nick, type: type, id("x1")), &stage)?.id == "\(dev)#x1")
            }
        }
        #expect(try requester(words("eve", id("x1")), &stage)?.turn == "\(dev)#x1")
        #expect(try requester(words("bob", id("x1")), &stage, after: 59)?.turn == "\(dev)#")
        #expect(try requester(words("bob", id("x1")), &stage, after: 60)?.turn == "\(dev)#x1")
        // Ids that no service sets identify nobody.
        for forged in [id("x1") + id("x2"), id(""), id(String(repeating: "x", count: 257))] {
            _ = try requester(comes("eve", forged), &stage)
            #expect(try requester(words("eve", forged), &stage)?.id == anonymous?.id)
        }
    }

    @Test func `newcomers from other servers share their turns, and those of the own server don't`() throws {
        var stage = inRoom(isIdentifying: true)
        for (nick, address) in [("bob", "bob@b.org"), ("ann", "ann@ship.org")] {
            _ = try requester(comes(nick, "<user:x><user:item jid='\(address)/x'/></user:x>" + id(nick)), &stage)
        }
        let bob = try #require(try requester(words("bob", id("bob")), &stage))
        #expect(bob.id == "bob@b.org" && bob.turn == "\(dev)#")
        #expect(try requester(words("bob", id("bob")), &stage, after: 60)?.turn == "bob@b.org")
        #expect(try requester(words("ann", id("ann")), &stage)?.turn == "ann@ship.org")
    }

    // MARK: Private answers

    /// Returns the nick that a private answer to a requester goes to; nil if it isn't sent.
    private func place(_ requester: RequesterIdentity?, _ stage: inout TranscriptPlayer, nick: String = "eve")
        -> String?
    {
        let actions = stage.session.say(
            [OutgoingMessage(to: jid("\(dev)/\(nick)"), "42", requester: requester)], at: stage.now)
        return told(actions)
    }

    private func told(_ actions: [Session.Action]) -> String? {
        var withheld = 0
        for action in actions {
            switch action {
            case .send(let element) where element.is("message", Namespace.client):
                return element["to"].flatMap { try? JID($0) }?.resource
            case .log(.withheld(let count)): withheld += count
            default: break
            }
        }
        #expect(withheld == 1)
        return nil
    }

    @Test func `a private answer follows the requester, not the nick`() throws {
        var stage = inRoom()
        let eve = try requester(words("eve", type: "chat"), &stage)
        #expect(place(eve, &stage) == "eve")
        _ = try requester(rename("eve", "eva"), &stage)
        #expect(place(eve, &stage) == "eva")
        _ = try requester(comes("eve"), &stage)
        let mal = try requester(words("eve", type: "chat"), &stage)
        #expect(place(eve, &stage) == "eva" && place(mal, &stage) == "eve")
        // A requester who has left doesn't get it, whether the nick is taken again or not.
        _ = try requester(goes("eva"), &stage)
        #expect(place(eve, &stage) == nil)
        _ = try requester(goes("eve"), &stage)
        #expect(place(mal, &stage) == nil)
        _ = try requester(comes("eve"), &stage)
        #expect(place(eve, &stage) == nil && place(mal, &stage) == nil)
        // A message that answers nobody goes to the current user of the nick.
        #expect(place(nil, &stage) == "eve")
    }

    @Test func `after rejoining, private answers aren't sent to other occupants`() throws {
        var stage = inRoom()
        let eve = try requester(words("eve", type: "chat"), &stage)
        let kick =
            "<presence type='unavailable' from='\(dev)/marvin'><user:x><user:status code='307'/></user:x></presence>"
        _ = try requester(kick, &stage)
        // It waits until the room is joined.
        #expect(
            stage.session.say([OutgoingMessage(to: jid("\(dev)/eve"), "42", requester: eve)], at: stage.now).isEmpty)
        _ = stage.session.tick(at: stage.now + .seconds(10))
        _ = try requester(comes("eve"), &stage, after: 10)
        let own = try #require(
            TranscriptPlayer.event(
                "<presence from='\(dev)/marvin'><user:x><user:status code='110'/></user:x></presence>"))
        let actions = stage.session.receive(own, at: stage.now + .seconds(10))
        #expect(actions.contains(.log(.withheld(1))))
        #expect(!actions.contains { if case .send(let element) = $0 { element["to"] == "\(dev)/eve" } else { false } })
        stage.now += .seconds(20)
        // Requesters with an address or an occupant id are identified.
        for chat in [RequesterIdentity("eve@b.org"), RequesterIdentity("\(dev)#x1")] {
            #expect(place(chat, &stage) == nil)
        }
    }

    @Test func `messages of an earlier session are for the same people`() throws {
        let item = "<user:x><user:item jid='eve@ship.org/x'/></user:x>"
        for isIdentifying in [false, true] {
            var before = inRoom(isIdentifying: isIdentifying)
            _ = try requester(comes("eve", id("x1") + (isIdentifying ? "" : item)), &before)
            let eve = try requester(words("eve", type: "chat", id("x1")), &before)
            var stage = inRoom(isIdentifying: isIdentifying, nonce: "another seed" + TranscriptPlayer.nonce.suffix(12))
            #expect(place(eve, &stage) == nil)
            _ = try requester(comes("eva", id("x1") + (isIdentifying ? "" : item)), &stage)
            #expect(place(eve, &stage) == "eva")
        }
    }

    @Test func `a requester who is identified only later still gets the answer`() throws {
        var stage = inRoom()
        let eve = try requester(words("eve", type: "chat"), &stage)
        _ = try requester(comes("eve", "<user:x><user:item jid='eve@ship.org/x'/></user:x>"), &stage)
        #expect(try requester(words("eve"), &stage)?.id == "eve@ship.org")
        #expect(place(eve, &stage) == "eve")
    }

    @Test func `a new occupant with a nick whose leaving wasn't seen is another person`() throws {
        var stage = inRoom()
        func item(_ address: String) -> String { "<user:x><user:item jid='\(address)/x'/></user:x>" }
        _ = try requester(comes("bob", item("bob@ship.org")), &stage)
        let bob = try requester(words("bob", type: "chat"), &stage)
        _ = try requester(comes("bob", item("mal@ship.org")), &stage)
        #expect(place(bob, &stage, nick: "bob") == nil)
    }

    // MARK: Rooms that hide occupants

    private func item(_ address: String, role: String = "moderator") -> String {
        "<user:x><user:item jid='\(address)/x' role='\(role)'/></user:x>"
    }

    private let anonymousItem = "<user:x><user:item role='moderator'/></user:x>"

    private let settingsChange =
        "<message type='groupchat' from='dev@muc.ship.org'><user:x><user:status code='104'/></user:x></message>"
    private let ownPresence =
        "<presence from='dev@muc.ship.org/marvin'><user:x><user:status code='110'/></user:x></presence>"

    /// The session's own presence, as a room answers the join that the session waits for.
    private func answer(_ stage: TranscriptPlayer) -> String {
        let id =
            switch stage.session.rooms[jid(dev)]?.resync {
            case .requested(let list), .listing(let list): list.id
            default: "none"
            }
        return ownPresence.replacing("<presence ", with: "<presence id='\(id)' ")
    }

    /// Returns what the session does when the room answers both joins with this list.
    private func actions(list: [String], _ stage: inout TranscriptPlayer, after seconds: Int = 0) throws -> [Session
        .Action]
    {
        let begin = try actions(answer(stage), &stage, after: seconds)
        #expect(begin.contains(where: isResync))
        let shown = try list.flatMap { try actions($0, &stage, after: seconds) }
        return try begin + shown + actions(answer(stage), &stage, after: seconds)
    }

    /// Returns what the session sends and receives because of a stanza.
    private func actions(_ xml: String, _ stage: inout TranscriptPlayer, after seconds: Int = 0) throws -> [Session
        .Action]
    {
        let event = try #require(TranscriptPlayer.event(xml))
        return stage.session.receive(event, at: stage.now + .seconds(seconds))
    }

    private func isResync(_ action: Session.Action) -> Bool {
        guard case .send(let element) = action else { return false }
        return element.name == "presence" && element["to"] == "\(dev)/marvin" && element.has("x", Namespace.muc)
    }

    @Test func `after a configuration change occupants are unverified until the room sends the list`() throws {
        var stage = inRoom()
        for nick in ["ann", "bob"] { _ = try actions(comes(nick, item("\(nick)@ship.org")), &stage) }
        let (ann, bob) = (
            try requester(words("ann", type: "chat"), &stage), try requester(words("bob", type: "chat"), &stage)
        )
        #expect(ann?.id == "ann@ship.org" && bob?.id == "bob@ship.org")
        #expect(try actions(settingsChange, &stage).contains(where: isResync))
        // Until then nobody is identified, and private answers to them wait.
        #expect(try requester(words("bob"), &stage)?.id == "\(dev)/bob")
        #expect(
            stage.session.say([OutgoingMessage(to: jid("\(dev)/bob"), "42", requester: bob)], at: stage.now).isEmpty)
        #expect(!stage.session.say([OutgoingMessage(to: jid(dev), "all")], at: stage.now).isEmpty)
        // An occupant who is still there doesn't join again.
        let listed = try actions(list: [comes("ann", item("ann@ship.org"))], &stage)
        #expect(!listed.contains { if case .hear = $0 { true } else { false } })
        #expect(listed.contains(.log(.withheld(1))))
        #expect(try requester(words("ann"), &stage) == ann && place(ann, &stage, nick: "ann") == "ann")
        #expect(try requester(words("bob"), &stage)?.id == "\(dev)/bob")
        // Constant changes of the configuration cost one request in ten seconds.
        #expect(try actions(settingsChange, &stage, after: 1).isEmpty)
        #expect(stage.session.due == stage.now + .seconds(10))
        #expect(stage.session.tick(at: stage.now + .seconds(10)).contains(where: isResync))
        // Another change before the list begins changes nothing; one after that invalidates the list.
        #expect(try actions(settingsChange, &stage, after: 11).isEmpty)
        _ = try actions(answer(stage), &stage, after: 12)
        #expect(try actions(settingsChange, &stage, after: 12).isEmpty)
        _ = try actions(comes("ann", item("ann@ship.org")), &stage, after: 12)
        #expect(!(try actions(answer(stage), &stage, after: 12).contains(where: isResync)))
        #expect(try requester(words("ann"), &stage, after: 12)?.id == "\(dev)/ann")
        #expect(stage.session.tick(at: stage.now + .seconds(20)).contains(where: isResync))
        _ = try actions(list: [comes("ann", item("ann@ship.org"))], &stage, after: 20)
        #expect(try requester(words("ann"), &stage, after: 20)?.id == "ann@ship.org")
    }

    // What ejabberd sends: the change to a role that the room hides is the last thing seen of an occupant.
    private func demoted(_ nick: String) -> String { comes(nick, item("\(nick)@ship.org", role: "visitor")) }

    @Test func `a presence before the list doesn't verify an occupant`() throws {
        for isAnswered in [false, true] {
            var stage = inRoom()
            for nick in ["ann", "bob"] { _ = try actions(comes(nick, item("\(nick)@ship.org")), &stage) }
            _ = try actions(settingsChange, &stage)
            // Before the first answer, and after it but before the list: the room doesn't list her.
            if isAnswered { _ = try actions(answer(stage), &stage) }
            _ = try actions(demoted("ann"), &stage)
            if !isAnswered { _ = try actions(answer(stage), &stage) }
            _ = try actions(comes("bob", item("bob@ship.org")), &stage)
            _ = try actions(answer(stage), &stage)
            #expect(try requester(words("ann"), &stage)?.id == "\(dev)/ann")
            #expect(try requester(words("bob"), &stage)?.id == (isAnswered ? "\(dev)/bob" : "bob@ship.org"))
            guard isAnswered else { continue }
            #expect(stage.session.tick(at: stage.now + .seconds(10)).contains(where: isResync))
            _ = try actions(list: [comes("bob", item("bob@ship.org"))], &stage, after: 10)
            #expect(try requester(words("ann"), &stage, after: 10)?.id == "\(dev)/ann")
            #expect(try requester(words("bob"), &stage, after: 10)?.id == "bob@ship.org")
        }
    }

    @Test func `a change of the role of an unverified occupant, or of one with two clients, verifies nothing`() throws {
        var stage = inRoom()
        for nick in ["ann", "bob"] { _ = try actions(comes(nick, item("\(nick)@ship.org")), &stage) }
        // Two clients: the room sends two presences.
        #expect(try actions(demoted("ann"), &stage).contains(where: isResync))
        _ = try actions(demoted("ann"), &stage)
        #expect(try requester(words("ann"), &stage)?.id == "\(dev)/ann")
        _ = try actions(list: [comes("eve"), comes("bob", item("bob@ship.org"))], &stage)
        #expect(try requester(words("ann"), &stage)?.id == "\(dev)/ann")
        // A change while the next list is scheduled.
        _ = try actions(settingsChange, &stage, after: 1)
        _ = try actions(demoted("bob"), &stage, after: 2)
        #expect(try requester(words("bob"), &stage, after: 2)?.id == "\(dev)/bob")
        // Someone new may be one whom the room has shown only to hide again.
        _ = try actions(comes("eve", item("eve@ship.org")), &stage, after: 3)
        #expect(try requester(words("eve"), &stage, after: 3)?.id == "\(dev)/eve")
    }

    @Test func `own presences that don't answer a join don't end the list`() throws {
        var stage = inRoom()
        _ = try actions(comes("ann", item("ann@ship.org")), &stage)
        _ = try actions(settingsChange, &stage)
        // A change of the own role; the room sends the session's last presence again, with its id.
        _ = try actions(ownPresence, &stage)
        let first = answer(stage)
        _ = try actions(first, &stage)
        for presence in [ownPresence, first, demoted("ann"), ownPresence, first] {
            _ = try actions(presence, &stage)
            #expect(try requester(words("ann"), &stage)?.id == "\(dev)/ann")
        }
        _ = try actions(answer(stage), &stage)
        #expect(try requester(words("ann"), &stage)?.id == "\(dev)/ann")
        #expect(stage.session.rooms[jid(dev)]?.resync != OccupantResyncState.idle)
    }

    @Test func `a room that doesn't send the list has lost the session`() throws {
        var stage = inRoom()
        _ = try actions(comes("ann", item("ann@ship.org")), &stage)
        _ = try actions(settingsChange, &stage)
        #expect(!stage.session.tick(at: stage.now + .seconds(29)).contains(.log(.membershipLost(jid(dev)))))
        let again = stage.session.tick(at: stage.now + .seconds(30))
        #expect(again.contains(.log(.membershipLost(jid(dev)))) && again.contains(where: isResync))
        // An occupant who was there before doesn't join again.
        #expect(try actions(comes("ann", item("ann@ship.org")), &stage, after: 31).isEmpty)
        // The room may have known the session after all, and have sent more than the list.
        #expect(try actions(ownPresence, &stage, after: 31).contains(where: isResync))
        #expect(try requester(words("ann"), &stage, after: 31)?.id == "\(dev)/ann")
        _ = try actions(list: [comes("ann", item("ann@ship.org"))], &stage, after: 31)
        #expect(try requester(words("ann"), &stage, after: 31)?.id == "ann@ship.org")
    }

    @Test func `a room that loses the session again and again is joined later and later`() throws {
        var stage = inRoom()
        let error =
            "<message type='error' from='\(dev)'><error type='modify'>"
            + "<not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>"
        var waits: [Duration] = []
        for _ in 0..<5 {
            let before = stage.now
            var sent = try actions(error, &stage)
            #expect(sent.contains(.log(.membershipLost(jid(dev)))))
            while !sent.contains(where: isResync), let due = stage.session.due {
                stage.now = due
                sent = stage.session.tick(at: due)
            }
            waits.append(stage.now - before)
            _ = try actions(ownPresence, &stage)
        }
        #expect(waits == [.zero, .seconds(2), .seconds(4), .seconds(8), .seconds(16)])
    }

    @Test func `a pause extends the deadline of the list`() throws {
        var stage = inRoom()
        _ = try actions(settingsChange, &stage)
        stage.session.pause(at: stage.now + .seconds(1))
        stage.session.resume(at: stage.now + .seconds(40))
        #expect(!stage.session.tick(at: stage.now + .seconds(41)).contains(.log(.membershipLost(jid(dev)))))
        #expect(stage.session.tick(at: stage.now + .seconds(69)).contains(.log(.membershipLost(jid(dev)))))
    }

    private func leaves(_ action: Session.Action) -> Bool {
        guard case .send(let element) = action else { return false }
        return element.name == "presence" && element["type"] == "unavailable" && element["to"] == "\(dev)/marvin"
    }

    @Test func `a room whose answers have no ids is left and rejoined, at most every five minutes`() throws {
        var stage = inRoom()
        _ = try actions(comes("ann", item("ann@ship.org")), &stage)
        _ = try actions(settingsChange, &stage)
        _ = try actions(ownPresence, &stage)
        _ = try actions(comes("ann", item("ann@ship.org")), &stage)
        #expect(!stage.session.tick(at: stage.now + .seconds(30)).contains(where: leaves))
        // Until then nobody is identified, but answers don't wait.
        #expect(try requester(words("ann"), &stage, after: 31)?.id == "\(dev)/ann")
        let asked = try requester(words("ann", type: "chat"), &stage, after: 31)
        stage.now += .seconds(31)
        #expect(place(asked, &stage, nick: "ann") == "ann")
        stage.now += .seconds(300)
        #expect(stage.session.tick(at: stage.now).contains(where: leaves))
        let gone =
            "<presence type='unavailable' from='\(dev)/marvin'><user:x><user:status code='110'/></user:x></presence>"
        #expect(try actions(gone, &stage).isEmpty)
        stage.now += .seconds(2)
        #expect(stage.session.tick(at: stage.now).contains(where: isResync))
        #expect(try actions(comes("ann", item("ann@ship.org")), &stage).isEmpty)
        _ = try actions(ownPresence, &stage)
        #expect(try requester(words("ann"), &stage)?.id == "ann@ship.org")
    }

    @Test func `a room that lists nobody any more is left and rejoined`() throws {
        var stage = inRoom()
        _ = try actions(comes("ann", item("ann@ship.org")), &stage)
        _ = try actions(settingsChange, &stage, after: 400)
        _ = try actions(list: [], &stage, after: 400)
        #expect(stage.session.tick(at: stage.now + .seconds(400)).contains(where: leaves))
    }

    @Test func `an unverified occupant can leave or change the nick, and still be recognized`() throws {
        var stage = inRoom()
        for nick in ["ann", "bob"] { _ = try actions(comes(nick, item("\(nick)@ship.org")), &stage) }
        _ = try actions(settingsChange, &stage)
        let left = try actions(goes("bob"), &stage)
        #expect(left.contains { if case .hear(let heard) = $0 { heard.content == .left(nil) } else { false } })
        let renamed =
            "<presence type='unavailable' from='\(dev)/ann'><user:x><user:item jid='ann@ship.org/x' nick='anna'/>"
            + "<user:status code='303'/></user:x></presence>"
        let changes = try actions(renamed, &stage)
        #expect(changes.count == 1)
        for case .hear(let heard) in changes { #expect(heard.content == .renamed(from: "ann")) }
        // She doesn't join again.
        #expect(try actions(comes("anna", item("ann@ship.org")), &stage).isEmpty)
        _ = try actions(list: [comes("anna", item("ann@ship.org"))], &stage)
        #expect(try requester(words("anna"), &stage)?.id == "ann@ship.org")
    }

    @Test func `a request during a resynchronization is answered to the same person only`() throws {
        for address in ["ann@ship.org", "mal@ship.org"] {
            var stage = inRoom()
            _ = try actions(comes("ann", item("ann@ship.org")), &stage)
            _ = try actions(settingsChange, &stage)
            let asked = try requester(words("ann", type: "chat"), &stage)
            _ = try actions(list: [comes("ann", item(address))], &stage)
            #expect(place(asked, &stage, nick: "ann") == (address == "ann@ship.org" ? "ann" : nil))
        }
        // An occupant who is no longer shown gets it like other hidden ones.
        var stage = inRoom()
        _ = try actions(settingsChange, &stage)
        let asked = try requester(words("eve", type: "chat"), &stage)
        _ = try actions(list: [comes("ann")], &stage)
        #expect(place(asked, &stage) == "eve")
    }

    @Test func `a request of somebody unknown who then leaves isn't answered`() throws {
        var stage = inRoom()
        let ghost = try requester(words("ghost", type: "chat"), &stage, after: 1)
        stage.now += .seconds(2)
        #expect(place(ghost, &stage, nick: "ghost") == "ghost")
        _ = try actions(goes("ghost"), &stage)
        #expect(place(ghost, &stage, nick: "ghost") == nil)
    }

    @Test func `an occupant with a new role is unverified, because the room may hide the role`() throws {
        var stage = inRoom()
        for nick in ["ann", "bob"] { _ = try actions(comes(nick, item("\(nick)@ship.org")), &stage) }
        #expect(try actions(comes("ann", item("ann@ship.org", role: "participant")), &stage).contains(where: isResync))
        #expect(try requester(words("ann"), &stage)?.id == "\(dev)/ann")
        #expect(try requester(words("bob"), &stage)?.id == "bob@ship.org")
        _ = try actions(list: [comes("eve"), comes("bob", item("bob@ship.org"))], &stage)
        #expect(stage.session.occupants(of: jid(dev))["ann"] == nil)
        #expect(stage.session.occupants(of: jid(dev))["bob"] != nil)
    }

    @Test func `an occupant without an id isn't the same after a change`() throws {
        for isIdentifying in [false, true] {
            var stage = inRoom(isIdentifying: isIdentifying)
            _ = try actions(comes("eve", id("x1")), &stage)
            let eve = try requester(words("eve", type: "chat", id("x1")), &stage)
            _ = try actions(settingsChange, &stage)
            _ = try actions(list: [comes("eve", id("x1"))], &stage)
            #expect(place(eve, &stage) == (isIdentifying ? "eve" : nil))
        }
    }

    @Test func `a skipped presence is as good as a new role`() throws {
        var stage = inRoom()
        _ = try actions(comes("ann", item("ann@ship.org")), &stage)
        let skipped = SkippedElement(
            name: "presence", namespace: Namespace.client, attributes: ["from": "\(dev)/ann"],
            reason: "an element has more than 64 attributes")
        _ = stage.session.receive(.skipped(skipped), at: stage.now)
        #expect(try requester(words("ann"), &stage)?.id != "ann@ship.org")
        #expect(try actions(demoted("ann"), &stage).contains(where: isResync))
        #expect(try requester(words("ann"), &stage)?.id == "\(dev)/ann")
    }

    @Test func `a message without the occupant's id is somebody else's`() throws {
        var stage = inRoom(isIdentifying: true)
        _ = try actions(comes("ann", id("x7") + item("ann@ship.org")), &stage)
        func says(_ id: String, type: String = "groupchat") -> String {
            "<message from='\(dev)/ann' type='\(type)'><body>Hi</body>\(id)</message>"
        }
        for type in ["groupchat", "chat"] {
            #expect(try requester(says(id("x7"), type: type), &stage)?.id == "ann@ship.org")
            for other in ["", id("x8"), id("x7") + id("x7")] {
                #expect(try requester(says(other, type: type), &stage)?.id == "\(dev)/ann")
            }
        }
    }

    @Test func `a skipped stanza without a readable start tag may be any occupant's presence`() throws {
        var stage = inRoom()
        _ = try actions(comes("ann", item("ann@ship.org")), &stage)
        let skipped = SkippedElement(name: nil, namespace: nil, reason: "a tag has more than 32768 bytes")
        #expect(stage.session.receive(.skipped(skipped), at: stage.now).contains(where: isResync))
        #expect(try requester(words("ann"), &stage)?.id == "\(dev)/ann")
        _ = try actions(list: [comes("ann", item("ann@ship.org"))], &stage)
        #expect(try requester(words("ann"), &stage)?.id == "ann@ship.org")
        // However often that happens, the list is requested once in ten seconds.
        #expect(!stage.session.receive(.skipped(skipped), at: stage.now + .seconds(1)).contains(where: isResync))
    }

    @Test func `an occupant with several clients is recognized if the items agree`() throws {
        var stage = inRoom()
        func items(_ second: String) -> String {
            "<user:x><user:item jid='ann@ship.org/a' role='moderator'/><user:item jid='\(second)' role='moderator'/></user:x>"
        }
        _ = try actions(comes("ann", items("ann@ship.org/b")), &stage)
        #expect(try requester(words("ann"), &stage)?.id == "ann@ship.org")
        _ = try actions(comes("bob", items("bob@ship.org/b")), &stage)
        #expect(try requester(words("bob"), &stage)?.id.hasSuffix("@ship.org") == false)
    }

    @Test func `a hidden requester gets answers for five seconds`() throws {
        var stage = inRoom()
        let ghost = try requester(words("ghost", type: "chat"), &stage)
        #expect(place(ghost, &stage, nick: "ghost") == "ghost")
        stage.now += .milliseconds(4_999)
        #expect(place(ghost, &stage, nick: "ghost") == "ghost")
        stage.now += .milliseconds(1)
        #expect(place(ghost, &stage, nick: "ghost") == nil)
        let late = try requester(words("ghost", type: "chat"), &stage)
        _ = try actions(comes("ghost"), &stage)
        #expect(place(late, &stage, nick: "ghost") == nil)
    }

    @Test func `an occupant whose nick isn't in its normal form is answered in the room only`() throws {
        var stage = inRoom()
        let (zoe, other) = ("zo\u{eb}", "zoe\u{308}")
        _ = try actions(comes(other, item("eve@ship.org")), &stage)
        let asked = try requester(words(other), &stage)
        #expect(asked?.limitID == "eve@ship.org" && place(asked, &stage, nick: zoe) == nil)
        #expect(try actions(words(other, type: "chat"), &stage).isEmpty)
        let omemo =
            "<message type='chat' from='\(dev)/\(other)'><omemo:encrypted><omemo:payload/></omemo:encrypted></message>"
        #expect(try actions(omemo, &stage).isEmpty)
    }

    @Test func `a presence that can't be read, and a nick in another form, keep the rate limit`() throws {
        for hasAddresses in [true, false] {
            var stage = inRoom()
            _ = try actions(comes("eve", hasAddresses ? item("eve@ship.org") : anonymousItem), &stage)
            let before = try #require(try requester(words("eve"), &stage))
            #expect(before.limitID.hasPrefix("eve@") == hasAddresses)
            _ = stage.session.receive(.skipped(oversized("eve")), at: stage.now)
            #expect(try requester(words("eve"), &stage)?.limitID == before.limitID)
            for (old, new) in [("eve", "e\u{301}ve"), ("e\u{301}ve", "e\u{302}ve"), ("e\u{302}ve", "eva")] {
                _ = try actions(rename(old, new), &stage)
                #expect(try requester(words(new), &stage)?.limitID == before.limitID, "\(hasAddresses) \(new)")
                _ = try actions(comes(new, hasAddresses ? item("eve@ship.org") : anonymousItem), &stage)
                #expect(try requester(words(new), &stage)?.limitID == before.limitID, "\(hasAddresses) \(new)")
            }
        }
    }

    private func oversized(_ nick: String) -> SkippedElement {
        SkippedElement(
            name: "presence", namespace: Namespace.client, attributes: ["from": "\(dev)/\(nick)"],
            reason: "an element has more than 64 attributes")
    }

    @Test func `a presence that can't be read, of a nick in another form, doesn't concern the normal form`() throws {
        var stage = inRoom()
        _ = try actions(comes("zo\u{eb}", item("zoe@ship.org")), &stage)
        _ = stage.session.receive(.skipped(oversized("zoe\u{308}")), at: stage.now)
        #expect(try requester(words("zo\u{eb}"), &stage)?.id == "zoe@ship.org")
    }

    @Test func `a message with an occupant id is counted for that occupant, known or not`() throws {
        var stage = inRoom(isIdentifying: true)
        let ghost = try requester(words("ghost", id("x9")), &stage)
        #expect(ghost?.limitID == "\(dev)#x9")
        #expect(try requester(words("spook", id("x9")), &stage)?.limitID == ghost?.limitID)
    }

    @Test func `a presence that can't be read makes nobody's requests another's`() throws {
        var stage = inRoom(isIdentifying: true)
        _ = try actions(comes("ada", item("ada@ship.org") + id("a")), &stage)
        #expect(try requester(words("ada", id("a")), &stage)?.limitID == "ada@ship.org")
        // Mallory has taken the nick unseen, and the service's id proves it.
        _ = stage.session.receive(.skipped(oversized("ada")), at: stage.now)
        #expect(try requester(words("ada", id("m")), &stage)?.limitID == "\(dev)#m")
        #expect(try requester(words("ada", id("a")), &stage)?.limitID == "ada@ship.org")
    }

    @Test func `a spelling that isn't the normal form is counted for that form`() throws {
        var stage = inRoom()
        func asks(_ sender: String) throws -> RequesterIdentity? {
            try requester("<message type='chat' from='\(sender)'><body>Hi</body></message>", &stage)
        }
        #expect(try asks("\u{2F874}麻@b.org/1")?.limitID == "当麻@b.org")
        _ = try actions(comes("eve", item("\u{2F874}麻@b.org")), &stage)
        #expect(try requester(words("eve"), &stage)?.limitID == "当麻@b.org")
    }

    @Test func `the recipient is checked when a message is sent, not when it is queued`() throws {
        var stage = inRoom()
        let eve = try requester(words("eve", type: "chat"), &stage)
        stage.session.isCongested = true
        let chats = (0..<3).map { OutgoingMessage(to: jid("\(dev)/eve"), "\($0)", requester: eve, isUrgent: $0 == 0) }
        #expect(stage.session.say(chats, at: stage.now).isEmpty && stage.session.unsentCount == 3)
        _ = try requester(goes("eve"), &stage)
        _ = try requester(comes("eve"), &stage)
        stage.session.isCongested = false
        #expect(stage.session.tick(at: stage.now) == [.log(.withheld(3))])
    }

    @Test func `after leaving a room no private answers are sent there`() throws {
        var stage = inRoom()
        let eve = try requester(words("eve", type: "chat"), &stage)
        _ = stage.session.leave(jid(dev), at: stage.now)
        #expect(place(eve, &stage) == nil)
    }

    @Test(.timeLimit(.minutes(15))) func `thousands of changes of one nick cost little`() throws {
        var stage = inRoom()
        for index in 0..<4_000 {
            _ = try requester(comes("a"), &stage)
            _ = try requester(rename("a", "b\(index)"), &stage)
            _ = try requester(comes("b\(index)"), &stage)
        }
        #expect(stage.session.occupants(of: jid(dev)).count > 4_000)
    }

    @Test func `several spellings of one account share turns, and have separate limits`() {
        for (one, other) in [("straße", "strasse"), ("σας", "σασ"), ("क्\u{200c}ष", "क्ष")] {
            let (one, other) = (RequesterIdentity(jid("\(one)@b.org")), RequesterIdentity(jid("\(other)@b.org")))
            #expect(one.turn == other.turn && one.id != other.id)
        }
        for name in ["ann", "zoë", "bıb", "жук", "ǰan"] {
            let requester = RequesterIdentity(jid("\(name)@b.org"))
            #expect(requester.turn == requester.id)
        }
    }

    @Test func `occupant ids aren't trusted if the service doesn't announce them`() throws {
        var stage = inRoom()
        let eve = try requester(words("eve"), &stage)
        _ = try requester(comes("eve", id("x1")), &stage)
        #expect(try requester(words("eve"), &stage) == eve)
    }
}
