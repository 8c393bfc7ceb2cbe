import Testing

@testable import HeybotXMPP

/// Commands that a killed robot may have left unanswered, as archives tell (XEP-0313).
@Suite struct UnansweredCommandTests: ArchiveTranscripts {
    /// The robot's own answer to a person, as its archive has it.
    private func answer(to person: String, page: Int = 1) -> String {
        found("42", by: "marvin@ship.org/r0", page: page)
            .replacing(" type='chat' id='m1'", with: " to='\(person)' type='chat' id='m1'")
    }

    @Test func `direct messages that a killed robot hasn't answered are heard once the archive has told everything`() {
        let start = "2025-12-31T23:58:45Z"
        var stage = TranscriptPlayer(profile())
        stage.session.epoch = epoch
        stage.session.takeOverFromKilledRobot(since: .seconds(-60), at: .zero)
        stage.play(
            """
            \(loggedIn)
            \(request(1, start: start))
            \(ready)
            \(found("one"))
            \(found("other", by: "eve@b.org/x", id: "a2"))
            \(answer(to: "bob@b.org/x"))
            \(found("two", id: "a3"))
            \(found("two", id: "a3"))
            \(answer(to: "zoe@b.org"))
            \(found("forged", from: "bob@b.org"))
            \(end(iq: 1))
            % a2, a3 of marvin@ship.org
            = eve@b.org/x privately: other missed late, of \(stamp)
            = bob@b.org/x privately: two missed late, of \(stamp)
            \(found("late"))
            """)
    }

    @Test func `in a room, each of the killed robot's messages answers one command that begins with its nick`() {
        let start = "2025-12-31T23:58:45Z"
        var stage = TranscriptPlayer(profile(.inDev()))
        stage.session.epoch = epoch
        stage.session.takeOverFromKilledRobot(since: .seconds(-60), at: .zero)
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
            \(said("@Marvin two", id: "a8"))
            \(said("1", by: "marvin", id: "a2"))
            \(said("marvin: three", id: "a3"))
            \(said("3", by: "marvin", id: "a4").replacing("id='m1'", with: "id='r2~a3'"))
            \(said("marvin: four", id: "a5"))
            \(said("4", by: "marvin", id: "a6", "<sid:origin-id id='r3~a5'/>"))
            \(said("not 2", by: "marvin", id: "a7", "<user:x><user:item jid='eve@b.org/x'/></user:x>"))
            \(end(iq: 2, from: dev))
            % a8 of \(dev)
            = \(dev) ann: @Marvin two missed late, of \(stamp)
            """)
        #expect(stage.session.wantedRooms.map(\.missedSince) == [.zero])
    }

    @Test func `an answer of the killed robot tells by its id which command it answers`() {
        let room = jid(dev)
        func actions(_ ids: String...) -> [Session.Action] { ids.map { .stanzaID($0, of: $0, in: room) } }
        /// Returns what is left to handle of three commands that the archive has told.
        func left(after answers: [String], sent: String? = nil) -> [Session.Action] {
            var commands = UnansweredCommands(since: .zero, at: .zero, account: jid("marvin@ship.org"), rooms: [room])
            _ = commands.ask(room, at: .zero)
            if let sent { commands.noteSent(sent) }
            for id in ["a1", "a2", "a3"] {
                commands.noteTold(id, by: room)
                commands.hold(actions(id), id, of: room, in: room)
            }
            for answer in answers { commands.answer(answer, in: room, of: room) }
            _ = commands.end(room, isComplete: true)
            return commands.noteRecorded(room)
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
            stage.session.takeOverFromKilledRobot(since: .seconds(-60), at: .zero)
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
            % a2 of marvin@ship.org
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
        stage.session.takeOverFromKilledRobot(since: .seconds(-60), at: .zero)
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
            % a1 of marvin@ship.org
            = bob@b.org/x privately: one missed late, of \(stamp)
            """)
    }

    @Test func `if the connection breaks before an archive has told everything, the next session asks it again`() {
        var stage = TranscriptPlayer(profile())
        stage.session.epoch = epoch
        stage.session.takeOverFromKilledRobot(since: .seconds(-60), at: .zero)
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
            % a1 of marvin@ship.org
            = bob@b.org/x privately: one missed late, of \(stamp)
            """)
        #expect(!stage.session.isTakingOverCommands(at: .seconds(60)))
    }

    private func unanswered(_ attempts: [String: Int] = [:]) -> UnansweredCommands {
        UnansweredCommands(
            since: .zero, at: .zero, attempts: { $0 == jid(dev) ? attempts[$1] ?? 0 : 0 },
            account: jid("marvin@ship.org"), rooms: [jid(dev)])
    }

    @Test func `only the archives of the killed robot's rooms are asked for commands, once and soon`() {
        let room = jid(dev)
        var commands = unanswered()
        let answers = [dev, "tea@muc.ship.org", dev].map { commands.ask(jid($0), at: .seconds(299)) }
        #expect(answers == [.zero, nil, nil])
        let late = commands.ask(jid("marvin@ship.org"), at: .seconds(300))
        #expect(late == nil)
        // Another session asks again what hasn't been told, and what hasn't been handled.
        var again = commands.restarted(at: .seconds(301))
        var answer = again.ask(room, at: .seconds(301))
        #expect(answer == .zero)
        commands.hold([.ready], "a1", of: room, in: room)
        #expect(commands.end(room, isComplete: true) == [.recordAttempts(["a1"], of: room)])
        again = commands.restarted(at: .seconds(301))
        answer = again.ask(room, at: .seconds(301))
        #expect(answer == .zero)
        // What the archive tells now isn't held back.
        #expect(!commands.isAsking(room))
        #expect(commands.recordAgain == [.recordAttempts(["a1"], of: room)])
        #expect(commands.noteRecorded(room) == [.ready])
        #expect(commands.recordAgain == [] && commands.noteRecorded(room) == [])
    }

    @Test
    func `a takeover is unfinished until each archive is asked and its commands are handled, or a minute has passed`() {
        var commands = unanswered()
        for archive in ["marvin@ship.org", dev].map(jid) {
            #expect(commands.isUnfinished(at: .seconds(59)))
            _ = commands.ask(archive, at: .zero)
            commands.hold([.ready], "a1", of: archive, in: archive)
            #expect(commands.isUnfinished(at: .seconds(60)))
            _ = commands.end(archive, isComplete: true)
            #expect(commands.isUnfinished(at: .seconds(60)))
            _ = commands.noteRecorded(archive)
            #expect(!commands.isUnfinished(at: .seconds(60)))
        }
        #expect(!commands.isUnfinished(at: .zero))
    }

    @Test func `a command that was there when five robots were killed isn't handled again`() {
        let room = jid(dev)
        var commands = unanswered(["a1": 4, "a2": 3])
        _ = commands.ask(room, at: .zero)
        for id in ["a1", "a2"] { commands.hold([.stanzaID(id, of: id, in: room)], id, of: room, in: room) }
        #expect(
            commands.end(room, isComplete: true) == [
                .log(.commandsAbandoned(1, .killedRobots, in: room)), .recordAttempts(["a2"], of: room)
            ])
        #expect(commands.noteRecorded(room) == [.stanzaID("a2", of: "a2", in: room)])
    }

    @Test func `if an archive tells more than a thousand commands without an answer, the oldest ones aren't handled`() {
        let room = jid(dev)
        var commands = unanswered()
        _ = commands.ask(room, at: .zero)
        for number in 1...1_003 { commands.hold([.ready], "a\(number)", of: room, in: room) }
        // An answer whose id doesn't tell may belong to one of those.
        commands.answer("r1", in: room, of: room)
        #expect(
            commands.end(room, isComplete: true) == [
                .log(.commandsAbandoned(2, .tooMany, in: room)),
                .recordAttempts((4...1_003).map { "a\($0)" }, of: room)
            ])
    }

    @Test func `commands of more than a megabyte aren't handled either`() {
        var stage = TranscriptPlayer(profile())
        stage.session.epoch = epoch
        stage.session.takeOverFromKilledRobot(since: .seconds(-60), at: .zero)
        let long = String(repeating: "x", count: 250_000)
        let heard = "= bob@b.org/x privately: \(long) missed late, of \(stamp)"
        stage.play(
            """
            \(loggedIn)
            \(request(1, start: "2025-12-31T23:58:45Z"))
            \(ready)
            \((1...5).map { found(long, id: "a\($0)") }.joined(separator: "\n"))
            \(end(iq: 1))
            * 1 command to a killed robot isn't handled: there are too many
            % a2, a3, a4, a5 of marvin@ship.org
            \(Array(repeating: heard, count: 4).joined(separator: "\n"))
            """)
    }

    @Test func `if no archive can be asked, nothing is held back`() {
        var stage = TranscriptPlayer(profile())
        stage.session.takeOverFromKilledRobot(since: .seconds(-60), at: .zero)
        stage.play("\(loggedIn)\(ready)")
        #expect(!stage.session.isTakingOverCommands(at: .seconds(60)))
    }

    @Test func `if an archive doesn't tell everything, no command of a killed robot is repeated`() {
        var stage = TranscriptPlayer(profile())
        stage.session.epoch = epoch
        stage.session.takeOverFromKilledRobot(since: .seconds(-60), at: .zero)
        stage.play(
            """
            \(loggedIn)
            \(request(1, start: "2025-12-31T23:58:45Z"))
            \(ready)
            \(found("one"))
            < <iq type='error' id='{1}'/>
            * 1 command to a killed robot isn't handled: the archive hasn't told everything, so some answers aren't known
            """)
        #expect(stage.session.missedSince == .zero)
    }
}
