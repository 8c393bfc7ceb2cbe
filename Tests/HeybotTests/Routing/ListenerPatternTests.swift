import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

/// Patterns that are kept as text until a message needs their regex.
@Suite struct ListenerPatternTests {
    private func make<Output>(_ regex: sending Regex<Output>) -> ListenerPattern<Output> {
        ListenerPattern(regex, caseSensitive: false, in: RecentRegexes())
    }

    private func make(texts: [String], in recent: RecentRegexes) throws -> [ListenerPattern<Substring>] {
        try texts.map { try ListenerPattern<Substring>(text: $0, caseSensitive: false, in: recent) }
    }

    private func problems(_ script: any Script) -> [String] {
        let robot = Robot(adapters: [ManualAdapter()], brain: Brain(store: MemoryStore()), scripts: [script])
        do {
            try robot.check()
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    @Test func `a literal has no regex until a text is matched, and then the captures that it had`() throws {
        let pattern = make(/deploy (?<app>\w+)(?: to (\w+))?/)
        #expect(pattern.text == #"deploy (?<app>\w+)(?: to (\w+))?"#)
        #expect(!pattern.hasRegex)
        let match = try pattern.search("please DEPLOY shop to production")
        #expect(match?.app == "shop")
        #expect(match?.2 == "production")
        #expect(pattern.hasRegex)
        #expect(try pattern.prefix("deploy shop")?.app == "shop")
        #expect(try pattern.prefix("please deploy shop")?.app == nil)
    }

    @Test func `literals with captures of all kinds are kept as text`() {
        #expect(!make(/a/).hasRegex)
        #expect(!make(/(a)/).hasRegex)
        #expect(!make(/(a)|(b)/).hasRegex)
        #expect(!make(/(?<x>a)(b)?(c)*/).hasRegex)
        #expect(!make(/(?:x(a)(b))?(c){2}(d)/).hasRegex)
    }

    @Test func `options of a pattern made again are those it was registered with`() throws {
        let recent = RecentRegexes(limit: 1)
        let sensitive = ListenerPattern(/\bDon\b/, caseSensitive: true, in: recent)
        let insensitive = ListenerPattern(/\bDon\b/, caseSensitive: false, in: recent)
        for _ in 0..<3 {
            #expect(try sensitive.search("don't") == nil)
            #expect(try sensitive.search("Don't") == "Don")
            #expect(try insensitive.search("don't") == "don")
        }
    }

    @Test func `a regex whose text isn't plain is kept`() throws {
        let options = make(/a.b/.dotMatchesNewlines())
        #expect(options.hasRegex)
        #expect(try options.search("a\nb") == "a\nb")
        #expect(make(/(a)\1/).hasRegex)
        #expect(make(/┻━┻/).hasRegex)
        #expect(try make(/(a)\1/).search("xaa")?.0 == "aa")
    }

    @Test func `only the patterns that were needed last keep their regexes`() throws {
        let patterns = try make(texts: ["a+", "b+", "c+"], in: RecentRegexes(limit: 2))
        for pattern in patterns { #expect(try pattern.search("xaabbcc") != nil) }
        #expect(patterns.map(\.hasRegex) == [false, true, true])
        #expect(try patterns[0].search("xaa") == "aa")
        #expect(patterns.map(\.hasRegex) == [true, false, true])
        #expect(try patterns[1].search("xbb") == "bb")
        #expect(patterns.map(\.hasRegex) == [true, true, false])
    }

    @Test func `a pattern that every message needs keeps its regex`() throws {
        let patterns = try make(texts: [".*", "a+", "b+"], in: RecentRegexes(limit: 1))
        #expect(patterns.map(\.hasRegex) == [false, false, false])
        for pattern in patterns { #expect(try pattern.search("ab") != nil) }
        #expect(patterns.map(\.hasRegex) == [true, false, true])
    }

    @Test func `patterns of replaced scripts are freed with their regexes`() throws {
        let recent = RecentRegexes()
        weak var freed: ListenerPattern<Substring>?
        do {
            let pattern = try ListenerPattern<Substring>(text: "a+", caseSensitive: false, in: recent)
            #expect(try pattern.search("aa") == "aa")
            freed = pattern
        }
        #expect(freed == nil)
    }

    @Test func `tasks that match at the same time find the same`() async throws {
        let words = (0..<20).map { "word\($0)x" }
        let patterns = try make(texts: words, in: RecentRegexes(limit: 3))
        let text = words.joined(separator: " ")
        let results = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<10).flatMap { _ in
                        patterns.map { pattern -> String in
                            let found = try? pattern.search(text)
                            return found.map { String($0) } ?? "nil"
                        }
                    }
                }
            }
            var results: [[String]] = []
            for await result in group { results.append(result) }
            return results
        }
        let expected = (0..<10).flatMap { _ in words }
        #expect(results.count == 8)
        #expect(results.allSatisfy { $0 == expected })
        #expect(patterns.count { $0.hasRegex } == 3)
    }

    @Test func `patterns given as text match like regexes`() async {
        let robot = TestRobot(
            InlineScript { robot in
                robot.hear(pattern: #"deploy (\w+)( now)?"#, as: (Substring, Substring, Substring?).self) { res in
                    try await res.send("\(res.match.1), \(res.match.2 == nil ? "later" : "now")")
                }
                robot.respond(pattern: "Ship", as: Substring.self, caseSensitive: true) { try await $0.send("shipped") }
                robot.hear(pattern: "┻━┻", as: Substring.self) { try await $0.send("calm down") }
            })
        #expect(await robot.hears("please DEPLOY shop now") == [.text("shop, now")])
        #expect(await robot.hears("deploy shop") == [.text("shop, later")])
        #expect(await robot.hears("heybot Ship it") == [.text("shipped")])
        #expect(await robot.hears("heybot ship it") == [])
        #expect(await robot.hears("Ship it") == [])
        #expect(await robot.hears("(╯°□°)╯ ┻━┻") == [.text("calm down")])
        #expect(robot.robot.listeners.map(\.pattern) == [#"deploy (\w+)( now)?"#, "Ship", "┻━┻"])
    }

    @Test func `a literal whose text is known is evaluated when a message needs it`() throws {
        let evaluations = Mutex(0)
        let pattern = ListenerPattern(
            literal: "deploy (\\w+)",
            {
                evaluations.withLock { $0 += 1 }
                return /deploy (\w+)/
            }, caseSensitive: false, in: RecentRegexes())
        #expect(pattern.text == "deploy (\\w+)")
        #expect(!pattern.requirements.isEmpty)
        #expect(evaluations.withLock { $0 } == 0)
        #expect(try pattern.search("please DEPLOY shop")?.1 == "shop")
        #expect(try pattern.search("please deploy shop")?.1 == "shop")
        #expect(evaluations.withLock { $0 } == 1)
    }

    @Test func `a script's literals whose texts are known are evaluated when a message needs them`() async {
        let script = KnownTexts()
        let robot = TestRobot(script)
        #expect(robot.robot.listeners.map(\.pattern) == ["ship (it|that)", "sail (home)"])
        #expect(script.evaluations.withLock { $0 } == ["sail"])
        #expect(await robot.hears("heybot ship that") == [.text("that")])
        #expect(await robot.hears("heybot sail home") == [.text("home")])
        #expect(script.evaluations.withLock { $0 } == ["sail", "ship"])
    }

    @Test func `a text that isn't a pattern with the output is rejected at start, with its script and line`() throws {
        let line = #line + 3
        let problems = self.problems(
            InlineScript("Texts") {
                $0.hear(pattern: "(a", as: Substring.self) { _ in }
                $0.respond(pattern: "^*", as: Substring.self) { _ in }
                $0.hear(pattern: "(a)", as: Substring.self) { _ in }
                $0.hear(pattern: "(a)", as: (Substring, Substring).self) { _ in }
                $0.hear(pattern: #"^(\w+\s?)*$"#, as: (Substring, Substring?).self) { _ in }
                $0.hear(pattern: #"^(\w+\s?)*$"#, as: (Substring, Substring?).self, unchecked: true) { _ in }
            })
        #expect(problems.count == 4)
        for (number, problem) in problems.prefix(3).enumerated() {
            #expect(problem.hasPrefix("the script Texts has an invalid pattern"))
            #expect(problem.contains("ListenerPatternTests.swift:\(line + number)"))
        }
        #expect(problems.last?.contains("prone to catastrophic backtracking") == true)
        #expect(problems.last?.contains("ListenerPatternTests.swift:\(line + 4)") == true)
    }
}

/// A script with two literals, of which the text of the first is known.
private final class KnownTexts: Script {
    private static let line = #line + 6

    /// The literals that have been evaluated.
    let evaluations = Mutex<[String]>([])

    func register(on robot: inout RobotBuilder) {
        robot.respond(self.evaluate("ship", /ship (it|that)/)) { try await $0.send("\($0.match.1)") }
        robot.respond(self.evaluate("sail", /sail (home)/)) { try await $0.send("\($0.match.1)") }
    }

    var patternTexts: [String: String] { ["HeybotTests/ListenerPatternTests.swift:\(Self.line):22": "ship (it|that)"] }

    private func evaluate<Output>(_ name: String, _ regex: sending Regex<Output>) -> sending Regex<Output> {
        evaluations.withLock { $0.append(name) }
        return regex
    }

    @Test(arguments: [
        "ping", "ping$", "^ping$", "^Ping", "Ping me$", "a1 b", "sink$", "ping ?", "p.ng$", "ping|pong", "pi[n]g",
        "ping\\$", "$", "^"
    ])
    func `a text that is the whole pattern is matched as by the regex`(_ pattern: String) throws {
        var generator = SeededGenerator(seed: 29)
        let parts = [
            "ping", "Ping", "PING", "pong", " ", "me", "ME", "a1", "A1", "b", "$", "^", "sin", "SIN", "k", "K",
            "\u{212a}", "\u{17f}in",
            "\n", "\r\n", "\u{301}", "\u{200d}", "ı", "é", ""
        ]
        for isCaseSensitive in [false, true] {
            let listener = try ListenerPattern<Substring>(
                text: pattern, caseSensitive: isCaseSensitive, in: RecentRegexes())
            let regex = try Regex(pattern, as: Substring.self)
            let oracle = (isCaseSensitive ? regex : regex.ignoresCase()).wordBoundaryKind(.simple)
            for _ in 0..<2_000 {
                let text =
                    "> "
                    + (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                        parts.randomElement(using: &generator) ?? ""
                    }.joined()
                let words = text.dropFirst(2)
                let (found, expected) = (try listener.prefix(words), try oracle.prefixMatch(in: words)?.output)
                #expect(found == expected && found?.endIndex == expected?.endIndex, "\(text.debugDescription)")
            }
        }
    }
}
