import Testing

@testable import XMPP

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

    private func words(_ nick: String, _ extra: String = "", type: String = "groupchat") -> String {
        "<message type='\(type)' from='\(dev)/\(nick)'><body>Hi</body>\(extra)</message>"
    }

    private func rename(_ nick: String, _ new: String) -> String {
        "<presence type='unavailable' from='\(dev)/\(nick)'><user:x><user:item nick='\(new)'/><user:status code='303'/></user:x></presence>"
    }

    private func id(_ id: String) -> String { "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(id)'/>" }

    @Test func `who changes the nick stays the same asker, and the next with the old nick is another`() throws {
        var stage = inRoom()
        let eve = Asker("\(dev)/eve")
        #expect(try asker(words("eve"), &stage) == eve)
        for (old, new) in [("eve", "eva"), ("eva", "evi")] {
            _ = try asker(rename(old, new), &stage)
            #expect(try asker(words(new), &stage) == eve)
            _ = try asker("<presence from='\(dev)/\(new)'/>", &stage)
            #expect(try asker(words(new), &stage) == eve)
            #expect(try asker(words(new, type: "chat"), &stage) == eve)
        }
        _ = try asker("<presence from='\(dev)/eve'/>", &stage)
        let other = try #require(try asker(words("eve"), &stage))
        #expect(other.id != eve.id && other.id != "\(dev)/evi")
        #expect(stage.session.occupants(of: jid(dev))["eva"] == nil)
    }

    @Test func `who has just come in takes turns with others who have, and is known by the nick later`() throws {
        var stage = inRoom()
        for nick in ["bob", "zoe"] {
            _ = try asker("<presence from='\(dev)/\(nick)'/>", &stage)
            let asker = try #require(try asker(words(nick), &stage, after: 59))
            #expect(asker.id == "\(dev)/\(nick)" && asker.turn == "\(dev)#")
        }
        // Whom the room doesn't show, too.
        #expect(try asker(words("ghost"), &stage)?.turn == "\(dev)#")
        #expect(try asker(words("bob"), &stage, after: 60) == Asker("\(dev)/bob"))
        _ = try asker(rename("zoe", "zo"), &stage)
        #expect(try asker(words("zo"), &stage, after: 60) == Asker("\(dev)/zoe"))
        // To leave and come in again makes a newcomer.
        _ = try asker("<presence type='unavailable' from='\(dev)/bob'/>", &stage, after: 70)
        _ = try asker("<presence from='\(dev)/bob'/>", &stage, after: 70)
        #expect(try asker(words("bob"), &stage, after: 71)?.turn == "\(dev)#")
    }

    @Test func `a service that tells occupants apart is believed in that`() throws {
        var stage = inRoom(isIdentifying: true)
        for nick in ["eve", "bob"] {
            _ = try asker("<presence from='\(dev)/\(nick)'/>", &stage)
            for type in ["groupchat", "chat"] {
                #expect(try asker(words(nick, id("x1"), type: type), &stage) == Asker("\(dev)#x1"))
            }
        }
        // What no service writes is nobody's name.
        for forged in [id("x1") + id("x2"), id(""), id(String(repeating: "x", count: 257))] {
            #expect(try asker(words("eve", forged), &stage) == Asker("\(dev)/eve"))
        }
        _ = try asker("<presence from='\(dev)/bob'><user:x><user:item jid='bob@b.org/x'/></user:x></presence>", &stage)
        #expect(try asker(words("bob", id("x1")), &stage) == Asker("bob@b.org"))
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
        #expect(try asker(words("eve", id("x1")), &stage) == Asker("\(dev)/eve"))
    }
}
