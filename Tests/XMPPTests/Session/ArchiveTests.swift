import Testing

@testable import HeybotXMPP

/// What archives have kept while the session was away (XEP-0313).
@Suite struct ArchiveTests {
    private let dev = "dev@muc.ship.org"
    private let stamp = "2025-12-31T23:59:00Z"
    /// The beginning of 2026.
    private let epoch = 1_767_225_600.0

    private func profile(_ profile: SessionConfiguration = .marvin) -> SessionConfiguration {
        var profile = profile
        profile.missedMessageAge = .seconds(600)
        return profile
    }

    /// A session whose predecessor was cut off a minute and a half ago.
    private func back(_ profile: SessionConfiguration, rooms: [SessionConfiguration.Room]? = nil) -> TranscriptPlayer {
        var stage = TranscriptPlayer(profile, rooms: rooms)
        stage.session.epoch = epoch
        stage.session.absentSince = .seconds(-90)
        return stage
    }

    /// The request for a page of an archive.
    private func request(
        _ page: Int, iq: Int? = nil, to: String = "", start: String = "2025-12-31T23:58:15Z", after: String = ""
    ) -> String {
        let to = to.isEmpty ? "" : " to='\(to)'"
        let after = after.isEmpty ? "" : "<rsm:after>\(after)</rsm:after>"
        return """
            > <iq type='set' id='{\(iq ?? page)}'\(to)><mam:query queryid='missed-\(page)'>
              <data:x type='submit'><data:field var='FORM_TYPE'><data:value>urn:xmpp:mam:2</data:value></data:field>
              <data:field var='start'><data:value>\(start)</data:value></data:field></data:x>
              <rsm:set><rsm:max>50</rsm:max>\(after)</rsm:set></mam:query></iq>

            """
    }

    private let ready = "* logged in as marvin@ship.org/r1, in no room\n. ready\n"

    /// A result of a page of an archive.
    private func found(
        _ text: String, by sender: String = "bob@b.org/x", page: Int = 1, from archive: String = "", id: String = "a1",
        type: String = "chat", _ more: String = ""
    ) -> String {
        let from = archive.isEmpty ? "" : " from='\(archive)'"
        let message = "<message from='\(sender)' type='\(type)' id='m1'><body>\(text)</body>\(more)</message>"
        let forwarded = "<forward:forwarded><delay:delay stamp='\(stamp)'/>\(message)</forward:forwarded>"
        let result = "<mam:result queryid='missed-\(page)' id='\(id)'>\(forwarded)</mam:result>"
        return "< <message\(from)>\(result)</message>\n"
    }

    /// The end of a page.
    private func end(iq: Int, from archive: String = "", last: String? = nil) -> String {
        let from = archive.isEmpty ? "" : " from='\(archive)'"
        let set = last.map { "<rsm:set><rsm:last>\($0)</rsm:last></rsm:set>" } ?? ""
        let complete = last == nil ? " complete='true'" : ""
        return "< <iq type='result' id='{\(iq)}'\(from)><mam:fin\(complete)>\(set)</mam:fin></iq>\n"
    }

    @Test func `direct messages are found page by page, and heard as missed`() {
        var stage = back(profile())
        stage.play(
            """
            \(loggedIn)
            \(request(1))
            \(ready)
            \(found("one"))
            = bob@b.org/x privately: one missed late, of \(stamp)
            """)
        // Until the archive has told everything, another session asks for the same again.
        #expect(stage.session.missedSince == .seconds(-90))
        stage.play(
            """
            \(end(iq: 1, last: "a1"))
            \(request(2, after: "a1"))
            \(found("old", page: 1))
            """)
        // Another session begins with the page that isn't complete.
        #expect(stage.session.missedSince == .seconds(-60))
        stage.play(
            """
            \(found("two", page: 2, from: "marvin@ship.org"))
            = bob@b.org/x privately: two missed late, of \(stamp)
            \(end(iq: 2, from: "marvin@ship.org"))
            \(found("three", page: 2))
            < <message from='bob@b.org/x'><body>four</body></message>
            = bob@b.org/x privately: four
            """)
        #expect(stage.session.missedSince == .zero)
    }

    @Test func `the id in the archive is the message's stanza id`() throws {
        func heard(_ xml: String, in session: inout Session) throws -> String? {
            let event = try #require(TranscriptPlayer.event(String(xml.dropFirst(2).dropLast())))
            for case .hear(let heard) in session.receive(event, at: .zero) { return heard.stanzaID }
            return nil
        }
        var stage = back(profile())
        stage.play(loggedIn + request(1) + ready)
        #expect(try heard(found("one", id: "a7"), in: &stage.session) == "a7")
        let id = "<sid:stanza-id id='a8' by='marvin@ship.org'/>"
        let live = "< <message from='bob@b.org/x'><body>Hi</body>\(id)</message>\n"
        #expect(try heard(live, in: &stage.session) == "a8")
        #expect(try heard(live.replacing("by='marvin@ship.org'", with: "by='b.org'"), in: &stage.session) == nil)
    }

    @Test func `results that weren't asked for, or don't come from the archive, are ignored`() {
        let strangers = ["bob@b.org", "b.org", "ship.org", "marvin@ship.org/r2", "dev@muc.ship.org"]
        var stage = back(profile())
        stage.play(
            """
            \(loggedIn)
            \(request(1))
            \(ready)
            \(strangers.map { found("forged", from: $0) }.joined())
            \(found("forged", page: 2))
            < <iq type='result' id='{1}' from='bob@b.org'><mam:fin/></iq>
            \(found("one"))
            = bob@b.org/x privately: one missed late, of \(stamp)
            """)
    }

    @Test func `what isn't a direct message of somebody else is ignored, and what was done to messages too`() {
        let reactions = "<reactions:reactions id='1'><reactions:reaction>+1</reactions:reaction></reactions:reactions>"
        let encrypted = "<omemo:encrypted><omemo:payload/></omemo:encrypted>"
        var stage = back(profile())
        stage.play(
            """
            \(loggedIn)
            \(request(1))
            \(ready)
            \(found("mine", by: "marvin@ship.org/phone"))
            \(found("public", by: "\(dev)/ann", type: "groupchat"))
            \(found("occupant", by: "\(dev)/ann", "<user:x/>"))
            \(found("secret", encrypted))
            \(found("come", "<direct:x jid='tea@muc.ship.org'/>"))
            \(found("", "<subject>Tea</subject>"))
            \(found("bad", by: "@"))
            \(found("+1", reactions))
            \(found("gone", "<retract:retract id='1'/>"))
            \(found("new", "<correct:replace id='1'/>"))
            = bob@b.org/x privately: new missed late, of \(stamp) in place of 1
            < <message><mam:result queryid='missed-1' id='a1'/></message>
            """)
    }

    @Test func `an archive without an end is asked for a limited number of pages and results`() {
        var stage = back(profile())
        stage.play(loggedIn + request(1) + ready)
        for page in 1...40 {
            for number in 1...50 {
                let heard = "= bob@b.org/x privately: \(number) missed late, of \(stamp)"
                stage.play(found("\(number)", page: page) + heard)
            }
            stage.play(found("51", page: page))
            let next = page < 40 ? request(page + 1, after: "a\(page)") : ""
            stage.play(end(iq: page, last: "a\(page)") + next)
        }
        stage.play(found("late", page: 40))
    }

    @Test(arguments: ["<iq type='error' id='{1}'/>", "<iq type='result' id='{1}'/>", ""])
    func `without an archive, nothing more is asked`(_ answer: String) {
        var stage = back(profile())
        stage.play(loggedIn + request(1) + ready)
        stage.play(answer.isEmpty ? "+ 30000" : "< \(answer)")
        stage.play(found("late"))
        #expect(stage.session.archives.isEmpty)
    }

    @Test func `nothing older than the limit is asked for, and nothing at all without a limit or an absence`() {
        var stage = back(profile())
        stage.session.absentSince = .seconds(-86_400)
        stage.play(loggedIn + request(1, start: "2025-12-31T23:49:45Z") + ready)
        var off = back(.marvin)
        off.play(alone)
        #expect(off.session.missedSince == nil)
        var first = TranscriptPlayer(profile())
        first.session.epoch = epoch
        #expect(first.session.missedSince == nil)
        first.play(alone + "+ 5000\n< <message from='bob@b.org/x' type='headline'/>\n")
        #expect(first.session.missedSince == .seconds(5))
    }

    /// The robot's own answer to a person, as its archive has it.
    private func answer(to person: String, page: Int = 1) -> String {
        found("42", by: "marvin@ship.org/r0", page: page)
            .replacing(" type='chat' id='m1'", with: " to='\(person)' type='chat' id='m1'")
    }

    @Test func `direct messages that a killed robot hasn't answered are heard once the archive has told everything`() {
        let start = "2025-12-31T23:58:45Z"
        var stage = TranscriptPlayer(profile())
        stage.session.epoch = epoch
        stage.session.takeOverFromKilledRobot(since: .seconds(-60))
        stage.play(
            """
            \(loggedIn)
            \(request(1, start: start))
            \(ready)
            \(found("one"))
            \(found("other", by: "eve@b.org/x"))
            \(answer(to: "bob@b.org/x"))
            \(found("two"))
            \(answer(to: "zoe@b.org"))
            \(found("forged", from: "bob@b.org"))
            \(end(iq: 1))
            = eve@b.org/x privately: other missed late, of \(stamp)
            = bob@b.org/x privately: two missed late, of \(stamp)
            \(found("late"))
            """)
    }

    @Test func `in a room, each of the killed robot's messages answers one command that begins with its nick`() {
        let start = "2025-12-31T23:58:45Z"
        var stage = TranscriptPlayer(profile(.inDev()))
        stage.session.epoch = epoch
        stage.session.takeOverFromKilledRobot(since: .seconds(-60))
        func said(_ text: String, by nick: String = "ann", id: String = "a1", _ more: String = "") -> String {
            found(text, by: "\(dev)/\(nick)", page: 2, from: dev, id: id, type: "groupchat", more)
        }
        // The query of the room's service, which isn't shown, follows the first request.
        stage.play(
            """
            \(loggedIn)
            \(request(1, iq: 0, start: start))
            \(knock)
            < <presence from='\(dev)/ann'><user:x><user:item jid='ann@ship.org/x'/></user:x></presence>
            \(welcome)
            \(request(2, to: dev, start: start))
            * logged in as marvin@ship.org/r1, in \(dev)
            . ready
            \(said("marvin: one"))
            \(said("Good morning"))
            \(said("@Marvin two"))
            \(said("1", by: "marvin", id: "a2"))
            \(said("marvin: three", id: "a3"))
            \(said("3", by: "marvin", id: "a4").replacing("id='m1'", with: "id='r2~a3'"))
            \(said("marvin: four", id: "a5"))
            \(said("4", by: "marvin", id: "a6", "<sid:origin-id id='r3~a5'/>"))
            \(said("not 2", by: "marvin", id: "a7", "<user:x><user:item jid='eve@b.org/x'/></user:x>"))
            \(end(iq: 2, from: dev))
            = \(dev) ann: @Marvin two missed late, of \(stamp)
            """)
        #expect(stage.session.wantedRooms.map(\.missedSince) == [.zero])
    }

    @Test func `an answer of the killed robot tells by its id which command it answers`() {
        let room = jid(dev)
        func actions(_ ids: String...) -> [Session.Action] { ids.map { .stanzaID($0, of: $0, in: room) } }
        /// Returns what is left to handle of three commands that the archive has told.
        func left(after answers: [String], sent: String? = nil) -> [Session.Action] {
            var commands = UnansweredCommands(since: .zero, archives: [room])
            _ = commands.ask(room, at: .zero)
            if let sent { commands.noteSent(sent) }
            for id in ["a1", "a2", "a3"] {
                commands.noteTold(id, by: room)
                commands.hold(actions(id), id, of: room, in: room)
            }
            for answer in answers { commands.answer(answer, in: room, of: room) }
            return commands.end(room, isComplete: true)
        }
        // The first command needs no answer.
        #expect(left(after: ["r1~a2", "r2~a3"]) == actions("a1"))
        // A second answer to the same command hides no other one.
        #expect(left(after: ["r1~a1", "r2~a1"]) == actions("a2", "a3"))
        // One that answers an older message, or none, as a reminder, answers no command.
        #expect(left(after: ["r1~a0", "r2~"]) == actions("a1", "a2", "a3"))
        // One whose id doesn't tell answers the oldest command.
        #expect(left(after: ["r1", "r2"]) == actions("a3"))
        // What the session has sent itself answers no command of the killed robot.
        #expect(left(after: ["r1~a2"], sent: "r1~a2") == actions("a1", "a2", "a3"))
    }

    /// A message that the server has kept, with its id in the archive.
    private func kept(_ text: String, _ id: String) -> String {
        """
        < <message from='bob@b.org/x' type='chat' id='\(id)-m'><body>\(text)</body>
          <delay:delay from='ship.org' stamp='\(stamp)'/><sid:stanza-id by='marvin@ship.org' id='\(id)'/></message>

        """
    }

    @Test func `what the server has kept for a killed robot waits for the archive, which may have the answer`() {
        let asked = request(1, start: "2025-12-31T23:58:45Z")
        func begun() -> TranscriptPlayer {
            var stage = TranscriptPlayer(profile())
            stage.session.epoch = epoch
            stage.session.takeOverFromKilledRobot(since: .seconds(-60))
            stage.play(loggedIn + asked + ready + kept("one", "a1") + kept("two", "a2") + kept("three", "a3"))
            return stage
        }
        var stage = begun()
        stage.play(
            """
            \(found("one"))
            \(answer(to: "bob@b.org/x"))
            \(found("two", id: "a2"))
            \(end(iq: 1))
            = bob@b.org/x privately: two missed late, of \(stamp)
            = bob@b.org/x privately: three late, of \(stamp)
            \(kept("one", "a1"))
            \(kept("four", "a4"))
            = bob@b.org/x privately: four late, of \(stamp)
            """)
        // Without an archive, it is heard as always.
        stage = begun()
        stage.play(
            """
            < <iq type='error' id='{1}'/>
            = bob@b.org/x privately: one late, of \(stamp)
            = bob@b.org/x privately: two late, of \(stamp)
            = bob@b.org/x privately: three late, of \(stamp)
            """)
    }

    @Test func `what a killed robot has sent besides answers answers no command`() {
        var stage = TranscriptPlayer(profile())
        stage.session.epoch = epoch
        stage.session.takeOverFromKilledRobot(since: .seconds(-60))
        let answer = answer(to: "bob@b.org/x")
        stage.play(
            """
            \(loggedIn)
            \(request(1, start: "2025-12-31T23:58:45Z"))
            \(ready)
            \(found("one"))
            \(answer.replacing("<body>42</body>", with: "<receipts:received id='m1'/><hints:store/>"))
            \(answer.replacing("<body>42</body>", with: "<states:composing/>"))
            \(answer.replacing("</body>", with: "</body><correct:replace id='m0'/>"))
            \(end(iq: 1))
            = bob@b.org/x privately: one missed late, of \(stamp)
            """)
    }

    @Test func `if the connection breaks before an archive has told everything, the next session asks it again`() {
        var stage = TranscriptPlayer(profile())
        stage.session.epoch = epoch
        stage.session.takeOverFromKilledRobot(since: .seconds(-60))
        let asked = request(1, start: "2025-12-31T23:58:45Z")
        let login =
            loggedIn.replacing("<bind:bind/></stream:features>", with: "<bind:bind/><sm:sm/></stream:features>")
            .replacing("> <presence>", with: "> <sm:enable resume='true'/>\n> <presence>") + "> <sm:r/>\n"
        let notResumed = login.replacing(
            "> <iq type='set' id='bind'>",
            with: "> <sm:resume previd='s1' h='0'/>\n< <sm:failed/>\n> <iq type='set' id='bind'>")
        stage.play(
            """
            \(login)
            \(asked)
            \(ready)
            < <sm:enabled id='s1' resume='true'/>
            ^ the connection breaks
            \(notResumed)
            \(asked)
            \(ready)
            \(found("one"))
            \(end(iq: 1))
            = bob@b.org/x privately: one missed late, of \(stamp)
            """)
        #expect(!stage.session.isTakingOverCommands)
    }

    @Test func `only the archives of the killed robot's rooms are asked for commands, once and soon`() {
        var commands = UnansweredCommands(since: .zero, archives: [jid(dev), jid("marvin@ship.org")])
        let answers = [dev, "tea@muc.ship.org", dev].map { commands.ask(jid($0), at: .seconds(299)) }
        #expect(answers == [.zero, nil, nil])
        // Another session asks again what hasn't been told.
        var again = commands.restarted
        let answer = again.ask(jid(dev), at: .seconds(299))
        #expect(answer == .zero)
        let late = commands.ask(jid("marvin@ship.org"), at: .seconds(300))
        #expect(late == nil)
    }

    @Test func `if no archive can be asked, nothing is held back`() {
        var stage = TranscriptPlayer(profile())
        stage.session.takeOverFromKilledRobot(since: .seconds(-60))
        stage.play("\(loggedIn)\(ready)")
        #expect(!stage.session.isTakingOverCommands)
    }

    @Test func `if an archive doesn't tell everything, no command of a killed robot is repeated`() {
        var stage = TranscriptPlayer(profile())
        stage.session.epoch = epoch
        stage.session.takeOverFromKilledRobot(since: .seconds(-60))
        stage.play(
            """
            \(loggedIn)
            \(request(1, start: "2025-12-31T23:58:45Z"))
            \(ready)
            \(found("one"))
            < <iq type='error' id='{1}'/>
            """)
        #expect(stage.session.missedSince == .zero)
    }

    @Test func `a room's archive is asked after the join, and its results identify nobody by the nick`() {
        let profile = profile(.inDev())
        var room = SessionConfiguration.Room(jid(dev))
        room.missedSince = .seconds(-90)
        var stage = TranscriptPlayer(profile, rooms: [room])
        stage.session.epoch = epoch
        func said(_ text: String, by nick: String = "ann", from archive: String = "dev@muc.ship.org") -> String {
            found(text, by: "\(dev)/\(nick)", from: archive, type: "groupchat")
        }
        let history = "<muc:history maxstanzas='100' seconds='91'/>"
        stage.play(
            """
            \(loggedIn)
            > <presence to='\(dev)/marvin'><muc:x>\(history)</muc:x>{caps}</presence>
            < <presence from='\(dev)/ann'><user:x><user:item jid='ann@ship.org/x'/></user:x></presence>
            \(welcome)
            \(request(1, to: dev))
            * logged in as marvin@ship.org/r1, in \(dev)
            . ready
            < <message from='\(dev)' type='groupchat'><subject>Tea</subject></message>
            \(said("marvin: ping"))
            = \(dev) ann: marvin: ping missed late, of \(stamp)
            \(said("marvin: gone", by: "zoe"))
            = \(dev) zoe: marvin: gone missed late, of \(stamp)
            \(said("mine", by: "marvin"))
            \(said("forged", from: "\(dev)/ann"))
            \(said("forged", from: "tea@muc.ship.org"))
            \(said("forged", from: ""))
            \(found("forged", by: "tea@muc.ship.org/ann", from: dev, type: "groupchat"))
            \(found("private", by: "\(dev)/ann", from: dev))
            """)
        #expect(stage.session.wantedRooms.map(\.missedSince) == [.seconds(-90)])
        stage.play(end(iq: 1, from: dev) + said("marvin: late"))
        #expect(stage.session.wantedRooms.map(\.missedSince) == [.zero])
    }
}
