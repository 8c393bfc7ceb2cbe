import Testing

@testable import HeybotIRC

/// Changes of channels as an operator, and what becomes of them.
@Suite struct ModerationTests {
    /// A stage with Mallory in the channel.
    private func stage(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> SessionPlayer {
        var profile = SessionConfiguration.inDev
        change(&profile)
        var stage = SessionPlayer(Session(profile, nonce: "", at: .zero))
        stage.begin()
        stage.play(
            ready() + """
                < :mallory!m@evil.example JOIN #dev
                = #dev mallory joined
                """)
        return stage
    }

    private func change(
        _ stage: inout SessionPlayer, as name: String = "it", _ make: (MemberStay) throws -> ChannelChange
    ) throws {
        let stay = try #require(stage.session.visibleMember("Mallory", in: "#Dev")?.stay)
        let change = try make(stay)
        stage.record(stage.session.moderate(change, in: "#dev", as: name, at: stage.now))
    }

    private func ban() throws -> ListedMask { try #require(ListedMask("b *!*@evil.example")) }

    @Test func `a ban removes the member too, and is done when the server has read it`() throws {
        var stage = stage()
        try change(&stage) { .add(try ban(), kicking: $0, reason: "no spam\nplease") }
        stage.play(
            """
            > MODE #dev +b *!*@evil.example
            > KICK #dev mallory :no spam
            > PING heybot-1
            < :marvin!~marvin@host.test MODE #dev +b *!*@evil.example
            < :marvin!~marvin@host.test KICK #dev mallory :no spam
            = #dev mallory left: no spam
            < :irc.test PONG irc.test heybot-1
            ? it: done
            """)
    }

    @Test func `if the member has left meanwhile, the ban is set all the same`() throws {
        var stage = stage()
        try change(&stage) { .add(try ban(), kicking: $0, reason: "") }
        stage.play(
            """
            > MODE #dev +b *!*@evil.example
            > KICK #dev mallory
            > PING heybot-1
            < :irc.test 441 marvin mallory #dev :They aren't on that channel
            < :irc.test PONG irc.test heybot-1
            ? it: done
            """)
    }

    @Test func `statuses, the topic, and lifting`() throws {
        var stage = stage()
        try change(&stage, as: "op") { .status("o", isGiven: true, of: $0) }
        stage.play("> MODE #dev +o mallory\n> PING heybot-1\n< PONG irc.test heybot-1\n? op: done")
        try change(&stage, as: "devoice") { .status("v", isGiven: false, of: $0) }
        stage.play("> MODE #dev -v mallory\n> PING heybot-2\n< PONG irc.test heybot-2\n? devoice: done")
        try change(&stage, as: "topic") { _ in .topic("tea at four") }
        stage.play("> TOPIC #dev :tea at four\n> PING heybot-3\n< PONG irc.test heybot-3\n? topic: done")
        try change(&stage, as: "lift") { _ in .remove(try ban(), ifOwn: false) }
        // InspIRCd says that there is no such ban.
        stage.play(
            """
            > MODE #dev -b *!*@evil.example
            > PING heybot-4
            < :irc.test 698 marvin #dev b *!*@evil.example :No such ban
            < PONG irc.test heybot-4
            ? lift: done
            """)
    }

    @Test(arguments: [
        ("401 marvin mallory :No such nick", "noSuchMember"), ("441 marvin mallory #dev :Gone", "noSuchMember"),
        ("442 marvin #DEV :Not there", "notInChannel"), ("478 marvin #dev b :Full", "listIsFull"),
        ("482 marvin #dev :No operator", #"notOperator("No operator")"#),
        ("484 marvin #dev :A service", #"other("A service")"#)
    ])
    func `a refusal is the outcome, and not logged`(_ reply: String, _ outcome: String) throws {
        var stage = stage()
        try change(&stage) { .kick($0, reason: "out") }
        stage.play(
            """
            > KICK #dev mallory out
            > PING heybot-1
            < :irc.test \(reply)
            < :irc.test PONG irc.test heybot-1
            ? it: \(outcome)
            """)
    }

    @Test func `replies about others, and answers to other pings, don't count`() throws {
        var stage = stage()
        try change(&stage) { .kick($0, reason: "out") }
        stage.play(
            """
            > KICK #dev mallory out
            > PING heybot-1
            < :irc.test PONG irc.test heybot
            < :irc.test 401 marvin ada :No such nick
            * ada didn't receive my message: No such nick
            < :irc.test PONG irc.test heybot-1
            ? it: done
            """)
    }

    @Test func `a ban isn't kept if the member can't be removed`() throws {
        var stage = stage()
        try change(&stage) { .add(try ban(), kicking: $0, reason: "out") }
        stage.play(
            """
            > MODE #dev +b *!*@evil.example
            > KICK #dev mallory out
            > PING heybot-1
            < :marvin!~marvin@host.test MODE #dev +b *!*@evil.example
            < :irc.test 484 marvin mallory #dev :A service
            < :irc.test PONG irc.test heybot-1
            ? it: other("A service")
            > MODE #dev -b *!*@evil.example
            """)
    }

    @Test func `a ban that somebody else had set before is kept in that case`() throws {
        var stage = stage()
        try change(&stage) { .add(try ban(), kicking: $0, reason: "out") }
        // The server shows no change.
        stage.play(
            """
            > MODE #dev +b *!*@evil.example
            > KICK #dev mallory out
            > PING heybot-1
            < :irc.test 484 marvin mallory #dev :A service
            < :irc.test PONG irc.test heybot-1
            ? it: other("A service")
            """)
    }

    @Test(
        arguments: [
            ("367 marvin #dev b@other.example marvin 1", nil), ("367 marvin #dev *!*@EVIL.example marvin 1", nil),
            ("367 marvin #dev *!*@evil.example marvin_!~marvin@elsewhere.test 1", nil),
            ("367 marvin #dev *!*@evil.example old!~marvin@host.test 1", nil),
            ("367 marvin #dev *!*@evil.example irc.test 1", nil), ("367 marvin #dev *!*@evil.example", nil),
            ("482 marvin #dev :No operator", nil), ("367 marvin #ops *!*@evil.example bob 1", nil),
            ("367 marvin #dev *!*@evil.example bob!b@h 1", "bob"), ("367 marvin #dev *!*@EVIL.example bob 1", "bob")
        ] as [(String, String?)])
    func `an entry is left if the list shows that somebody else has set it`(_ line: String, _ other: String?) throws {
        var stage = stage()
        try change(&stage) { _ in .remove(try ban(), ifOwn: true) }
        stage.play(
            """
            > MODE #dev +b
            > PING heybot-1
            < :irc.test \(line)
            < :irc.test 368 marvin #dev :End of list
            < :irc.test PONG irc.test heybot-1
            """
                + (other.map { "\n? it: setByOther(\"\($0)\")" } ?? """

                    > MODE #dev -b *!*@evil.example
                    > PING heybot-2
                    < :irc.test PONG irc.test heybot-2
                    ? it: done
                    """))
    }

    @Test func `on Charybdis, the list of quiets names the mode`() throws {
        var stage = stage()
        let quiet = try #require(ListedMask("q $a:mal"))
        try change(&stage) { _ in .remove(quiet, ifOwn: true) }
        stage.play(
            """
            > MODE #dev +q
            > PING heybot-1
            < :irc.test 728 marvin #dev q $a:mal bob!b@h 1
            < :irc.test PONG irc.test heybot-1
            ? it: setByOther("bob")
            """)
    }

    @Test func `one change is made at a time; without an answer it is given up`() throws {
        var stage = stage()
        try change(&stage, as: "a") { .kick($0, reason: "out") }
        try change(&stage, as: "b") { .status("v", isGiven: true, of: $0) }
        stage.play(
            """
            > KICK #dev mallory out
            > PING heybot-1
            + 7999
            + 1
            ? a: noAnswer
            > MODE #dev +v mallory
            > PING heybot-2
            < PONG irc.test heybot-2
            ? b: done
            """)
        for number in 0..<22 { try change(&stage, as: "\(number)") { .kick($0, reason: "out") } }
        stage.play("> KICK #dev mallory out\n> PING heybot-3\n? 21: tooMany")
    }

    @Test func `what has waited too long isn't done any more`() throws {
        var stage = stage()
        for name in ["a", "b", "c", "d", "e"] { try change(&stage, as: name) { .kick($0, reason: "out") } }
        let kick = "> KICK #dev mallory out\n> PING heybot"
        stage.play(
            """
            \(kick)-1
            + 8000
            ? a: noAnswer
            \(kick)-2
            + 8000
            ? b: noAnswer
            \(kick)-3
            + 8000
            ? c: noAnswer
            \(kick)-4
            + 8000
            ? d: noAnswer
            ? e: tooMany
            """)
    }

    @Test func `elsewhere it is refused at once`() throws {
        var stage = stage()
        stage.record(stage.session.moderate(.topic("tea"), in: "#ops", as: "it", at: stage.now))
        stage.play("? it: notInChannel")
        var young = SessionPlayer(Session(.inDev, nonce: "", at: .zero))
        young.record(young.session.moderate(.topic("tea"), in: "#dev", as: "it", at: young.now))
        young.play("? it: notConnected")
    }

    // MARK: Absent users

    private func lookUp(_ nick: String, _ stage: inout SessionPlayer, as name: String = "it") {
        stage.record(stage.session.lookUpAbsent(nick, as: name, at: stage.now))
    }

    @Test func `who had a nick last is looked up, with the account`() {
        var stage = stage()
        lookUp("Eve", &stage)
        stage.play(
            """
            > WHOIS Eve
            > WHOWAS Eve 1
            < :irc.test 401 marvin Eve :No such nick/channel
            < :irc.test 318 marvin Eve :End of /WHOIS list.
            < :irc.test 314 marvin eve e old.example * :Eve
            < :irc.test 330 marvin eve evie :was logged in as
            < :irc.test 314 marvin eve x other.example * :Somebody else
            < :irc.test 330 marvin eve another :was logged in as
            < :irc.test 369 marvin Eve :End of WHOWAS
            ? it: evie at old.example
            """)
    }

    @Test func `who has the nick elsewhere counts first, and lines about others not at all`() {
        var stage = stage()
        lookUp("eve", &stage)
        stage.play(
            """
            > WHOIS eve
            > WHOWAS eve 1
            < :irc.test 311 marvin bob b bob.example * :Bob
            < :irc.test 311 marvin eve e new.example * :Eve
            < :irc.test 330 marvin bob bob :is logged in as
            < :irc.test 318 marvin eve :End of /WHOIS list.
            < :irc.test 314 marvin eve x old.example * :Somebody else
            < :irc.test 330 marvin eve another :was logged in as
            < :irc.test 369 marvin bob :End of WHOWAS
            < :irc.test 369 marvin eve :End of WHOWAS
            ? it: no account at new.example
            """)
    }

    @Test func `a nick that nobody had, a server without WHOWAS, and no answer at all`() {
        var stage = stage()
        lookUp("eve", &stage)
        lookUp("bob", &stage, as: "other")
        stage.play(
            """
            > WHOIS eve
            > WHOWAS eve 1
            ? other: unknown
            < :irc.test 406 marvin eve :There was no such nickname
            < :irc.test 369 marvin eve :End of WHOWAS
            ? it: nobody
            """)
        lookUp("eve", &stage)
        stage.play("> WHOIS eve\n> WHOWAS eve 1\n< :irc.test 421 marvin WHOWAS :Unknown command\n? it: nobody")
        lookUp("eve", &stage)
        stage.play("> WHOIS eve\n> WHOWAS eve 1\n+ 7999\n+ 1\n? it: unknown")
        lookUp("eve", &stage)
        stage.play("> WHOIS eve\n> WHOWAS eve 1\n< :irc.test 263 marvin WHOIS :Please wait\n? it: unknown")
        for text in ["*!*@host", "a,b", "a b", ":a", "", "a\r\nQUIT"] {
            lookUp(text, &stage)
            stage.play("? it: nobody")
        }
    }

    // MARK: Services

    private let refusedOnce = """
        > KICK #dev mallory out
        > PING heybot-1
        < :irc.test 482 marvin #dev :No operator
        < :irc.test PONG irc.test heybot-1
        > PRIVMSG ChanServ :OP #dev marvin

        """

    @Test func `ChanServ makes it an operator for the change, even if nicks change hands meanwhile`() throws {
        var stage = stage { $0.chanServ = "ChanServ" }
        try change(&stage) { .kick($0, reason: "out") }
        stage.play(
            refusedOnce + """
                < :mallory!m@evil.example NICK innocent
                = #dev innocent was mallory
                < :ada!a@h NICK mallory
                = #dev mallory was ada
                < :ChanServ!s@services. MODE #dev +o marvin
                > KICK #dev innocent out
                > PING heybot-2
                < :marvin!~marvin@host.test KICK #dev innocent out
                = #dev innocent left: out
                < :irc.test PONG irc.test heybot-2
                ? it: done
                > MODE #dev -o marvin
                """)
    }

    @Test func `the next user with the nick of a member who has left isn't meant`() throws {
        var stage = stage { $0.chanServ = "ChanServ" }
        try change(&stage) { .kick($0, reason: "out") }
        stage.play(
            refusedOnce + """
                < :mallory!m@evil.example QUIT :bye
                = #dev mallory left: bye
                < :ada!a@h NICK mallory
                = #dev mallory was ada
                < :ChanServ!s@services. MODE #dev +o marvin
                ? it: noSuchMember
                > MODE #dev -o marvin
                """)
    }

    @Test func `an operator doesn't ask ChanServ, and doesn't give the status back`() throws {
        var stage = stage { $0.chanServ = "ChanServ" }
        stage.play("< :ada!a@h MODE #dev +o marvin")
        try change(&stage) { .kick($0, reason: "out") }
        stage.play(
            """
            > KICK #dev mallory out
            > PING heybot-1
            < :irc.test 482 marvin #dev :You need to be an owner
            < :irc.test PONG irc.test heybot-1
            ? it: notOperator("You need to be an owner")
            """)
    }

    @Test func `if ChanServ refuses, its words are the reason`() throws {
        var stage = stage { $0.chanServ = "ChanServ" }
        try change(&stage) { .kick($0, reason: "out") }
        stage.play(
            refusedOnce + """
                < :mallory!m@evil.example NOTICE marvin :You are a fool
                < :ChanServ!s@services. NOTICE marvin :You are not authorized
                + 8000
                ? it: notOperator("You are not authorized")
                """)
    }

    // MARK: Masks

    private func support(_ tokens: String) -> ISupport {
        var support = ISupport()
        support.update(["marvin"] + tokens.split(separator: " ").map(String.init) + ["are supported by this server"])
        return support
    }

    @Test(
        arguments: [
            ("", "b *!*@evil.example", nil),
            // Solanum, UnrealIRCd, InspIRCd, Ergo.
            ("EXTBAN=$,ajrxz CHANMODES=eIbq,k,flj,CFm", "b $a:mal", "q $a:mal"),
            ("EXTBAN=~,acfjmnpqrtGR CHANMODES=beI,k,l,imnst", "b ~a:mal", "b ~q:~a:mal"),
            ("EXTBAN=,ACNOQRSTUacjmrz CHANMODES=Ibeg,k,l,imnst", "b R:mal", "b m:R:mal"),
            ("EXTBAN=,m", "b *!*@evil.example", "b m:*!*@evil.example"),
            ("EXTBAN=~,am", "b ~a:mal", "b ~m:~a:mal"),
            ("EXTBAN=$,ARar ACCOUNTEXTBAN=R,account", "b $R:mal", nil),
            ("PREFIX=(qov)~@+ CHANMODES=beIq,k,l,imnst", "b *!*@evil.example", nil),
            ("EXTBAN=x", "b *!*@evil.example", nil)
        ] as [(String, String, String?)])
    func `masks name the account if the network can, or else the host`(
        _ tokens: String, _ ban: String, _ quiet: String?
    ) throws {
        let support = support(tokens)
        let member = ChannelMembers.Member(nick: "mallory", account: "mal", user: "m", host: "evil.example")
        let subject = try #require(support.maskSubject(of: member))
        #expect(support.listedMask(for: subject, isQuiet: false)?.description == ban)
        #expect(support.listedMask(for: subject, isQuiet: true)?.description == quiet)
        #expect(support.canQuiet == (quiet != nil))
    }

    @Test func `nobody else is ever meant by a mask`() {
        let support = support("")
        for host in [nil, "", "*", "*.example", "a?c", "a@b"] as [String?] {
            let member = ChannelMembers.Member(nick: "mallory", host: host)
            #expect(support.maskSubject(of: member) == nil)
        }
        let naming = self.support("EXTBAN=~,a")
        for account in ["0", "*", "a?", "mal$#evil", "~q:mal", "a@b", "a,b", ""] {
            #expect(naming.maskSubject(account: account, host: nil) == nil, "\(account)")
            #expect(naming.maskSubject(account: account, host: "evil.example") == .host("evil.example"))
        }
        #expect(naming.maskSubject(account: "mal-[1]", host: "evil.example") == .account("mal-[1]"))
        let texts = ["", "b", "b *!*@*", "b *!*@", "b *", "b mallory", "b *!*@a b", "bb *!*@a", "b :*!*@a", "b a,b@c"]
        for text in texts { #expect(ListedMask(text) == nil, "\(text)") }
        for text in ["b *!*@a", "q $a:mal", "b ~q:~a:mal", "b *!*@2001:db8::1"] {
            #expect(ListedMask(text)?.description == text)
        }
    }

    @Test func `the members whom a mask affects are known, and whether it affects the robot`() throws {
        var stage = stage()
        stage.play("< :eve!e@EVIL.example JOIN #dev\n= #dev eve joined")
        let subject = try #require(stage.session.visibleMember("mallory", in: "#dev")).member
        let evil = try #require(stage.session.support.maskSubject(of: subject))
        #expect(stage.session.visibleMembers(of: "#dev", affectedBy: evil).map(\.nick).sorted() == ["eve", "mallory"])
        #expect(!stage.session.affectsRobot(evil))
        #expect(stage.session.affectsRobot(.host("HOST.test")))
    }
}
