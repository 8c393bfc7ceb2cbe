import FoundationEssentials
import Heybot
import HeybotSupport
import NetworkAdapter
import Testing

@testable import HeybotIRC
@testable import IRCAdapter

@Suite struct LineBufferTests {
    private func cut(_ chunks: [[UInt8]]) -> [String] {
        var buffer = LineBuffer()
        var lines: [String] = []
        for chunk in chunks { buffer.cut(chunk[...]) { lines.append(String(decoding: $0, as: UTF8.self)) } }
        return lines
    }

    @Test func `lines are reassembled from any fragments`() {
        let text = Array("one\r\ntwo\nthree\r\n\r\nfour".utf8)
        let expected = ["one\r", "two", "three\r", "\r"]
        #expect(cut([text]) == expected)
        #expect(cut(text.map { [$0] }) == expected)
        for place in 0..<text.count { #expect(cut([Array(text[..<place]), Array(text[place...])]) == expected) }
    }

    @Test func `an endless line is discarded, and the next one is intact`() {
        let endless = [[UInt8]](repeating: [UInt8](repeating: 65, count: 10_000), count: 50)
        #expect(cut(endless + [Array("rest\nnext\n".utf8)]) == ["next"])
    }
}

@Suite struct PagerTests {
    private let lines = (1...12).map(String.init)

    @Test func `a page, and the rest on demand`() {
        var pager = Pager(size: 5)
        let first = pager.page(lines, for: "#dev", at: .zero)
        #expect(Array(first.lines) == ["1", "2", "3", "4", "5"])
        #expect(first.more == 7)
        let second = pager.next(for: "#dev", at: .zero)
        #expect(second.map { Array($0.lines) } == ["6", "7", "8", "9", "10"])
        #expect(second?.more == 2)
        #expect(pager.next(for: "#dev", at: .zero).map { Array($0.lines) } == ["11", "12"])
        #expect(pager.next(for: "#dev", at: .zero) == nil)
    }

    @Test func `a single extra line is sent at once instead of a hint`() {
        var pager = Pager(size: 5)
        #expect(pager.page(Array(lines.prefix(6)), for: "#dev", at: .zero).lines.count == 6)
        #expect(pager.next(for: "#dev", at: .zero) == nil)
    }

    @Test func `each room keeps the rest of its newest answer`() {
        var pager = Pager(size: 1)
        _ = pager.page(lines, for: "#dev", at: .zero)
        _ = pager.page(["a", "b", "c"], for: "#ops", at: .zero)
        _ = pager.page(["x", "y", "z"], for: "#dev", at: .zero)
        #expect(pager.next(for: "#dev", at: .zero)?.lines.map(\.self) == ["y", "z"])
        #expect(pager.next(for: "#ops", at: .zero)?.lines.map(\.self) == ["b", "c"])
    }

    @Test func `kept pages are limited in number and time`() {
        var pager = Pager(size: 1)
        for room in 0..<150 { _ = pager.page(lines, for: "#\(room)", at: .seconds(room)) }
        #expect(pager.next(for: "#0", at: .seconds(150)) == nil)
        #expect(pager.next(for: "#149", at: .seconds(150)) != nil)
    }

    @Test func `the page length is configurable`() {
        var pager = Pager(size: 0)
        #expect(pager.page(lines, for: "#dev", at: .zero).lines.count == 12)
    }
}

@Suite struct MessageRequestersTests {
    @Test func `only the latest requesters are remembered`() {
        var requesters = RecentMessageRequesters<Int>(mostPublic: 3, mostPrivate: 3)
        for number in 0..<10 { requesters.record(number, for: message(number)) }
        #expect((0..<10).map { requesters[id($0)] } == [nil, nil, nil, nil, nil, nil, nil, 7, 8, 9])
        requesters.record(17, for: message(7))
        #expect((7..<10).map { requesters[id($0)] } == [17, 8, 9])
        for number in 20..<22 { requesters.record(number, for: message(number)) }
        #expect([7, 8, 9, 20, 21].map { requesters[id($0)] } == [17, nil, nil, 20, 21])
    }

    @Test func `each of many is found`() {
        var requesters = RecentMessageRequesters<Int>()
        for number in 0..<3_500 { requesters.record(number, for: message(number)) }
        let found = (0..<3_500).map { requesters[id($0)] }
        #expect(found == Array(repeating: nil, count: 2_500) + Array(2_500..<3_500))
    }

    @Test func `public messages don't displace private ones`() {
        var requesters = RecentMessageRequesters<Int>(mostPublic: 3, mostPrivate: 3)
        requesters.record(1, for: message(1, isPrivate: true))
        for number in 10..<20 { requesters.record(number, for: message(number)) }
        #expect(requesters[id(1)] == 1 && requesters[id(10)] == nil)
        // The same id on another network is another message.
        #expect(requesters[Message.ID(adapter: "xmpp", value: "m1")] == nil)
    }

    @Test func `ids that end alike are different messages`() {
        var requesters = RecentMessageRequesters<Int>(mostPublic: 3, mostPrivate: 3)
        let ids = ["one-12345678", "two-12345678", "12345678", "8", ""].map { Message.ID(adapter: "irc", value: $0) }
        for (number, id) in ids.prefix(3).enumerated() { requesters.record(number, for: message(number, id: id)) }
        #expect(ids.map { requesters[$0] } == [0, 1, 2, nil, nil])
    }

    @Test func `generated ids are unique across runs`() {
        var runs = [0.0, 1.5].map { ReceivedMessageIDGenerator(adapter: "irc", since: Date(timeIntervalSince1970: $0)) }
        var ids: Set<Message.ID> = []
        for run in runs.indices { for _ in 0..<3 { ids.insert(runs[run].next()) } }
        #expect(ids.count == 6)
    }

    private func id(_ number: Int) -> Message.ID { Message.ID(adapter: "irc", value: "m\(number)") }

    private func message(_ number: Int, id: Message.ID? = nil, isPrivate: Bool = false) -> Message {
        Message(
            id: id ?? self.id(number), user: User(id: User.ID(adapter: "irc", value: "ada"), name: "ada"),
            room: Room(id: Room.ID(adapter: "irc", value: "r"), name: "r", isPrivate: isPrivate), content: .enter,
            time: .now)
    }
}

@Suite struct MessageConverterTests {
    private func text(_ words: String, nick: String, robot: String = "marvin") -> String? {
        var converter = IncomingMessageConverter(ids: ReceivedMessageIDGenerator(adapter: "irc", since: .now))
        let heard = IncomingEvent(
            content: .text(words), source: Source("ada!a@h"), nickKey: "ada", account: .unknown, channel: "#dev",
            channelKey: "#dev", time: nil, id: nil)
        let identity = IncomingMessageConverter.UserIdentity(id: "ada", isProven: false)
        return converter.message(heard, identity: identity, origin: "a@h", nick: nick, robotName: robot, now: .now).text
    }

    @Test func `an action is marked`() {
        var converter = IncomingMessageConverter(ids: ReceivedMessageIDGenerator(adapter: "irc", since: .now))
        var heard = IncomingEvent(
            content: .text("waves"), source: Source("ada!a@h"), nickKey: "ada", account: .unknown, channel: "#dev",
            channelKey: "#dev", time: nil, id: nil)
        let identity = IncomingMessageConverter.UserIdentity(id: "ada", isProven: false)
        for isAction in [true, false] {
            heard.isAction = isAction
            let message = converter.message(
                heard, identity: identity, origin: "a@h", nick: "marvin", robotName: "marvin", now: .now)
            #expect(message.isAction == isAction && message.text == "waves")
        }
    }

    private func identity(
        _ account: IncomingEvent.Account, of source: String = "Ada!a@h", tells: Bool = false, trusts: Bool = false,
        _ namedUsers: ConfiguredUsers = ConfiguredUsers()
    ) -> IncomingMessageConverter.UserIdentity {
        IncomingMessageConverter.identity(
            Source(source), account,
            IncomingMessageConverter.IdentityContext(
                providesAccounts: tells, trustsNicks: trusts, namedUsers: namedUsers))
    }

    @Test func `an id is what the network has verified`() {
        #expect(identity(.name("Countess")) == .init(id: "countess", isProven: true))
        #expect(identity(.none) == .init(id: "!ada", isProven: false))
        #expect(identity(.unknown) == .init(id: "ada", isProven: false))
        // A server that doesn't show accounts is no reason to trust nicks.
        #expect(identity(.unknown, tells: true) == .init(id: "!ada", isProven: false))
    }

    @Test func `a nick alone is trusted only if configured, and without accounts`() {
        #expect(identity(.unknown, trusts: true) == .init(id: "ada", isProven: true))
        #expect(identity(.unknown, tells: true, trusts: true) == .init(id: "!ada", isProven: false))
        #expect(identity(.none, trusts: true) == .init(id: "!ada", isProven: false))
    }

    @Test func `a named hostmask identifies a user, and similar ones don't`() throws {
        var namedUsers = ConfiguredUsers()
        let id = try namedUsers.add("Ada!*@*.staff.example.org")
        #expect(id == "ada!*@*.staff.example.org")
        let proven = IncomingMessageConverter.UserIdentity(id: id, isProven: true)
        #expect(identity(.none, of: "ADA!x@Host.Staff.example.org", namedUsers) == proven)
        #expect(identity(.name("somebody"), of: "ada!x@h.staff.example.org", namedUsers) == proven)
        for source in [
            "ada!x@evil.example", "ada!x@h.staff.example.org.evil.example", "adam!x@h.staff.example.org",
            "x!ada!y@h.staff.example.org", "ada", "ada@h.staff.example.org", "ada!h.staff.example.org"
        ] {
            #expect(!identity(.unknown, of: source, namedUsers).isProven, "\(source)")
        }
    }

    @Test func `an admin's account is compared case-insensitively`() throws {
        var namedUsers = ConfiguredUsers()
        #expect(try namedUsers.add("Ada[X]") == "ada[x]")
        func id(_ account: String, _ mapping: CaseMapping) -> String {
            IncomingMessageConverter.identity(
                Source("n!u@h"), .name(account),
                IncomingMessageConverter.IdentityContext(mapping: mapping, namedUsers: namedUsers)
            ).id
        }
        #expect(id("aDA[x]", .rfc1459) == "ada[x]")
        #expect(id("ada{x}", .rfc1459) == "ada{x}")
        #expect(id("ADA[x]", .ascii) == "ada[x]")
        // A different user there.
        #expect(id("ada{x}", .ascii) == "ada{x}")
    }

    @Test(arguments: [
        "", "a b", "!ada", "ada!*", "xmpp:ada", "#dev", "*", "*!*@*", "ada!*@*", "ada!*@?.*", "ada@example.org",
        "ada!*@host@evil", "!*@host.example", "certfp:abcdef"
    ]) func `names that prove nothing or are invalid are rejected`(name: String) {
        var namedUsers = ConfiguredUsers()
        #expect(throws: AdapterError.self) { try namedUsers.add(name) }
    }

    @Test func `addressing the nick addresses the robot`() {
        #expect(text("marvin_: ping", nick: "marvin_") == "marvin: ping")
        #expect(text("@Marvin_ ping", nick: "marvin_") == "marvin ping")
        #expect(text("marvin: ping", nick: "marvin_") == "marvin: ping")
        #expect(text("marvin_x: ping", nick: "marvin_") == "marvin_x: ping")
        #expect(text("ask marvin_", nick: "marvin_") == "ask marvin_")
        #expect(text("android42: ping", nick: "android42") == "marvin: ping")
        #expect(text("marvin the great: ping", nick: "marvin", robot: "marvin the great") == "marvin the great: ping")
    }

    @Test(arguments: [
        ("*!*@192.0.2.*", Source(nick: "ada", user: "a", host: "192.0.2.9"), true),
        ("*!*@192.0.2.*", Source(nick: "mal", user: "a", host: "192.0.2.evil.org"), false),
        ("*!*@192.0.2.*", Source(nick: "mal", user: "x", host: "192.0.2.9@evil.org"), false),
        ("*!*@2001:db8::*", Source(nick: "ada", user: "a", host: "2001:DB8::1"), true),
        ("*!ada@gw.org", Source(nick: "ada", user: "ada", host: "gw.org"), true),
        ("*!ada@gw.org", Source(nick: "mal", user: "x!ada", host: "gw.org"), false),
        ("ada!*@staff.example.org", Source(nick: "ADA", user: "a", host: "staff.example.org"), true),
        ("ada!*@staff.example.org", Source(nick: "ada", user: "a", host: "x.staff.example.org"), false)
    ])
    func `each part of a hostmask matches only that part`(_ mask: String, _ source: Source, _ isMeant: Bool) throws {
        var namedUsers = ConfiguredUsers()
        _ = try namedUsers.add(mask)
        #expect((namedUsers.id(of: source, by: .rfc1459) != nil) == isMeant)
    }

    @Test func `certificates are compared by their digits`() throws {
        var namedUsers = ConfiguredUsers()
        #expect(!namedUsers.hasCertificates)
        let digits = String(repeating: "0b", count: 32)
        let id = try namedUsers.add("CertFP:" + String(repeating: "0B:", count: 31) + "0b")
        #expect(id == "certfp:\(digits)" && namedUsers.hasCertificates)
        #expect(namedUsers.id(ofCertificates: ["00", digits]) == id && namedUsers.id(ofCertificates: []) == nil)
    }

    @Test func `accounts differ if they differ in more than case`() throws {
        var namedUsers = ConfiguredUsers()
        _ = try namedUsers.add("ada[x]")
        #expect(namedUsers.id(ofAccount: "ADA[x]") != nil && namedUsers.id(ofAccount: "ada{x}") == nil)
    }

    @Test func `kept pages aren't for the next user with the nick`() {
        var pager = Pager(size: 1)
        let (anonymous, ada) = (
            RequesterIdentity("a@h", source: Source("ada!a@h")), RequesterIdentity("ada", source: Source("ada!a@h"))
        )
        _ = pager.page(["1", "2", "3", "4", "5"], for: "ada", requester: anonymous, at: .zero)
        pager.forget("ada", unlessFor: anonymous)
        #expect(pager.next(for: "ada", at: .zero)?.lines == ["2"])
        // Pages kept after the nick changed hands aren't for the new user either.
        let other = RequesterIdentity("m@h", source: Source("ada!m@h"))
        var late = pager
        #expect(late.next(for: "ada", person: other, at: .zero) == nil)
        late = pager
        #expect(late.next(for: "ada", person: anonymous, at: .zero)?.lines == ["3"])
        // The connection stays the same after a login.
        pager.forget("ada", unlessFor: ada)
        #expect(pager.next(for: "ada", at: .zero)?.lines == ["3"])
        pager.forget("ada", unlessFor: RequesterIdentity("m@h", source: Source("ada!m@h")))
        #expect(pager.next(for: "ada", at: .zero) == nil)
    }
}
