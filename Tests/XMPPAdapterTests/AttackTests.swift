import Heybot
import HeybotSupport
import HeybotXMPP
import Synchronization
import TestServers
import Testing
import XMPPAdapter

/// What a single user of a server could try against the robot, on Prosody.
@Suite(.serialized, .timeLimit(.minutes(15))) struct AttackTests {
    private struct Marks: Script {
        let name = "Marks"

        func register(on robot: inout RobotBuilder) {
            robot.respond(/marks$/) { res in try await res.send("a" + String(repeating: "\u{301}", count: 130_000)) }
            robot.respond(/signs$/) { res in try await res.send(String(repeating: "&", count: 60_000)) }
        }
    }

    /// Answers when the test says so.
    private final class Secret: Script {
        let name = "Secret"
        private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
        var count: Int { waiting.withLock { $0.count } }

        func register(on robot: inout RobotBuilder) {
            robot.respond(/secret$/) { [self] res in
                await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
                try await res.send("it is 42")
            }
        }

        func tell() {
            let all = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for continuation in all { continuation.resume() }
        }
    }

    /// Elements over the robot's limits that Prosody forwards.
    private static let overLimit = [
        "<z xmlns='urn:z'" + (0..<65).map { " a\($0)=''" }.joined() + "/>",
        "<z xmlns='urn:z' a='" + String(repeating: "x", count: 40_000) + "'/>",
        "<\(String(repeating: "n", count: 2_000)) xmlns='urn:z'/>",
        "<z xmlns='urn:\(String(repeating: "n", count: 2_000))'/>"
    ]

    /// What comes after a long tag: an up-to-date libexpat, as in Prosody, retries an incomplete tag only after its buffer has
    /// doubled.
    private static let spaceAfterLongTag = String(repeating: " ", count: 80_000)

    @Test(arguments: overLimit.indices)
    func `stanzas over a limit, from an occupant and from a contact, don't end the stream`(_ index: Int) async throws {
        let attack = Self.overLimit[index]
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let (eve, ada) = (try await server.person("eve"), try await server.person("ada"))
        try await ada.join(room, as: "Ada")
        // Her presence is there already, and is sent again at each login.
        eve.send(
            "<presence to='\(room)/eve'><x xmlns='http://jabber.org/protocol/muc'/>\(attack)</presence>",
            Self.spaceAfterLongTag)
        try await eve.expect("<presence", "from='\(room)/eve'", "<status code='110'/>")
        try await ada.expect("<presence", "from='\(room)/eve'")
        try await withBot(Bot(.test(server.port, caFile: server.caFile, rooms: [room]))) { bot in
            try await bot.isUp()
            eve.exchangeSubscriptions(with: "marvin@xmpp.test")
            try await eve.expect("<presence", "from='marvin@xmpp.test/")
            eve.send(
                "<presence>\(attack)</presence>", "<presence to='\(room)/eve'>\(attack)</presence>",
                "<message to='\(room)' type='groupchat'><body>marvin: ping</body>\(attack)</message>",
                "<message to='\(room)/marvin' type='chat'><body>ping</body>\(attack)</message>",
                "<message to='marvin@xmpp.test' type='chat'><body>ping</body>\(attack)</message>",
                Self.spaceAfterLongTag)
            eve.tell("marvin@xmpp.test", "say still here")
            try await eve.expect("<body>still here</body>")
            ada.say("marvin: ping", in: room)
            try await ada.expect("from='\(room)/marvin'", "<body>PONG</body>")
            #expect(!bot.log.lines().contains { $0.contains("reconnecting in") })
            // The warning is repeated after a minute at the earliest, which may pass on a busy machine.
            #expect((1...3).contains(bot.warnings.count))
            #expect(bot.warnings.allSatisfy { $0.contains("was skipped: ") })
        }
    }

    @Test func `a text of a single character of 260 kB, or of characters to escape, is sent in parts`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        let bot = try Bot(.test(server.port, caFile: server.caFile), scripts: [TestScript.script, Marks()])
        try await withBot(bot) { bot in
            try await bot.isUp()
            let ada = try await server.person("ada")
            for (word, count) in [("marks", 260_000), ("signs", 300_000)] {
                ada.tell("marvin@xmpp.test", word)
                var bytes = 0
                while bytes < count {
                    // Compared by bytes: the first mark and the text before it are one character.
                    let part = try await ada.expect { $0.utf8.starts(with: "<message".utf8) }
                    #expect(part.utf8.count < 20_000)
                    bytes +=
                        part.utf8.count { $0 == 0xcc || $0 == 0x81 || $0 == UInt8(ascii: "&") }
                        * (word == "marks" ? 1 : 5)
                }
                ada.tell("marvin@xmpp.test", "ping")
                try await ada.expect("<body>PONG</body>")
            }
            #expect(bot.warnings == [])
        }
    }

    /// Returns how many of the robot's messages a person receives between a question and its answer.
    private func precede(_ person: XMPPTestClient, in room: String, _ word: String) async throws -> Int {
        let start = person.received.count
        person.say("marvin: say \(word)", in: room)
        try await person.expect("<body>\(word)</body>")
        return person.received.dropFirst(start).prefix { !$0.contains("<body>\(word)</body>") }
            .count { $0.contains("from='\(room)/marvin'") && $0.contains("<body>") }
    }

    /// The median of three of these numbers: while the machine is busy, a person may see late what was sent before.
    private func medianPreceding(_ person: XMPPTestClient, in room: String) async throws -> Int {
        var counts: [Int] = []
        for word in ["one", "two", "three"] { counts.append(try await precede(person, in: room, word)) }
        return counts.sorted()[1]
    }

    @Test func `one person's ten long answers don't delay another's`() async throws {
        // At this rate, the answers, 470 kB, take two minutes.
        let server = try await XMPPServer.start(.prosody, rate: "4kb/s")
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(
            server.port, caFile: server.caFile, rooms: [room]
        ) {
            $0.rateLimit = RateLimit(burst: 20, interval: .milliseconds(100))
        }
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            let (eve, ada) = (try await server.person("eve"), try await server.person("ada"))
            try await ada.join(room, as: "Ada")
            try await eve.join(room, as: "Eve")
            for _ in 0..<9 { eve.say("marvin: long", in: room) }
            try await ada.expect("from='\(room)/marvin'", "<body>日本語")
            // Each message has about 8 kB, and at most two are sent at a time.
            #expect(try await medianPreceding(ada, in: room) <= 4)
            #expect(bot.adapter.queuedMessages > 20)
        }
    }

    /// The room doesn't show addresses; Prosody sets occupant ids (XEP-0421), ejabberd 23.01 only shows changes of nick.
    @Test(arguments: XMPPServer.Software.installed)
    func `changing the nick doesn't extend a person's rate limit`(_ software: XMPPServer.Software)
        async throws
    {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let (eve, ada) = (try await server.person("eve"), try await server.person("ada"))
        try await ada.join(room, as: "Ada")
        try await ada.setAnonymous(true, of: room)
        var configuration = try XMPPAdapter.ResolvedConfiguration.test(
            server.port, caFile: server.caFile, rooms: [room])
        configuration.commandLimit = UserCommandRateLimit(burst: 5, interval: .seconds(600))
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            try await eve.join(room, as: "eve")
            for index in 0..<30 {
                eve.send("<presence to='\(room)/eve\(index)'/>")
                eve.say("marvin: say flood \(index)", in: room)
                eve.send("<message to='\(room)/marvin' type='chat'><body>say flood \(index) too</body></message>")
            }
            try await ada.expect("<body>marvin: say flood 29</body>")
            ada.say("marvin: say end", in: room)
            try await ada.expect("from='\(room)/marvin'", "<body>end</body>")
            try await wait(for: "all to be said") { bot.adapter.queuedMessages == 0 }
            // It comes after all earlier messages to her.
            ada.say("marvin: say over", in: room)
            try await eve.expect("from='\(room)/marvin'", "<body>over</body>")
            let said = (eve.received + ada.received).count { $0.contains("<body>flood") }
            #expect((1...12).contains(said))
            #expect(bot.log.lines().contains { $0.contains("rate limit exceeded") })
        }
    }

    /// The room doesn't show addresses.
    @Test(arguments: XMPPServer.Software.installed)
    func `a person who rejoins with new nicks doesn't delay another`(_ software: XMPPServer.Software)
        async throws
    {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let (eve, ada) = (try await server.person("eve"), try await server.person("ada"))
        try await ada.join(room, as: "Ada")
        try await ada.setAnonymous(true, of: room)
        var configuration = try XMPPAdapter.ResolvedConfiguration.test(
            server.port, caFile: server.caFile, rooms: [room]
        ) {
            $0.rateLimit = RateLimit(burst: 1, interval: .milliseconds(500))
        }
        configuration.commandLimit = UserCommandRateLimit(burst: 1_000, interval: .seconds(1))
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            for index in 0..<8 {
                try await eve.join(room, as: "eve\(index)")
                for number in 0..<15 { eve.say("marvin: say flood \(index) \(number)", in: room) }
                eve.send("<presence to='\(room)/eve\(index)' type='unavailable'/>")
            }
            try await ada.expect("<body>marvin: say flood 7 14</body>")
            // The robot may have sent one that ada hasn't received yet.
            #expect(try await medianPreceding(ada, in: room) <= 3)
            #expect(bot.adapter.queuedMessages > 15)
        }
    }

    /// The room doesn't show addresses.
    @Test(arguments: XMPPServer.Software.installed)
    func `a private answer isn't sent to the next user of the nick`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let (eve, mal) = (try await server.person("eve"), try await server.person("mal"))
        let ada = try await server.person("ada")
        try await ada.join(room, as: "Ada")
        try await ada.setAnonymous(true, of: room)
        let secret = Secret()
        var configuration = try XMPPAdapter.ResolvedConfiguration.test(
            server.port, caFile: server.caFile, rooms: [room])
        configuration.commandLimit = nil
        try await withBot(Bot(configuration, scripts: [TestScript.script, secret])) { bot in
            try await bot.isUp()
            try await eve.join(room, as: "eve")
            for word in ["secret", "secret"] {
                eve.send("<message to='\(room)/marvin' type='chat'><body>\(word)</body></message>")
                try await wait(for: "the question") { secret.count == 1 }
                secret.tell()
                try await eve.expect("<body>it is 42</body>")
            }
            eve.send("<message to='\(room)/marvin' type='chat'><body>secret</body></message>")
            try await wait(for: "the question") { secret.count == 1 }
            // Whatever ids mal gives to his messages, hers stay hers.
            try await mal.join(room, as: "mal")
            for number in 1...20 {
                mal.send(
                    "<message to='\(room)/marvin' type='chat'><body>say \(number)</body>"
                        + "<stanza-id xmlns='urn:xmpp:sid:0' by='\(room)' id='\(number)'/></message>")
            }
            try await mal.expect("<body>20</body>")
            eve.send("<presence to='\(room)/eva'/>")
            try await ada.expect("<presence", "from='\(room)/eva'")
            mal.send("<presence to='\(room)/eve'/>")
            mal.say("marvin: say hello", in: room)
            try await mal.expect("<body>hello</body>")
            secret.tell()
            // She gets it under whatever nick.
            try await eve.expect("<body>it is 42</body>")
            ada.say("marvin: say over", in: room)
            try await mal.expect("<body>over</body>")
            #expect(!mal.received.contains { $0.contains("it is 42") })
            // A user who has left doesn't get it, nor does the next user of the nick when the robot is back.
            eve.send("<message to='\(room)/marvin' type='chat'><body>secret</body></message>")
            try await wait(for: "the question") { secret.count == 1 }
            eve.send("<presence to='\(room)/eva' type='unavailable'/>")
            try await ada.expect("<presence", "from='\(room)/eva'", "unavailable")
            try await ada.kick("marvin", from: room, reason: "a while")
            mal.send("<presence to='\(room)/eva'/>")
            try await ada.expect("<presence", "from='\(room)/eva'")
            // What the robot hasn't read yet it can't know.
            try await bot.logs("kicked from \(room)")
            secret.tell()
            try await bot.logs("the user may have left the room")
            try await ada.expect("<presence", "from='\(room)/marvin'", "role='participant'")
            ada.say("marvin: say the end", in: room)
            try await mal.expect("<body>the end</body>")
            #expect(!mal.received.contains { $0.contains("it is 42") })
        }
    }

    /// The room doesn't show addresses.
    @Test(arguments: XMPPServer.Software.installed)
    func `requests of one user don't count for the next user of the nick`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let (bob, mal) = (try await server.person("bob"), try await server.person("mal"))
        let ada = try await server.person("ada")
        try await ada.join(room, as: "Ada")
        try await ada.setAnonymous(true, of: room)
        let secret = Secret()
        var configuration = try XMPPAdapter.ResolvedConfiguration.test(
            server.port, caFile: server.caFile, rooms: [room])
        // The robot greets too.
        configuration.commandLimit = UserCommandRateLimit(burst: 2, interval: .seconds(3_000))
        try await withBot(Bot(configuration, scripts: [TestScript.script, secret])) { bot in
            try await bot.isUp()
            try await mal.join(room, as: "bob")
            mal.say("marvin: secret", in: room)
            try await wait(for: "the question") { secret.count == 1 }
            mal.send("<presence to='\(room)/bob' type='unavailable'/>")
            try await ada.expect("<presence", "from='\(room)/bob'", "unavailable")
            try await bob.join(room, as: "bob")
            secret.tell()
            try await ada.expect("<body>it is 42</body>")
            bob.say("marvin: say hello", in: room)
            try await bob.expect("<body>hello</body>")
        }
    }

    @Test func `single requests of thirty strangers don't delay a room`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(
            server.port, caFile: server.caFile, rooms: [room]
        ) {
            // Long enough for all to wait at the same time, also on a busy machine.
            $0.rateLimit = RateLimit(burst: 1, interval: .seconds(5))
        }
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            let ada = try await server.person("ada")
            try await ada.join(room, as: "Ada")
            var strangers: [XMPPTestClient] = []
            for index in 0..<30 { strangers.append(try await server.person("s\(index)")) }
            for stranger in strangers { stranger.tell("marvin@xmpp.test", "ping") }
            try await wait(for: "them to wait") { bot.adapter.queuedMessages >= 20 }
            let before = bot.adapter.queuedMessages
            ada.say("marvin: ping", in: room)
            try await ada.expect("from='\(room)/marvin'", "<body>PONG</body>")
            // Most of the earlier messages are still queued.
            #expect(bot.adapter.queuedMessages > before / 2)
        }
    }

    @Test func `a thousand simultaneous requests of strangers don't delay a person or a room`() async throws {
        let server = try await XMPPServer.start(.prosody, hasComponent: true)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        // At the configured rate, a thousand answers take 400 seconds.
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(
            server.port, caFile: server.caFile, rooms: [room]
        ) {
            $0.rateLimit = RateLimit(burst: 20, interval: .milliseconds(400))
        }
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            let (ada, strangers) = (try await server.person("ada"), try await server.component())
            try await ada.join(room, as: "Ada")
            strangers.tell(
                "marvin@xmpp.test", "ping", from: (0..<1_000).map { "s\($0)@\(server.componentDomain)/x" })
            try await wait(for: "them to wait, \(bot.adapter.queuedMessages)") { bot.adapter.queuedMessages >= 500 }
            func answered() -> Int { strangers.received.count { $0.contains("<body>PONG</body>") } }
            for place in ["private", "the room"] {
                let before = answered()
                if place == "private" {
                    ada.tell("marvin@xmpp.test", "ping")
                } else {
                    ada.say("marvin: ping", in: room)
                }
                try await ada.expect("<body>PONG</body>")
                // Her turn comes long before theirs are all over.
                #expect(answered() - before < 250 && bot.adapter.queuedMessages > 200)
            }
        }
    }

    @Test func `one person's ten echoes of 60 kB don't delay another's answer`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port, caFile: server.caFile) {
            $0.rateLimit = RateLimit(burst: 20, interval: .seconds(2))
        }
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            let (eve, ada) = (try await server.person("eve"), try await server.person("ada"))
            let long = String(repeating: "long ", count: 12_000)
            for number in 0..<10 { eve.tell("marvin@xmpp.test", "say \(number) \(long)") }
            try await wait(for: "them to wait, \(bot.adapter.queuedMessages)") { bot.adapter.queuedMessages > 20 }
            ada.tell("marvin@xmpp.test", "ping")
            try await ada.expect("<body>PONG</body>")
            #expect(bot.adapter.queuedMessages > 0)
        }
    }
}
