import Testing

@testable import HeybotIRC

/// Whose client certificate it is (WHOIS, 276), if an admin is named by one.
@Suite struct CertificateTests {
    private static let print = "287287fb8bcd8c5f919ffedf3878c7af8304e3061924ed2d57e5eee209dc72dc"

    /// In #dev with Ada.
    private let inDev =
        start + """
            < 001 marvin :Welcome
            < 005 marvin CHANTYPES=# PREFIX=(ov)@+ :are supported by this server
            < 376 marvin :End
            > JOIN #dev
            < :marvin!~marvin@host.test JOIN #dev
            * joined #dev
            . settled
            < 353 marvin = #dev :marvin ada
            < 366 marvin #dev :End of NAMES

            """
    private let hello = """
        < :ada!a@h PRIVMSG #dev :hello
        = #dev ada: hello

        """
    private let whois = """
        < 311 marvin ada a h * :Ada
        < 671 marvin ada :is using a secure connection
        < 276 marvin ada :has client certificate fingerprint \(print)
        < 318 marvin ada :End of /WHOIS list.

        """

    private func stage(_ transcript: String) -> SessionPlayer {
        var session = Session(.inDev, nonce: "", at: .zero)
        session.readsCertificates = true
        var stage = SessionPlayer(session)
        stage.begin()
        stage.play(transcript)
        return stage
    }

    /// The fingerprints of the sender's next message.
    private func certificates(_ stage: SessionPlayer, _ source: String = "ada!a@h", to target: String = "#dev")
        -> [String]?
    {
        var session = stage.session
        guard let line = IRCMessage(":\(source) PRIVMSG \(target) :marvin: reboot") else { return nil }
        for case .hear(let heard) in session.receive(line, at: stage.now) { return heard.certificates }
        return nil
    }

    @Test func `a sender's certificate is queried once and then used`() {
        var stage = stage(inDev + hello + "> WHOIS ada\n" + hello + whois + hello)
        #expect(certificates(stage) == [Self.print])
        #expect(certificates(stage, to: "marvin") == [Self.print])
        stage.play("+ 59000\n" + hello)
        #expect(certificates(stage) == [Self.print])
    }

    @Test func `without an admin named by certificate, certificates are neither queried nor used`() {
        var stage = SessionPlayer(Session(.inDev, nonce: "", at: .zero))
        stage.begin()
        stage.play(inDev + hello + whois + hello)
        #expect(certificates(stage) == [])
    }

    /// The ways in which the nick may have changed hands.
    @Test(arguments: [
        "< :ada!a@h QUIT :bye\n= #dev ada left: bye\n< :ada!a@h JOIN #dev\n= #dev ada joined",
        "< :ada!a@h QUIT :irc.hub.test leaf.test\n< :ada!a@h JOIN #dev",
        "< :ada!a@h NICK countess\n= #dev countess was ada\n< :bob!a@h JOIN #dev\n= #dev bob joined\n"
            + "< :bob!a@h NICK ada\n= #dev ada was bob",
        "< :ada!a@h PART #dev\n= #dev ada left", "< :bob!b@h KICK #dev ada :out\n= #dev ada left: out",
        "< :marvin!m@h PART #dev\n* removed from #dev; rejoining"
    ]) func `a certificate is forgotten as soon as the nick could be another user's`(change: String) {
        var stage = stage(inDev + hello + "> WHOIS ada\n" + whois)
        #expect(certificates(stage) == [Self.print])
        stage.play(change)
        #expect(certificates(stage) == [] && certificates(stage, to: "marvin") == [])
    }

    @Test func `after a mode change that may hide members, only a user who is listed again has a certificate`() {
        var stage = stage(inDev + hello + "> WHOIS ada\n" + whois + "< :bob!b@h MODE #dev +u\n> NAMES #dev")
        #expect(certificates(stage) == [] && certificates(stage, to: "marvin") == [])
        var hidden = stage
        hidden.play("< 353 marvin = #dev :marvin @bob\n< 366 marvin #dev :End of NAMES\n" + hello + "+ 59000\n" + hello)
        #expect(certificates(hidden) == [])
        stage.play(
            "< 353 marvin = #dev :marvin @bob ada\n< 366 marvin #dev :End of NAMES\n" + hello + "> WHOIS ada\n" + whois)
        #expect(certificates(stage) == [Self.print])
    }

    @Test func `an answer to a query from before the mode change doesn't count`() {
        let stage = stage(
            inDev + hello + "> WHOIS ada\n< :bob!b@h MODE #dev +u\n> NAMES #dev\n" + whois + """
                < 353 marvin = #dev :marvin @bob ada
                < 366 marvin #dev :End of NAMES

                """ + whois)
        #expect(certificates(stage) == [])
    }

    @Test func `a user from another host is queried again, at most once a minute`() {
        let stage = stage(inDev + hello + "> WHOIS ada\n" + whois)
        #expect(certificates(stage, "ada!x@h") == [] && certificates(stage, "ada!a@evil") == [])
        var next = stage
        let other = "< :ada!a@evil PRIVMSG #dev :hello\n= #dev ada: hello\n"
        next.play(other + "+ 59000\n" + other + "+ 1000\n" + other + "> WHOIS ada")
    }

    @Test func `an answer to a query from before they joined is about another user`() {
        var stage = stage(
            inDev + hello + """
                > WHOIS ada
                < :ada!a@h QUIT :bye
                = #dev ada left: bye
                < :ada!a@h JOIN #dev
                = #dev ada joined

                """ + hello + "> WHOIS ada\n" + whois)
        #expect(certificates(stage) == [])
        stage.play("< 311 marvin ada a h * :Ada\n< 318 marvin ada :End of /WHOIS list.")
        #expect(certificates(stage) == [])
    }

    @Test func `only expected answers are read, and only valid fingerprints`() {
        #expect(certificates(stage(inDev + whois)) == [])
        let bad = whois.replacing(Self.print, with: "deadbeef \(Self.print)x")
        #expect(certificates(stage(inDev + hello + "> WHOIS ada\n" + bad)) == [])
        let colons = whois.replacing(Self.print, with: "AA:" + String(repeating: "0b:", count: 18) + "CC")
        #expect(
            certificates(stage(inDev + hello + "> WHOIS ada\n" + colons)) == [
                "aa" + String(repeating: "0b", count: 18) + "cc"
            ])
        // A user who has left meanwhile: this doesn't concern a message of the robot.
        _ = stage(inDev + hello + "> WHOIS ada\n< 401 marvin ada :No such nick\n< 318 marvin ada :End")
    }

    @Test func `queries about many users are limited`() {
        var session = stage(inDev).session
        var asked = 0
        for number in 0..<2_000 {
            let line = ":p\(number)!a@h"
            guard let join = IRCMessage("\(line) JOIN #dev"), let words = IRCMessage("\(line) PRIVMSG #dev :hi") else {
                continue
            }
            _ = session.receive(join, at: .zero)
            let actions = session.receive(words, at: .zero)
            asked += actions.count { if case .send(let line) = $0 { line.command == "WHOIS" } else { false } }
        }
        #expect(1..<20 ~= asked)
    }
}
