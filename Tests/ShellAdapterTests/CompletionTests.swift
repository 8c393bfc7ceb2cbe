import Testing

@testable import ShellAdapter

@Suite struct CompletionTests {
    private static let usages = [
        "help", "help <query>", "score <name>", "scores", "list todos", "list topics", "<name>++", "pug me",
        "pug bomb <n>",
        "say [loudly] <text>", "Über uns", "die|stop", "exit", "history"
    ]

    private func complete(_ text: String) -> Completion {
        Completion.of(text, usages: Self.usages, robotName: "Heybot")
    }

    @Test(
        arguments: [
            ("sc", "score"), ("score", nil), ("scores", nil), ("li", "list to"), ("list tod", "list todos"),
            ("pug", "pug "),
            ("pug b", "pug bomb "), ("SAY", nil), ("sa", "say"), ("üb", "Über uns"), ("d", "die"),
            ("heybot li", "list to"),
            ("heybot: pug b", "pug bomb "), ("Heybot, li", "list to"), ("@heybot li", "list to"), ("  li", "list to"),
            ("ex", "exit"), ("h", nil), ("he", "help"), ("help", nil), ("zzz", nil), ("score a", nil), ("heybotli", nil)
        ] as [(String, String?)])
    func `input is completed as far as it is unambiguous`(_ text: String, _ completed: String?) {
        var line = text
        if case .replacement(let count, let words) = complete(text) { line = text.dropLast(count) + words }
        let name = text.prefix { $0 != " " }.lowercased().contains("heybot") ? text.prefix { $0 != " " } + " " : ""
        let indent = text.prefix { $0 == " " }
        #expect(line == completed.map { name + indent + $0 } ?? text)
    }

    @Test func `arguments are completed from known choices`() {
        func complete(_ text: String) -> Completion {
            let usages = Completion.expanded(
                ["help", "help <words>", "disable <script>", "disable <script> in <room>", "score <name>"],
                choices: ["script": ["Rules", "Roles", "Weather"]], text: text, robotName: "Heybot")
            return Completion.of(text, usages: usages, robotName: "Heybot")
        }
        #expect(complete("disable Ru") == .replacement(last: 10, "disable Rules"))
        #expect(complete("heybot disable w") == .replacement(last: 9, "disable Weather"))
        #expect(complete("disable R") == .choices(["disable Roles", "disable Rules"]))
        #expect(complete("help sc") == .replacement(last: 7, "help score"))
        #expect(complete("help ") == .choices(["help disable", "help help", "help score"]))
        // Only then: at an empty prompt, the commands alone are listed.
        #expect(complete("") == .choices(["disable", "help", "score"]))
        #expect(complete("heybot ") == .choices(["disable", "help", "score"]))
    }

    @Test func `ambiguous input shows the choices`() {
        #expect(complete("score") == .choices(["score", "scores"]))
        #expect(complete("list to") == .choices(["list todos", "list topics"]))
        #expect(complete("h") == .choices(["help", "history"]))
        #expect(complete("x") == .none)
        #expect(complete("exit") == .none)
        guard case .choices(let all) = complete("") else { return #expect(Bool(false)) }
        #expect(all.count == 12)
        #expect(!all.contains(""))
    }

    @Test func `choices are shown in columns, up to a limit`() {
        #expect(Completion.columns(["a", "bb", "日本", "d"], width: 13) == "a     日本\nbb    d")
        #expect(Completion.columns(["a", "b", "c"], width: 1) == "a\nb\nc")
        #expect(Completion.columns(["a", "b", "c"], width: 80) == "a  b  c")
        #expect(Completion.columns((1...5).map { "\($0)" }, width: 80, limit: 3) == "1  2  3\nand 2 more")
        #expect(Completion.columns([], width: 80) == "")
    }
}
