import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

/// The commands for rotas.
///
/// The clock begins on Monday, 1 January 2001, at 0:00 UTC.
@Suite(.timeLimit(.minutes(15))) struct OnCallTests {
    private let robot = TestRobot(
        name: "hubot", admins: ["root"], settings: ["TIME_ZONE": "UTC"], Clock(), Descriptions(), Diagnostics(),
        OnCall())

    private func says(_ text: String, from user: String = "root", in room: String = "#test") async -> [String] {
        await robot.hears("hubot \(text)", from: user, in: room).map(\.content)
    }

    /// The robot knows those who talked with it.
    private func makeRota(_ definition: String = "ada, grace weekly from monday 9:00") async -> [String] {
        for name in ["ada", "grace", "bob"] { _ = await says("ping", from: name) }
        return await says("on call rota ops: \(definition)")
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test func `a rota says who is on call`() async {
        #expect(
            await makeRota() == ["ada is on call for ops until Monday, 8 January at 09:00 (UTC), then grace."])
        let sentence = ["ada is on call for ops until Monday, 8 January at 09:00 (UTC), then grace."]
        for question in ["who is on call", "who's on call?", "who’s oncall for ops", "who is on-call now for OPS??"] {
            #expect(await says(question, from: "bob") == sentence)
        }
        robot.clock.advance(by: .hours(7 * 24 + 9))
        #expect(
            await says("who is on call?")
                == ["grace is on call for ops until Monday, 15 January at 09:00 (UTC), then ada."])
    }

    @Test func `rotas are listed and shown`() async {
        #expect(await says("who is on call")[0].hasPrefix("There is no rota yet."))
        #expect(await says("on call rotas")[0].hasPrefix("There is no rota yet."))
        _ = await makeRota()
        _ = await says("on call rota db: bob, ada every 2 weeks at 18:00")
        #expect(await says("on call rotas") == ["db: bob, ada\nops: ada, grace"])
        #expect(
            await says("who is on call") == [
                "bob is on call for db until Monday, 15 January at 18:00 (UTC), then ada.\n"
                    + "ada is on call for ops until Monday, 8 January at 09:00 (UTC), then grace."
            ])
        #expect(
            await says("on call rota db") == [
                """
                db: bob, ada; handover every 2 weeks at 18:00.
                bob until Monday, 15 January at 18:00 (UTC)
                ada until Monday, 29 January at 18:00 (UTC)
                bob until Monday, 12 February at 18:00 (UTC)
                ada until Monday, 26 February at 18:00 (UTC)
                bob until Monday, 12 March at 18:00 (UTC)
                """
            ])
        #expect(await says("on call rota web") == ["There is no rota web. I have: db, ops."])
        #expect(await says("swap ada and bob") == ["Which rota? I have: db, ops."])
    }

    @Test func `only admins make and change rotas`() async {
        _ = await makeRota()
        for command in [
            "on call rota ops: mallory daily", "remove on call rota ops", "add mallory to on call rota ops",
            "remove ada from on call rota ops"
        ] {
            #expect(await says(command, from: "mallory") == ["Only my admins may use that."])
        }
        #expect(await says("on call rotas") == ["ops: ada, grace"])
    }

    @Test func `a rota needs people whom the robot knows, once each, and a turn`() async {
        #expect(await makeRota("ada, ada weekly") == ["ada is in that list twice."])
        #expect(
            await makeRota("ada, zoe weekly")
                == ["I don't know anyone called zoe."])
        // The beginning of a name isn't enough.
        #expect(await makeRota("ad weekly") == ["I don't know anyone called ad."])
        #expect(await makeRota("ada, grace")[0].hasPrefix("Name the people and how long a turn lasts"))
        #expect(await makeRota("test:zoe daily") == ["zoe is on call for ops."])
    }

    @Test func `people are added and removed, and a rota too`() async {
        _ = await makeRota()
        #expect(
            await says("add @bob to on call rota ops") == [
                "bob is in ops now. ada is on call for ops until Monday, 8 January at 09:00 (UTC), then grace."
            ])
        #expect(await says("add bob to on call rota ops") == ["bob is in that rota."])
        #expect(
            await says("remove ada from the on-call rota ops") == [
                "ada isn't in ops any more. grace is on call for ops until Monday, 8 January at 09:00 (UTC), then bob."
            ])
        #expect(await says("remove ada from on call rota ops") == ["ada isn't in that rota."])
        #expect(
            await says("remove on call rota ops")
                == ["I've removed the rota ops. Pages that are open go on until someone acks them."])
        #expect(await says("who is on call")[0].hasPrefix("There is no rota yet."))
    }

    @Test func `the handover is at a time of the room's zone`() async {
        _ = await says("set the room's timezone to Asia/Tokyo")
        #expect(
            await makeRota() == ["ada is on call for ops until Monday, 8 January at 09:00 (JST), then grace."])
        // It is the same in another room, and for a user with another time zone.
        _ = await says("set my timezone to America/New_York", from: "bob")
        #expect(
            await says("who is on call", from: "bob", in: "#dev")
                == ["ada is on call for ops until Monday, 8 January at 09:00 (JST), then grace."])
        robot.clock.advance(by: .hours(7 * 24))
        #expect(await says("who is on call")[0].hasPrefix("grace is on call"))
    }

    @Test func `someone is on call out of turn, and the rota goes on after that`() async {
        _ = await makeRota()
        #expect(
            await says("bob is on call for ops until friday", from: "ada")
                == ["OK. bob is on call for ops until Friday, 5 January at 09:00 (UTC), then ada."])
        #expect(
            await says("who is bob") == ["I don't know anything about bob yet."], "it isn't a description of bob")
        #expect(
            await says("bob isn't on call", from: "grace")
                == ["OK. ada is on call for ops until Monday, 8 January at 09:00 (UTC), then grace."])
        #expect(await says("bob is not on call for ops", from: "ada") == ["bob isn't on call out of turn."])
        #expect(
            await says("I'm on call for 2 hours", from: "grace")
                == ["OK. grace is on call for ops until Monday, 1 January at 02:00 (UTC), then ada."])
        #expect(
            await says("grace is on call from wednesday until thursday 18:00")
                == [
                    "OK. grace is on call for ops from Wednesday, 3 January at 09:00 (UTC) "
                        + "until Thursday, 4 January at 18:00 (UTC)."
                ])
        #expect(
            await says("ada is on call")
                == ["Until when? Say it as in: ada is on call for ops until friday 9:00"])
    }

    @Test func `only the people of a rota and admins change who is on call`() async {
        _ = await makeRota()
        for command in [
            "bob is on call for ops until friday", "ada is no longer on call for ops", "swap ada and grace in ops"
        ] {
            #expect(
                await says(command, from: "bob")
                    == ["Only the people of ops and my admins may change who is on call."])
        }
        #expect(await says("bob is on call until friday")[0].hasPrefix("OK. bob is on call"))
        // An exception doesn't make bob a member.
        #expect(await says("ada is on call until friday", from: "bob")[0].hasPrefix("Only the people of ops"))
    }

    @Test func `two people swap`() async {
        _ = await makeRota()
        #expect(
            await says("swap me with grace in ops", from: "ada") == [
                "OK. ops: grace until Monday, 8 January at 09:00 (UTC), ada until Monday, 15 January at 09:00 (UTC)."
            ])
        #expect(
            await says("who is on call?")
                == ["grace is on call for ops until Monday, 8 January at 09:00 (UTC), then ada."])
        #expect(await says("swap ada and bob") == ["bob has no shift to swap."])
    }

    @Test func `without the script, who is on call is a question like any other`() async {
        let robot = TestRobot(name: "hubot", Diagnostics(), Descriptions())
        #expect(await robot.hears("hubot who is on call") == [])
    }

    @Test func `there can't be too many rotas`() async {
        _ = await makeRota()
        for number in 1..<50 { #expect(await says("on call rota r\(number): ada daily").count == 1) }
        #expect(await says("on call rota more: ada daily") == ["I can keep at most 50 rotas."])
        #expect(await says("on call rota ops: grace daily") == ["grace is on call for ops."])
    }
}
