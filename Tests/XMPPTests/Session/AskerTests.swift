import Testing

@testable import HeybotXMPP

/// To whom it is accounted what somebody has us do in a room that doesn't show their address.
@Suite struct AskerTests {
    private let dev = "dev@muc.ship.org"

    /// In our room with Eve, who was there before us.
    ///
    /// - Parameter isIdentifying: Whether the room's service says that it tells occupants apart.
    private func inRoom(isIdentifying: Bool = false) -> Stage {
        let features = [Namespace.muc] + (isIdentifying ? [Namespace.occupantID] : [])
        let info = features.map { "<info:feature var='\($0)'/>" }.joined()
        var stage = Stage(.inDev { $0.waits.silence = .seconds(9_999) }, hidesServices: false)
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
        let eve = Asker("\(dev)/eve")
        #expect(try asker(words("eve"), &stage) == eve)
        for (old, new) in [("eve", "eva"), ("eva", "evi")] {
            _ = try asker(rename(old, new), &stage)
            #expect(try asker(words(new), &stage) == eve)
            _ = try asker(comes(new), &stage)
            #expect(try asker(words(new), &stage) == eve)
            #expect(try asker(words(new, type: "chat"), &stage) == eve)
        }
        _ = try asker(comes("eve"), &stage)
        let other = try #require(try asker(words("eve"), &stage))
        #expect(other.id != eve.id && other.id != "\(dev)/evi")
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
            #expect(coming.id.hasPrefix("\(dev)/\(nick)") && coming.turn == "\(dev)#")
            ids.append(coming.id)
        }
        // Whom the room doesn't show, too.
        #expect(try asker(words("ghost"), &stage)?.turn == "\(dev)#")
        #expect(try asker(words("bob"), &stage, after: 60) == Asker(ids[0]))
        _ = try asker(rename("zoe", "zo"), &stage)
        #expect(try asker(words("zo"), &stage, after: 60) == Asker(ids[1]))
        // To leave and come in again makes a newcomer, of whom nobody can say that it is the same.
        #expect(try asker(goes("zo"), &stage, after: 59)?.turn == "\(dev)#")
        _ = try asker(goes("bob"), &stage, after: 70)
        _ = try asker(comes("bob"), &stage, after: 70)
        let again = try #require(try asker(words("bob"), &stage, after: 71))
        #expect(again.turn == "\(dev)#" && again.id != ids[0])
    }

    @Test func `a service that tells occupants apart is believed in that`() throws {
        var stage = inRoom(isIdentifying: true)
        for nick in ["eve", "bob"] {
            _ = try asker(comes(nick, id("x1")), &stage)
            for type in ["groupchat", "chat"] {
                #expect(try asker(words(nick, type: type), &stage)?.id == "\(dev)#x1")
            }
        }
        #expect(try asker(words("eve"), &stage) == Asker("\(dev)#x1"))
        #expect(try asker(words("bob"), &stage, after: 59)?.turn == "\(dev)#")
        #expect(try asker(words("bob"), &stage, after: 60) == Asker("\(dev)#x1"))
        // What no service writes is nobody's name.
        for forged in [id("x1") + id("x2"), id(""), id(String(repeating: "x", count: 257))] {
            _ = try asker(comes("eve", forged), &stage)
            #expect(try asker(words("eve"), &stage) == Asker("\(dev)/eve"))
        }
    }

    @Test func `new people of other servers take turns as one, and those of ours don't`() throws {
        var stage = inRoom(isIdentifying: true)
        for (nick, address) in [("bob", "bob@b.org"), ("ann", "ann@ship.org")] {
            _ = try asker(comes(nick, "<user:x><user:item jid='\(address)/x'/></user:x>"), &stage)
        }
        let bob = jid("bob@b.org")
        #expect(try asker(words("bob"), &stage) == Asker(newcomer: "bob@b.org", in: jid(dev)))
        #expect(try asker(words("bob"), &stage, after: 60) == Asker(bob))
        #expect(try asker(words("ann"), &stage) == Asker("ann@ship.org"))
    }

    @Test func `what waits for somebody in a room isn't for the next with their nick`() throws {
        var stage = inRoom()
        let eve = jid("\(dev)/eve")
        var left = 0
        _ = stage.session.say((0..<100).map { Chat(to: eve, "secret \($0)") }, at: stage.now)
        let waiting = stage.session.unsentCount
        #expect(waiting > 0)
        let event = try #require(Stage.event(rename("eve", "eva")))
        for case .note(.expired(let count)) in stage.session.receive(event, at: stage.now) { left = count }
        #expect(left == waiting && stage.session.unsentCount == 0)
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
        _ = try asker(comes("eve", id("x1")), &stage)
        #expect(try asker(words("eve"), &stage) == Asker("\(dev)/eve"))
    }
}
