import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite struct TableFlipTests {
    let robot = TestRobot(name: "hubot", TableFlip())
    let back = Utterance.text("┬─┬ノ( º _ ºノ)")

    @Test(arguments: ["(╯°□°)╯︵ ┻━┻", "grr (ノಠ益ಠ)ノ彡┻━┻ grr", "tableflip", "Table flip!", "that deserves a table flip"])
    func `a flipped table is put back`(_ words: String) async {
        #expect(await robot.hears(words) == [back])
    }

    @Test(arguments: ["┬─┬", "a table, flip it", "tables flip", "stableflip", "tableflips", "┻━", "“quoted”"])
    func `other tables are left alone`(_ words: String) async {
        #expect(await robot.hears(words) == [])
    }

    @Test func `it rests for a minute, room by room`() async {
        for words in ["┻━┻", "tableflip"] {
            #expect(await robot.hears(words, in: "#dev") == [back])
            // It reports the cooldown once, and again if the robot is addressed.
            let rest = [Utterance.reply("Give the table a minute to recover.")]
            #expect(await robot.hears("tableflip ┻━┻", in: "#dev") == rest)
            #expect(await robot.hears("tableflip ┻━┻", in: "#dev") == [])
            #expect(await robot.hears("hubot tableflip", in: "#dev") == rest)
            #expect(await robot.hears(words, in: "#ops") == [back])
            _ = await robot.advance(by: .minutes(1))
        }
        #expect(await robot.hears("tableflip ┻━┻", in: "#dev") == [back])
    }

    @Test(arguments: [
        ("flip swift", "(╯°□°)╯︵ ʇɟıʍs"), ("flip Is it 10, or 96?", "(╯°□°)╯︵ ¿96 ɹo '0⇂ ʇı sI"),
        ("flip coin collectors", "(╯°□°)╯︵ sɹoʇɔǝlloɔ uıoɔ"), ("unflip ʇɟıʍs", "swift ノ( º _ ºノ)"),
        ("unflip swift", "swift ノ( º _ ºノ)"), ("unflip noon", "noon ノ( º _ ºノ)"),
        ("flip 🐿\u{202E}\u{7}é", "(╯°□°)╯︵ é🐿")
    ])
    func `text is turned upside down`(_ words: String, _ answer: String) async {
        #expect(await robot.hears("hubot " + words) == [.text(answer)])
    }

    @Test(arguments: ["flip a coin", "flip coin", "flip the coin", "flip 3 coins", "flip 1 coin", "flip", "backflip x"])
    func `coins are left to others`(_ words: String) async {
        #expect(await robot.hears("hubot " + words) == [])
    }

    @Test(arguments: ["flip a coin", "flip 3 coins", "flip swift"])
    func `between the two, one answers`(_ words: String) async {
        #expect(await TestRobot(name: "hubot", Coin(), TableFlip()).hears("hubot " + words).count == 1)
    }

    @Test func `flipping words has a cooldown too`() async {
        _ = await robot.hears("hubot flip a")
        #expect(await robot.hears("hubot flip b") == [.reply("Not so fast: try that again in 5 s.")])
        #expect(await robot.hears("hubot flip b", from: "bob") == [.text("(╯°□°)╯︵ q")])
    }

    @Test func `long words are cut`() async {
        let answer = await robot.hears("hubot flip \(String(repeating: "x", count: 60_000))").map(\.content).joined()
        #expect(answer == "(╯°□°)╯︵ …" + String(repeating: "x", count: 199))
    }
}

@Suite struct UpsideDownTests {
    @Test func `every character that is turned comes back`() {
        for line in WordLists.turned {
            let pair = line.split(separator: " ")
            #expect(pair.count == 2 && pair.allSatisfy { $0.count == 1 }, "\(line)")
            // Turned once more after a character that is surely upside down.
            #expect(UpsideDownText.upright(UpsideDownText.turned("a" + pair[0])) == "a" + pair[0], "\(line)")
        }
    }
}
