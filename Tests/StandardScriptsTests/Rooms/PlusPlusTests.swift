import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct PlusPlusTests {
    let robot = TestRobot(name: "hubot", PlusPlus())

    @Test func `a plus plus is counted`() async throws {
        #expect(await robot.hears("swift++") == [.text("swift now has 1.")])
        #expect(await robot.hears("Swift++") == [.text("swift now has 2.")])
    }
}

extension PlusPlusTests {
    @Test(arguments: [
        "hubot score swift", "hubot score swift?", "@hubot: score swift", "Hubot, SCORE swift", "hubot score for @Swift"
    ])
    func `the score can be asked for`(_ question: String) async throws {
        #expect(await robot.hears(question) == [.reply("swift has 0.")])
        _ = await robot.hears("swift++")
        #expect(await robot.hears(question) == [.reply("swift has 1.")])
    }

    @Test func `points are taken too`() async {
        #expect(await robot.hears("well, Monday-- again") == [.text("monday now has -1.")])
        #expect(await robot.hears(#"“Big  Boss”--"#) == [.text("big boss now has -1.")])
        #expect(await robot.hears(#"hubot score "big boss""#) == [.reply("big boss has -1.")])
    }

    @Test func `reasons are counted too`() async {
        #expect(await robot.hears("swift++ for being fast.") == [.text("swift now has 1 (1 for being fast).")])
        #expect(await robot.hears("swift++") == [.text("swift now has 2.")])
        #expect(await robot.hears("swift++ because Being Fast") == [.text("swift now has 3 (2 for Being Fast).")])
        #expect(await robot.hears("swift-- as slow") == [.text("swift now has 2 (-1 for slow).")])
        #expect(await robot.hears("swift++ thanks to the tests") == [.text("swift now has 3 (1 for the tests).")])
        #expect(
            await robot.hears("hubot score swift")
                == [.reply("swift has 3: 2 for being fast, -1 for slow, 1 for the tests.")])
        // Points given and taken for the same reason cancel out.
        #expect(await robot.hears("swift-- for the tests") == [.text("swift now has 2.")])
        #expect(
            await robot.hears("hubot score swift") == [.reply("swift has 2: 2 for being fast, -1 for slow.")])
    }

    @Test func `several in one message count each`() async {
        #expect(
            await robot.hears("ada++ for the engine and bob++, mondays-- for coming back")
                == [
                    .text("ada now has 1 (1 for the engine).\nbob now has 1."),
                    .text("mondays now has -1 (-1 for coming back).")
                ])
        let seven = await robot.hears("aa++ bb++ cc++ dd-- ee++ ff++ gg--")
        #expect(
            seven == [.text("aa now has 1.\nbb now has 1.\ncc now has 1.\nee now has 1."), .text("dd now has -1.")])
    }

    @Test(arguments: ["alice", "Alice", "@ALICE", #""alice""#])
    func `users can't give themselves points, but may take them`(_ name: String) async {
        #expect(await robot.hears("\(name)++") == [.reply("You can't give points to yourself.")])
        #expect(await robot.hears("hubot score alice") == [.reply("alice has 0.")])
        #expect(
            await robot.hears("bob++ \(name)++")
                == [.text("bob now has 1."), .reply("You can't give points to yourself.")])
        #expect(await robot.hears("\(name)--") == [.text("alice now has -1.")])
    }

    @Test(arguments: ["c++", "I like C++, really", "for (i = 0; i < 9; i++) {}", "run it with --flag", "<!-- no -->"])
    func `similar texts aren't counted`(_ words: String) async {
        #expect(await robot.hears(words) == [])
    }

    @Test func `lists are in order of points, then of names`() async throws {
        let brain = Brain(store: MemoryStore())
        let robot = TestRobot(name: "hubot", brain: brain, PlusPlus())
        #expect(await robot.hears("hubot top") == [.text("Nobody has any points yet.")])
        for (name, points) in [("ada", 3), ("bob", -2), ("eve", 3), ("swift", 7), ("monday", -9)] {
            try await brain.remember(BrainCollection<Int>("plusplus.scores"), name, points)
        }
        #expect(await robot.hears("hubot top 3") == [.text("1. swift: 7\n2. ada: 3\n3. eve: 3")])
        #expect(await robot.hears("hubot bottom 4") == [.text("1. monday: -9\n2. bob: -2\n3. ada: 3\n4. eve: 3")])
        for number in 1...300 { try await brain.remember(BrainCollection<Int>("plusplus.scores"), "n\(number)", 0) }
        for (words, lines) in [("top", 10), ("bottom", 10), ("top 25", 25), ("top 1", 1)] {
            #expect(await robot.hears("hubot \(words)")[0].content.split(separator: "\n").count == lines)
        }
        for words in ["top 0", "bottom 26", "top 99999999999999999999"] {
            #expect(await robot.hears("hubot \(words)") == [.reply("I can list 1 to 25 names.")])
        }
        #expect(await robot.hears("hubot top secret") == [])
    }

    @Test func `admins can erase a name or a reason`() async {
        let robot = TestRobot(name: "hubot", admins: ["root"], PlusPlus())
        _ = await robot.hears(#""big boss"++ for being fast"#)
        _ = await robot.hears(#""big boss"++ for the tests"#)
        #expect(await robot.hears(#"hubot erase "big boss""#) == [.reply("Only my admins may use that.")])
        #expect(
            await robot.hears(#"hubot erase "Big Boss" for Being fast"#, from: "root")
                == [.reply("I've forgotten the reason \"Being fast\"; big boss keeps the points.")])
        #expect(
            await robot.hears(#"hubot erase "big boss" for being fast"#, from: "root")
                == [.reply("big boss has no points for being fast.")])
        #expect(await robot.hears("hubot score big boss") == [.reply("big boss has 2: 1 for the tests.")])
        #expect(
            await robot.hears("hubot erase (big boss)", from: "root") == [
                .reply("I've erased the score of big boss, which was 2.")
            ])
        #expect(await robot.hears("hubot score big boss") == [.reply("big boss has 0.")])
        #expect(await robot.hears("hubot erase swift", from: "root") == [.reply("swift has no points.")])
    }

    @Test func `a score that can't grow stays as it is`() async throws {
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        let robot = TestRobot(name: "hubot", brain: brain, PlusPlus())
        try await brain.remember(BrainCollection<Int>("plusplus.scores"), "swift", .max)
        try await brain.remember(
            BrainCollection<[String: Int]>("plusplus.reasons"), "swift", ["speed": .max, "size": .min])
        #expect(
            await robot.hears("swift++ for speed")
                == [.text("swift now has \(Int.max) (\(Int.max) for speed).")])
        try await brain.remember(BrainCollection<Int>("plusplus.scores"), "swift", .min)
        #expect(
            await robot.hears("swift-- for size") == [.text("swift now has \(Int.min) (\(Int.min) for size).")])
        #expect(await robot.hears("hubot score swift").count == 1)
    }

    @Test func `at most fifty reasons are kept, those that count most`() async throws {
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        let robot = TestRobot(name: "hubot", brain: brain, PlusPlus())
        let kept = Dictionary(uniqueKeysWithValues: (1...50).map { ("reason \($0)", $0 - 60) })
        try await brain.remember(BrainCollection<[String: Int]>("plusplus.reasons"), "swift", kept)
        #expect(await robot.hears("swift++ for speed") == [.text("swift now has 1 (1 for speed).")])
        let reasons = try await brain.recall(BrainCollection<[String: Int]>("plusplus.reasons"), "swift")
        #expect(reasons?.count == 50)
        #expect(reasons?["speed"] == 1 && reasons?["reason 50"] == nil)
    }

    @Test func `long names and reasons are bounded`() async {
        let long = String(repeating: "x", count: 101)
        #expect(await robot.hears("\(long)++") == [])
        #expect(await robot.hears("\"\(long)\"++") == [])
        #expect(
            await robot.hears("swift++ for \(long)")
                == [.text("swift now has 1 (1 for \(String(repeating: "x", count: 99))…).")])
        #expect(await robot.hears("hubot score \(long)")[0].content.count < 120)
        #expect(await robot.hears(String(repeating: "\"(", count: 50_000) + "++").count == 0)
    }

    @Test func `a name is the same however its accents are typed`() async {
        #expect(await robot.hears("caf\u{E9}++") == [.text("caf\u{E9} now has 1.")])
        let decomposed = await robot.hears("cafe\u{301}++").map { Array($0.content.utf8) }
        #expect(decomposed == [Array("caf\u{E9} now has 2.".utf8)])
        #expect(await robot.hears("hubot score CAFE\u{301}") == [.reply("caf\u{E9} has 2.")])
        #expect(await robot.hears("hubot top") == [.text("1. caf\u{E9}: 2")])
    }

    @Test func `a single long character isn't a name`() async {
        let long = "a" + String(repeating: "\u{200D}\u{FE0F}", count: 300)
        #expect(await robot.hears("\(long)++") == [])
        #expect(await robot.hears("hubot score \(long)") == [.reply("A name has at most 100 characters.")])
        #expect(await robot.hears("hubot top") == [.text("Nobody has any points yet.")])
    }

    @Test(arguments: [
        ("swift ++", "swift now has 1."), ("hubot: swift ++", "swift now has 1."), ("@swift: ++", "swift now has 1."),
        ("swift ++ for speed", "swift now has 1 (1 for speed)."), ("swift —", "swift now has -1."),
        ("swift—", "swift now has -1."), ("swift --", "swift now has -1."),
        ("swift— for the wait", "swift now has -1 (-1 for the wait)."),
        ("\"bob and ada\"++", "bob and ada now have 1."), ("(bob and ada) ++", "bob and ada now have 1.")
    ])
    func `a space and a phone's dash are understood`(_ said: String, _ answer: String) async {
        #expect(await robot.hears(said) == [.text(answer)])
    }

    @Test func `synonyms work`() async {
        _ = await robot.hears("swift++")
        _ = await robot.hears("rust--")
        #expect(await robot.hears("hubot karma swift") == [.reply("swift has 1.")])
        #expect(await robot.hears("hubot karma for swift?") == [.reply("swift has 1.")])
        for words in ["karma best 1", "karma top 1", "best 1", "score top 1"] {
            #expect(await robot.hears("hubot \(words)") == [.text("1. swift: 1")])
        }
        for words in ["karma worst 1", "karma bottom 1", "worst 1"] {
            #expect(await robot.hears("hubot \(words)") == [.text("1. rust: -1")])
        }
    }
}
