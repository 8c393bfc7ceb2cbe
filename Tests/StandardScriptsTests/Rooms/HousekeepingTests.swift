import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite(.timeLimit(.minutes(15))) struct HousekeepingTests {
    let robot = TestRobot(
        name: "hubot", admins: ["root"], settings: ["TIME_ZONE": "UTC"], Diagnostics(), PlusPlus(), Say(), Storage())

    @Test func `an admin can list the brain's content`() async {
        #expect(await robot.hears("hubot show storage") == [.reply("Only my admins may use that.")])
        #expect(await robot.hears("hubot show storage", from: "root") == [.reply("Ask me that in private.")])
        #expect(await robot.hears("hubot show storage", from: "root", in: "root") == [.text("My brain is empty.")])
        _ = await robot.hears("swift++")
        #expect(
            await robot.hears("hubot show storage", from: "root", in: "root") == [.text("plusplus.scores (1 entry)")])
        #expect(await robot.hears("hubot show storage plusplus.scores", from: "root", in: "root") == [.text("swift")])
        #expect(await robot.hears("hubot show storage plusplus.scores swift", from: "root", in: "root") == [.text("1")])
        #expect(
            await robot.hears("hubot show storage plusplus.scores rust", from: "root", in: "root")
                == [.reply("My brain has nothing named plusplus.scores rust.")])
        #expect(
            await robot.hears("hubot show storage nothing", from: "root", in: "root") == [
                .reply("My brain has nothing named nothing.")
            ])
    }

    @Test func `of many keys some are shown`() async {
        for number in 0..<60 { _ = await robot.hears("name\(number)++") }
        let shown = await robot.hears("hubot show storage plusplus.scores", from: "root", in: "root").map(\.content)
            .joined()
        #expect(shown.split(separator: "\n").count == 51)
        #expect(shown.hasSuffix("\n… and more"))
    }

    @Test func `a long value is cut`() async throws {
        _ = await robot.hears("swift++ for \(String(repeating: "x", count: 90))")
        for number in 0..<40 { _ = await robot.hears("swift++ for \(number)\(String(repeating: "x", count: 90))") }
        let shown = await robot.hears("hubot show storage plusplus.reasons swift", from: "root", in: "root")
        #expect(shown.map(\.content.count) == [2_000])
    }

    @Test func `an admin sees whom it knows`() async throws {
        _ = await robot.hears("hubot ping", from: "ada")
        let ada = try #require(
            await robot.robot.users(named: "ada", in: Room(id: .init(adapter: "test", value: "#test"))).first)
        try await robot.robot.set(role: "deployer", of: ada, to: true)
        try await robot.robot.ignore(ada)
        #expect(
            await robot.hears("hubot show users", from: "root", in: "root")
                == [.text("test:ada ada (deployer, ignored)\ntest:root root (admin)")])
        #expect(await robot.hears("hubot show users") == [.reply("Only my admins may use that.")])
        #expect(await robot.hears("hubot show users", from: "root") == [.reply("Ask me that in private.")])
    }

    @Test func `an admin has it say something elsewhere`() async {
        #expect(await robot.hears("hubot say in #dev hi") == [.reply("Only my admins may use that.")])
        #expect(await robot.hears("hubot say in #dev it's\nlate", from: "root") == [.reply("Said in #dev.")])
        #expect(robot.said(in: "#dev") == [.text("it's\nlate")])
        #expect(await robot.hears("hubot say in test:#test hi", from: "root") == [.text("hi")])
        #expect(await robot.hears("hubot say in here hi", from: "root") == [.text("hi")])
    }

    @Test func `a failed message isn't confirmed`() async throws {
        let irc = MembershipReportingAdapter(hearing: ["say in #ops hi", "say in #dev hi"])
        let robot = Robot(
            name: "hubot", adapters: [irc], brain: Brain(store: MemoryStore()), scripts: [Say()],
            admins: ["irc:root"])
        async let running: Void = robot.run()
        while irc.answers.count < 2 { await Task.yield() }
        #expect(irc.answers == ["I'm not in #ops, so I can't say it there.", "Said in #dev."])
        #expect(irc.said.filter { $0 != "root" } == ["#dev"])
        robot.stop()
        try await running
    }

    @Test func `it tells how long it has been up, and where`() async {
        #expect(
            await robot.hears("hubot uptime")
                == [.text("I've just started.")])
        _ = await robot.advance(by: .seconds(61))
        #expect(
            await robot.hears("hubot uptime").map(\.content)
                == ["I've been up for 1 minute and 1 second, since 00:00."])
        _ = await robot.advance(by: .hours(49))
        #expect(
            await robot.hears("hubot uptime").map(\.content)
                == ["I've been up for 2 days and 1 hour, since Monday at 00:00."])
        let adapters = await robot.hears("hubot adapters").map(\.content)
        #expect(adapters.count == 1 && adapters[0].hasPrefix("test, up since "))
    }
}
