import HeybotMPD
import Testing

/// Transcripts, as in <https://mpd.readthedocs.io/en/latest/protocol.html>.
@Suite struct MPDSessionTests {
    @Test func `it waits for changes after the greeting`() {
        var player = SessionPlayer()
        #expect(player.takeDone() == [])
        player.receives("OK MPD 0.23.5\n")
        #expect(player.takeDone() == ["ready 0.23.5", "> idle"])
    }

    @Test func `a request interrupts the wait, which continues after it`() {
        var player = SessionPlayer.idling()
        player.requests(1, .status)
        #expect(player.takeDone() == ["> noidle"])
        player.receives("OK\n")
        #expect(player.takeDone() == ["> status"])
        player.receives("volume: 40\nstate: play\nerror: a: b\nOK\n")
        #expect(player.takeDone() == ["1: volume=40 state=play error=a: b", "> idle"])
    }

    @Test func `requests are sent one after another`() {
        var player = SessionPlayer.idling()
        player.requests(1, .pause)
        player.requests(2, .ping)
        #expect(player.takeDone() == ["> noidle"])
        player.receives("OK\n")
        #expect(player.takeDone() == ["> pause 1"])
        player.requests(3, .stop)
        #expect(player.takeDone() == [])
        player.receives("OK\n")
        #expect(player.takeDone() == ["1: ", "> ping"])
        player.receives("OK\nOK\n")
        #expect(player.takeDone() == ["2: ", "> stop", "3: ", "> idle"])
    }

    @Test func `a request that was canceled in time isn't sent`() {
        var player = SessionPlayer.idling()
        player.requests(1, .pause)
        player.requests(2, .stop)
        player.requests(3, .ping)
        player.cancels(2)
        player.receives("OK\n")
        player.cancels(1)
        player.receives("OK\n")
        #expect(player.takeDone() == ["> noidle", "> pause 1", "1: ", "> ping"])
    }

    @Test func `a change that crosses an interruption is reported`() {
        var player = SessionPlayer.idling()
        player.requests(1, .ping)
        player.receives("changed: player\nchanged: mixer\nOK\n")
        #expect(player.takeDone() == ["> noidle", "changed player mixer", "> ping"])
        player.receives("OK\n")
        #expect(player.takeDone() == ["1: ", "> idle"])
        player.receives("changed: player\nOK\n")
        #expect(player.takeDone() == ["changed player", "> idle"])
    }

    @Test func `several commands are a list`() {
        var player = SessionPlayer.idling()
        player.requests(1, .next, .status, .currentSong)
        player.receives("OK\n")
        #expect(
            player.takeDone()
                == ["> noidle", "> command_list_ok_begin | next | status | currentsong | command_list_end"])
        player.receives("list_OK\nstate: play\nlist_OK\nfile: a.wav\nTitle: A\nlist_OK\nOK\n")
        #expect(player.takeDone() == ["1:  | state=play | file=a.wav Title=A", "> idle"])
    }

    @Test func `an error ends a list`() {
        var player = SessionPlayer.idling()
        player.requests(1, .status, .next)
        player.receives("OK\n")
        _ = player.takeDone()
        player.receives("state: stop\nlist_OK\nACK [55@1] {next} Not playing\n")
        let done = player.takeDone()
        #expect(done.count == 2)
        #expect(done.first?.hasPrefix("1 failed: rejected(") == true)
        #expect(done.first?.contains("Not playing") == true)
        #expect(done.last == "> idle")
    }

    @Test func `errors are read`() throws {
        var player = SessionPlayer.idling()
        player.requests(7, try .add("x"))
        player.receives("OK\n")
        let actions = player.session.handleText("ACK [50@0] {addid} No {such} song\n")
        guard case .answer(7, .failure(.rejected(let error)))? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(error.code == .doesNotExist)
        #expect(error.index == 0)
        #expect(error.command == "addid")
        #expect(error.message == "No {such} song")
    }

    // MARK: Passwords

    @Test func `the password comes first`() {
        var player = SessionPlayer(password: "se\"cret")
        player.requests(1, .ping)
        player.receives("OK MPD 0.23.5\n")
        #expect(player.takeDone() == [#"> password "se\"cret""#])
        player.receives("OK\n")
        #expect(player.takeDone() == ["ready 0.23.5", "> ping"])
    }

    @Test func `a wrong password is the reason why a command is forbidden`() {
        var player = SessionPlayer(password: "wrong")
        player.receives("OK MPD 0.23.5\nACK [3@0] {password} incorrect password\n")
        #expect(player.takeDone() == [#"> password "wrong""#, "ready 0.23.5", "> idle"])
        player.requests(1, .play)
        player.receives("OK\nACK [4@0] {play} you don't have permission for \"play\"\n")
        #expect(player.takeDone() == ["> noidle", "> play", "1 failed: wrongPassword", "> idle"])
    }

    @Test func `a password that nobody requires does no harm`() {
        var player = SessionPlayer(password: "needless")
        player.receives("OK MPD 0.23.5\nACK [3@0] {password} incorrect password\n")
        player.requests(1, .play)
        _ = player.takeDone()
        player.receives("OK\nOK\n")
        #expect(player.takeDone() == ["> play", "1: ", "> idle"])
    }

    @Test func `without a password a forbidden command needs one, and changes may be forbidden too`() {
        var player = SessionPlayer()
        player.receives("OK MPD 0.23.5\nACK [4@0] {idle} you don't have permission for \"idle\"\n")
        #expect(player.takeDone() == ["ready 0.23.5", "> idle"])
        player.requests(1, .play)
        player.receives("ACK [4@0] {play} you don't have permission for \"play\"\n")
        #expect(player.takeDone() == ["> play", "1 failed: needsPassword"])
    }

    // MARK: Songs and states

    @Test func `songs are read from an answer`() {
        let answer = MPDResponse([
            .init("directory", "Ada"), .init("file", "Ada/One.wav"), .init("Title", "One"), .init("Artist", "Ada"),
            .init("Artist", "Grace"), .init("duration", "61.5"), .init("Pos", "3"), .init("Id", "9"),
            .init("file", "http://radio.example.org/"), .init("Name", "Radio")
        ])
        let songs = MPDSong.all(in: answer)
        #expect(songs.map(\.file) == ["Ada/One.wav", "http://radio.example.org/"])
        #expect(songs.map(\.title) == ["One", "Radio"])
        #expect(songs.map(\.artist) == ["Ada", nil])
        #expect(songs.first?.duration == 61)
        #expect(songs.first?.position == 3)
        #expect(songs.first?.id == 9)
    }

    @Test(arguments: ["-1", "101", "loud", "99999999999999999999", ""])
    func `an impossible volume is no volume`(_ volume: String) {
        #expect(MPDStatus(MPDResponse([.init("volume", volume)])).volume == nil)
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "-1", "1e9", "99999999999999999999"])
    func `a number that can't be calculated with is none`(_ number: String) {
        let names = ["song", "playlistlength", "elapsed", "duration"]
        let status = MPDStatus(MPDResponse(names.map { .init($0, number) }))
        #expect(status.position == nil)
        #expect(status.length == 0)
        #expect(status.elapsed == nil)
        #expect(status.duration == nil)
        let fields: [MPDResponse.Field] = [.init("file", "a"), .init("Pos", number), .init("Id", number)]
        let song = MPDSong.all(in: MPDResponse(fields)).first
        #expect(song?.position == nil)
        #expect(song?.id == nil)
    }

    @Test func `a song with an endless name is skipped`() {
        let fields: [MPDResponse.Field] = [.init("file", String(repeating: "a", count: 2_000)), .init("file", "b")]
        #expect(MPDSong.all(in: MPDResponse(fields)).map(\.file) == ["b"])
    }

    @Test func `a state is read, whatever is missing`() {
        let status = MPDStatus(MPDResponse([.init("state", "pause"), .init("elapsed", "2.9"), .init("random", "1")]))
        #expect(status.state == .pause)
        #expect(status.elapsed == 2)
        #expect(status.isRandom)
        #expect(status.length == 0)
        #expect(MPDStatus(MPDResponse([.init("state", "flying"), .init("elapsed", "nan")])).state == .stop)
    }
}

extension MPDSession {
    fileprivate func handleText(_ text: String) -> [Action] {
        var session = self
        return session.handle(.received(Array(text.utf8)[...]))
    }
}
