import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite struct ShipItTests {
    let robot = TestRobot(name: "hubot", ShipIt())

    @Test(arguments: [
        "ship it", "Shipit!", "we shipped it", "who ships it?", "shipping it now", "shipz it", "ok, ship   it"
    ])
    func `the squirrel has something to say`(_ words: String) async throws {
        let answer = await robot.hears(words)
        #expect(answer.count == 1)
        #expect(WordLists.shipIt.contains(try #require(answer.first).content))
    }

    @Test(arguments: ["ship", "shipment it", "worship it", "ship its parts", "a ship and it"])
    func `other texts are ignored`(_ words: String) async {
        #expect(await robot.hears(words) == [])
    }

    @Test func `it rests for a minute, room by room`() async {
        #expect(await robot.hears("ship it", in: "#dev").count == 1)
        #expect(await robot.hears("ship it", in: "#dev") == [])
        #expect(await robot.hears("ship it", from: "bob", in: "#dev") == [])
        #expect(await robot.hears("ship it", in: "#ops").count == 1)
        _ = await robot.advance(by: .minutes(1))
        #expect(WordLists.shipIt.contains(await robot.hears("ship it", in: "#dev").map(\.content).joined()))
    }

    @Test func `every line has a squirrel`() {
        #expect(WordLists.shipIt.allSatisfy { $0.hasPrefix("🐿 ") })
    }
}
