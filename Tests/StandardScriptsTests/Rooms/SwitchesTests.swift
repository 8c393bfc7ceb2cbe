import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct SwitchesTests {
    let brain = Brain(store: MemoryStore())
    let robot: TestRobot

    init() {
        robot = TestRobot(
            name: "hubot", admins: ["root"], brain: brain, switches: DisabledScripts(off: ["Rules"]), Switches(),
            Diagnostics(), PlusPlus(), Rules())
    }

    private func admin(_ text: String, in room: String = "#test") async -> [Utterance] {
        await robot.hears("hubot " + text, from: "root", in: room)
    }

    @Test func `a script can be disabled and enabled everywhere`() async {
        #expect(await admin("disable diagnostics") == [.reply("Diagnostics is disabled everywhere.")])
        #expect(await robot.hears("hubot ping") == [])
        #expect(await admin("enable Diagnostics") == [.reply("Diagnostics is enabled everywhere.")])
        #expect(await robot.hears("hubot ping") == [.text("PONG")])
    }

    @Test func `or in one room`() async {
        #expect(await admin("disable Diagnostics in #dev") == [.reply("Diagnostics is disabled in #dev.")])
        #expect(await admin("disable PlusPlus in here", in: "#dev") == [.reply("PlusPlus is disabled in #dev.")])
        #expect(await robot.hears("hubot ping") == [.text("PONG")])
        #expect(await robot.hears("hubot ping", in: "#dev") == [])
        #expect(await robot.hears("swift++", in: "#dev") == [])
        #expect(await admin("enable Diagnostics in test:#dev") == [.reply("Diagnostics is enabled in #dev.")])
        #expect(await robot.hears("hubot ping", in: "#dev") == [.text("PONG")])
        // On everywhere is on in every room.
        #expect(await admin("enable PlusPlus") == [.reply("PlusPlus is enabled everywhere.")])
        #expect(await robot.hears("swift++", in: "#dev") == [.text("swift now has 1.")])
    }

    @Test func `the list shows which scripts are disabled, and where`() async {
        _ = await admin("disable Diagnostics in #dev")
        _ = await admin("disable PlusPlus")
        #expect(
            await robot.hears("hubot scripts") == [
                .text("Switches, Diagnostics (off in test:#dev), PlusPlus (off), Rules (off)")
            ])
    }

    @Test func `an impossible request is refused with a reason`() async {
        #expect(await robot.hears("hubot disable Rules") == [.reply("Only my admins may use that.")])
        #expect(
            await admin("disable Ruels")
                == [.reply("I have no script called Ruels. To list all, say \"scripts\".")])
        #expect(await admin("disable Switches") == [.reply("I can't disable Switches: nobody could enable it again.")])
        #expect(
            await admin("enable Rules")
                == [.reply("Rules is disabled by my settings, and only the settings can enable it.")])
        _ = await admin("disable PlusPlus")
        #expect(
            await admin("enable PlusPlus in #dev")
                == [.reply("PlusPlus is disabled everywhere. Say \"enable PlusPlus\" first.")])
    }

    @Test func `a script that the settings disable in a room stays disabled there, and that is reported`() async {
        let robot = TestRobot(
            name: "hubot", admins: ["root"], switches: DisabledScripts(offInRoom: ["#dev": ["PlusPlus"]]), Switches(),
            PlusPlus())
        #expect(
            await robot.hears("hubot enable PlusPlus in here", from: "root", in: "#dev")
                == [.reply("PlusPlus is disabled in test:#dev by my settings, and only the settings can enable it.")])
        #expect(
            await robot.hears("hubot enable PlusPlus", from: "root")
                == [.reply("PlusPlus is enabled everywhere, but my settings disable it in #dev.")])
        #expect(await robot.hears("swift++", in: "#dev") == [])
        #expect(await robot.hears("swift++", in: "#test") == [.text("swift now has 1.")])
    }

    @Test func `it is remembered, and robots with the same brain follow`() async throws {
        let other = TestRobot(name: "other", admins: ["root"], brain: brain, Switches(), Diagnostics())
        #expect(await other.hears("other ping") == [.text("PONG")])
        _ = await admin("disable Diagnostics")
        _ = await other.advance(by: .seconds(31))
        #expect(await other.hears("other ping") == [])
        let later = TestRobot(name: "later", brain: brain, Diagnostics())
        #expect(await later.hears("later ping") == [])
    }
}
