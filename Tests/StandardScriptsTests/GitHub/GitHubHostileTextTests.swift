import Heybot
import HeybotTesting
import StandardScripts
import Testing

/// Hostile text in payloads is harmless in rooms.
@Suite struct GitHubHostileTextTests {
    let robot: TestRobot
    let hook: GitHubHook

    init() {
        robot = TestRobot(settings: ["GITHUB_SECRET": GitHubHook.secret], GitHub())
        hook = GitHubHook(robot: robot)
    }

    /// The title of an issue as it is posted.
    private func title(_ title: String) async throws -> String {
        try await hook.sends("issues", Payload.issue("opened", title: title))
        let line = try #require(robot.lines.last?.utterance.content)
        let start = "[Engine] ada opened issue #3: "
        let end = " https://github.com/Ada/Engine/issues/3"
        #expect(line.hasPrefix(start) && line.hasSuffix(end))
        return String(line.dropFirst(start.count).dropLast(end.count))
    }

    @Test(arguments: [
        ("It's \u{3}04red\u{3} and \u{2}bold\u{f}", "It's 04red and bold"), ("\u{1b}[31mred\u{7}", "[31mred"),
        ("\u{1}ACTION waves\u{1}", "ACTION waves"), ("a\0b\u{7f}\u{9b}c", "abc"),
        ("  too\t \u{a0} many   blanks  ", "too many blanks"),
        ("user\u{202e}txt.exe", "usertxt.exe"), ("\u{2066}a\u{2067}b\u{2068}c\u{2069}\u{200f}\u{61c}d", "abcd"),
        ("zero\u{200b}width\u{feff}\u{2060}\u{ad}", "zerowidth"), ("\u{e0041}\u{3164}\u{115f}\u{fff9}x\u{fffe}", "x"),
        ("👩‍👩‍👧‍👦 ❤️ می‌روم", "👩‍👩‍👧‍👦 ❤️ می‌روم"), ("שלום عالم 世界", "שלום عالم 世界"),
        ("@everyone /quit !die", "@everyone /quit !die"), ("", "(untitled)"),
        ("\u{200d}\u{202e} \u{fe0f}", "(untitled)")
    ])
    func `invisible characters are dropped`(_ text: String, _ said: String) async throws {
        #expect(try await title(text) == said)
    }

    @Test(arguments: ["\n", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}", "\u{b}", "\u{c}"])
    func `no title is more than a line`(_ end: String) async throws {
        #expect(try await title("one\(end)QUIT :two") == "one")
        #expect(try await title("\(end) \(end)one\(end)") == "one")
    }

    @Test func `a long title is cut between two characters`() async throws {
        let full = String(repeating: "x", count: 120)
        #expect(try await title(full) == full)
        #expect(try await title(full + "y") == full.dropLast() + "…")
        #expect(try await title(full + "  ") == full)
        #expect(try await title(String(repeating: "x", count: 118) + " and more") == full.prefix(118) + "…")
        let family = "👩‍👩‍👧‍👦"
        #expect(try await title(String(repeating: family, count: 30)) == String(repeating: family, count: 19) + "…")
        #expect(
            try await title(String(repeating: "e\u{301}", count: 130)) == String(repeating: "e\u{301}", count: 119)
                + "…")
        // One character, as long as a book.
        #expect(try await title("a" + String(repeating: "\u{301}", count: 100_000)) == "…")
        #expect(try await title("ok e" + String(repeating: "\u{301}", count: 100_000)) == "ok…")
        #expect(try await title("ok " + String(repeating: "\u{301}", count: 100_000)) == "ok…")
    }

    @Test func `names and branches are cut too`() async throws {
        let long = String(repeating: "n", count: 5_000)
        var push = Payload.push([long, long, long, long], ref: "refs/heads/\(long)\u{202e}")
        push["pusher", "name"] = .text("a\r\nd\u{2}a \(long)")
        push["repository", "full_name"] = .text("ada/\(String(repeating: "r", count: 150))")
        push["compare"] = .text("https://github.com/\(String(repeating: "c", count: 200))")
        try await hook.sends("push", push)
        let lines = try #require(robot.lines.last?.utterance.content).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.count <= 500 })
        #expect(lines[0].hasPrefix("[\(String(repeating: "r", count: 99))…] a da nnn"))
        #expect(lines[0].hasSuffix(" https://github.com/" + String(repeating: "c", count: 200)))
        #expect(lines[1].hasPrefix("[\(String(repeating: "r", count: 99))…] then: nnn"))
    }

    @Test func `a link stays in one piece, or away`() async throws {
        func link(_ url: String) async throws -> String {
            var event = Payload.issue("closed", title: "x")
            event["issue", "html_url"] = .text(url)
            try await hook.sends("issues", event)
            return try #require(robot.lines.last?.utterance.content.dropFirst("[Engine] ada closed issue #3: x".count))
                .description
        }
        #expect(
            try await link("http://git.example.org/a b\n\u{202e}ü") == " http://git.example.org/a%20b%0A%E2%80%AE%C3%BC"
        )
        #expect(try await link("https://github.com/" + String(repeating: "x", count: 300)) == "")
        #expect(try await link("https://github.com/" + String(repeating: "ü", count: 100)) == "")
        for url in ["javascript:alert(1)", "", "//example.org", "ftp://example.org/"] {
            var event = Payload.issue("closed")
            event["issue", "html_url"] = .text(url)
            #expect(
                try await hook.sends("issues", event)
                    == .text("The body isn't the expected JSON: issue.html_url can't be read.\n", status: 400))
        }
    }
}
