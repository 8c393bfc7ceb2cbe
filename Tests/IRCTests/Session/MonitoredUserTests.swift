import Testing

@testable import HeybotIRC

/// Users who share no channel with the robot, and whom the server reports nevertheless (IRCv3 extended-monitor).
@Suite struct MonitoredUserTests {
    /// At a server with these capabilities and features, without a channel.
    private func registered(_ capabilities: String, _ supports: String = "WHOX MONITOR=100") -> String {
        start + """
            < CAP * LS :\(capabilities)
            > CAP REQ :\(capabilities)
            < CAP * ACK :\(capabilities)
            > CAP END
            < 001 marvin :Welcome
            < 005 marvin CHANTYPES=# \(supports) PREFIX=(ov)@+ :are supported by this server
            < 376 marvin :End
            . settled

            """
    }

    private func says(_ account: String, by nick: String = "ada") -> String {
        "< :\(nick)!a@h PRIVMSG marvin :hello\n= \(nick)\(account.isEmpty ? "" : " (\(account))"): hello\n"
    }

    /// Ada has said something, and the server has told her account.
    private var known: String {
        """
        \(registered("account-notify extended-monitor"))
        \(says(""))
        > MONITOR + ada
        < 730 marvin :ada!a@h
        > WHO ada %tcuhna,1
        < 354 marvin 1 * a h ada lovelace
        < 315 marvin ada :End of WHO
        \(says("lovelace"))
        """
    }

    @Test(arguments: ["account-notify extended-monitor", "account-notify draft/extended-monitor"])
    func `the account of a user who is out of sight is known once the server reports the user`(_ capabilities: String) {
        play(known.replacing("account-notify extended-monitor", with: capabilities))
    }

    @Test func `a change of the account is reported`() {
        play(
            """
            \(known)
            < :ada!a@h ACCOUNT *
            \(says("no account"))
            < :ada!a@h ACCOUNT byron
            \(says("byron"))
            """)
    }

    @Test func `when the user leaves, nothing is known about the nick, and later about its new holder`() {
        play(
            """
            \(known)
            < 731 marvin :ada
            \(says(""))
            < 730 marvin :ada!a@h
            > WHO ada %tcuhna,2
            < 354 marvin 1 * a h ada lovelace
            \(says(""))
            < 354 marvin 2 * a h ada 0
            \(says("no account"))
            """)
    }

    @Test func `an account isn't that of a user with another host`() {
        play(known + "< :ada!x@y PRIVMSG marvin :hello\n= ada: hello\n")
    }

    @Test func `an account isn't that of the next user with the nick`() {
        play(
            """
            \(known)
            < :ada!a@h NICK countess
            \(says(""))
            \(says("", by: "countess"))
            > MONITOR + countess
            """)
    }

    @Test(arguments: [
        ("account-notify chghost", "WHOX MONITOR=100"), ("chghost extended-monitor", "WHOX MONITOR=100"),
        ("account-notify extended-monitor", "WHOX"), ("account-notify extended-monitor", "MONITOR=100"),
        ("account-notify extended-monitor", "WHOX MONITOR=1")
    ])
    func `without everything that this requires, nobody is monitored`(_ capabilities: String, _ supports: String) {
        play(registered(capabilities, supports) + says(""))
    }

    @Test func `if messages carry the account, nobody is monitored`() {
        play(registered("account-notify account-tag extended-monitor") + says("no account"))
    }

    @Test func `the number of users is limited, and one place is left for the robot's own nick`() {
        play(
            """
            \(registered("account-notify extended-monitor", "WHOX MONITOR=3"))
            \(says(""))
            > MONITOR + ada
            \(says("", by: "bob"))
            > MONITOR + bob
            \(says("", by: "eve"))
            > MONITOR - ada
            > MONITOR + eve
            < 734 marvin 3 eve :Monitor list is full.
            \(says("", by: "joe"))
            """)
    }

    @Test func `if the server withdraws the capability, nothing is known about who is out of sight`() {
        play(known + "< CAP * DEL :extended-monitor\n" + says(""))
    }

    @Test func `a report counts only after the request, and a user whose place is taken has to be requested again`() {
        let (ada, bob) = (MonitoredUsers.Entry(nick: "Ada", key: "ada"), MonitoredUsers.Entry(nick: "bob", key: "bob"))
        var users = MonitoredUsers()
        let first = users.add(ada, limit: 1)
        #expect(first == nil)
        #expect(users.contains("ada") && !users.isRequested("ada"))
        let requests = [users.request("ada"), users.request("ada")]
        #expect(requests == [true, false])
        #expect(users.isRequested("ada"))
        let dropped = users.add(bob, limit: 1)
        #expect(dropped == MonitoredUsers.Entry(nick: "Ada", key: "ada", isRequested: true))
        let isLate = users.request("ada")
        #expect(!isLate)
        let unrequested = users.add(ada, limit: 1)
        #expect(unrequested == bob)
        #expect(!users.isRequested("ada"))
    }
}
