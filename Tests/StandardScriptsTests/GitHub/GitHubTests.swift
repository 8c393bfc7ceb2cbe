import Heybot
import HeybotTesting
import StandardScripts
import Testing

/// The notifications for GitHub's events.
@Suite struct GitHubTests {
    let robot: TestRobot
    let hook: GitHubHook

    init() {
        robot = TestRobot(name: "hubot", settings: ["GITHUB_SECRET": GitHubHook.secret], GitHub())
        hook = GitHubHook(robot: robot)
    }

    /// The text that is posted in #dev for an event.
    private func told(_ event: String, _ payload: JSON) async throws -> [Utterance] {
        let before = robot.said(in: "#dev").count
        let answer = try await hook.sends(event, payload)
        let said = Array(robot.said(in: "#dev").dropFirst(before))
        if said.isEmpty { #expect(answer.status == 202) } else { #expect(answer == .text("posted in 1 room")) }
        return said
    }

    // MARK: Pushes

    @Test func `a push is posted with its commits`() async throws {
        let compare = "https://github.com/Ada/Engine/compare/b000b000...abcdabcd"
        var said = try await told("push", Payload.push(["Fix the parser\n\nIt was wrong."]))
        #expect(said == [.text("[Engine] ada pushed 1 commit to main: Fix the parser \(compare)")])
        said = try await told("push", Payload.push(["Fix the parser", "Add a test\nof it", "Say so"]))
        #expect(
            said == [
                .text(
                    """
                    [Engine] ada pushed 3 commits to main: Fix the parser (+2 more) \(compare)
                    [Engine] then: Add a test · Say so
                    """)
            ])
        said = try await told("push", Payload.push(["One", "Two", "Three", "Four", "Five"], ref: "refs/heads/a/b"))
        #expect(
            said == [
                .text(
                    """
                    [Engine] ada pushed 5 commits to a/b: One (+4 more) \(compare)
                    [Engine] then: Two · Three · …
                    """)
            ])
    }

    @Test func `changes of branches are posted`() async throws {
        let link = "https://github.com/Ada/Engine/compare/b000b000...abcdabcd"
        var push = Payload.push([], ref: "refs/heads/card")
        push["created"] = true
        #expect(try await told("push", push) == [.text("[Engine] ada created branch card \(link)")])
        push["commits"] = Payload.push(["Punch"])["commits"]
        #expect(
            try await told("push", push)
                == [.text("[Engine] ada created branch card with 1 commit: Punch \(link)")])
        push["created"] = false
        push["forced"] = true
        #expect(
            try await told("push", push) == [.text("[Engine] ada force-pushed 1 commit to card: Punch \(link)")])
        push["commits"] = []
        #expect(try await told("push", push) == [.text("[Engine] ada force-pushed card \(link)")])
        push["forced"] = false
        push["deleted"] = true
        #expect(try await told("push", push) == [.text("[Engine] ada deleted branch card")])
    }

    @Test func `changes of tags are posted`() async throws {
        let link = "https://github.com/Ada/Engine/compare/b000b000...abcdabcd"
        var push = Payload.push(["Told with its branch"], ref: "refs/tags/v1")
        push["created"] = true
        #expect(try await told("push", push) == [.text("[Engine] ada pushed tag v1 \(link)")])
        push["created"] = false
        push["forced"] = true
        #expect(try await told("push", push) == [.text("[Engine] ada moved tag v1 \(link)")])
        push["forced"] = false
        push["deleted"] = true
        #expect(try await told("push", push) == [.text("[Engine] ada deleted tag v1")])
    }

    @Test func `an empty push isn't posted`() async throws {
        #expect(try await told("push", Payload.push([])) == [])
        #expect(try await told("push", Payload.push(["A note"], ref: "refs/notes/commits")) == [])
    }

    // MARK: Pull requests, issues, releases

    @Test(arguments: [
        ("opened", false, "opened pull request"), ("closed", false, "closed pull request"),
        ("closed", true, "merged pull request"), ("reopened", false, "reopened pull request")
    ])
    func `changes of a pull request are posted`(_ action: String, _ isMerged: Bool, _ did: String) async throws {
        var event = Payload.pullRequest(action)
        event["pull_request", "merged"] = .bool(isMerged)
        #expect(
            try await told("pull_request", event)
                == [
                    .text(
                        """
                        [Engine] ada \(did) #12: Turn the handle the other way https://github.com/Ada/Engine/pull/12
                        """)
                ])
    }

    @Test func `drafts are called so, until they are ready`() async throws {
        var event = Payload.pullRequest("opened", title: "Wheels")
        event["pull_request", "draft"] = true
        let link = "https://github.com/Ada/Engine/pull/12"
        #expect(
            try await told("pull_request", event)
                == [.text("[Engine] ada opened draft pull request #12: Wheels \(link)")])
        #expect(
            try await told("pull_request", Payload.pullRequest("ready_for_review", title: "Wheels"))
                == [.text("[Engine] ada marked pull request #12 as ready for review: Wheels \(link)")])
    }

    @Test(arguments: ["opened", "closed", "reopened"])
    func `changes of an issue are posted`(_ action: String) async throws {
        #expect(
            try await told("issues", Payload.issue(action))
                == [
                    .text(
                        "[Engine] ada \(action) issue #3: It prints upside down https://github.com/Ada/Engine/issues/3")
                ])
    }

    @Test func `a release is posted when it is published`() async throws {
        let link = "https://github.com/Ada/Engine/releases/tag/v1.2.0"
        #expect(
            try await told("release", Payload.release("published"))
                == [.text("[Engine] ada published release v1.2.0: The Difference \(link)")])
        // A release without a name.
        for name: JSON in [nil, "", " ", "v1.2.0"] {
            #expect(
                try await told("release", Payload.release("published", name: name))
                    == [.text("[Engine] ada published release v1.2.0 \(link)")])
        }
        var early = Payload.release("published", tag: "v2-rc1", name: nil)
        early["release", "prerelease"] = true
        #expect(
            try await told("release", early) == [.text("[Engine] ada published pre-release v2-rc1 \(link)")])
    }

    @Test func `other events aren't posted, whatever they contain`() async throws {
        for action in ["synchronize", "labeled", "edited", "assigned", "review_requested", "Opened", ""] {
            #expect(try await told("pull_request", ["action": .text(action)]) == [])
            #expect(try await told("issues", ["action": .text(action)]) == [])
            #expect(try await told("release", ["action": .text(action)]) == [])
        }
        #expect(try await told("release", Payload.release("released")) == [])
        #expect(try await told("issues", Payload.issue("ready_for_review")) == [])
        for event in ["star", "workflow_job", "PUSH", "no such event"] {
            #expect(try await told(event, ["action": "created", "repository": Payload.repository]) == [])
        }
    }

    // MARK: Ping

    @Test func `a ping is posted once`() async throws {
        let works = Utterance.text("[Engine] GitHub's webhook works. Its events will be posted here.")
        #expect(try await hook.sends("ping", Payload.ping, delivery: "1") == .text("pong"))
        #expect(robot.said(in: "#dev") == [works])
        #expect(try await hook.sends("ping", Payload.ping, delivery: "2") == .text("pong"))
        #expect(robot.said(in: "#dev") == [works])
        try await hook.sends("ping", Payload.ping, to: "/github/%23ops", delivery: "3")
        #expect(robot.said(in: "#ops") == [works])
    }

    @Test func `a whole organization's webhook may work too`() async throws {
        var ping = Payload.ping
        ping["repository"] = nil
        #expect(try await hook.sends("ping", ping) == .text("pong"))
        #expect(robot.said(in: "#dev") == [.text("GitHub's webhook works. Its events will be posted here.")])
        #expect(try await hook.sends("ping", ping, to: "/github") == .text("pong"))
        #expect(robot.lines.count == 1)
    }
}
