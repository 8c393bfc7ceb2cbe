import Heybot
import HeybotTesting
import StandardScripts
import Testing

/// Checks, reviews, comments and deployments, and the rooms in which they are posted.
@Suite struct GitHubKindsTests {
    let robot: TestRobot
    let hook: GitHubHook

    init() {
        robot = TestRobot(
            name: "hubot", admins: ["root"], settings: ["GITHUB_SECRET": GitHubHook.secret], GitHub())
        hook = GitHubHook(robot: robot)
    }

    private static let link: JSON = "https://github.com/Ada/Engine/x"

    private func told(_ event: String, _ payload: JSON, to target: String = "/github/%23dev") async throws -> [String] {
        let before = robot.lines.count
        try await hook.sends(event, payload, to: target)
        return robot.lines.dropFirst(before).map { "\($0.room): \($0.utterance.content)" }
    }

    private func workflow(_ conclusion: String, commit: String, action: String = "completed") -> JSON {
        [
            "action": .text(action),
            "workflow_run": [
                "name": "Tests", "conclusion": .text(conclusion), "head_branch": "main", "head_sha": .text(commit),
                "html_url": Self.link
            ],
            "repository": Payload.repository, "sender": Payload.sender
        ]
    }

    private func check(_ conclusion: String, commit: String) -> JSON {
        [
            "action": "completed",
            "check_run": [
                "name": "build", "conclusion": .text(conclusion), "head_sha": .text(commit), "html_url": nil,
                "check_suite": ["head_branch": nil]
            ],
            "repository": Payload.repository, "sender": Payload.sender
        ]
    }

    @Test func `a workflow is posted when it fails, and when it passes again`() async throws {
        let (failed, passing) = (
            "#dev: [Engine] the check \"Tests\" failed on main https://github.com/Ada/Engine/x",
            "#dev: [Engine] the check \"Tests\" is passing again on main https://github.com/Ada/Engine/x"
        )
        #expect(try await told("workflow_run", workflow("success", commit: "c1")) == [])
        #expect(try await told("workflow_run", workflow("failure", commit: "c2", action: "requested")) == [])
        #expect(try await told("workflow_run", workflow("failure", commit: "c2")) == [failed])
        #expect(try await told("workflow_run", workflow("cancelled", commit: "c3")) == [])
        #expect(try await told("workflow_run", workflow("timed_out", commit: "c4")) == [failed])
        #expect(try await told("workflow_run", workflow("success", commit: "c5")) == [passing])
        #expect(try await told("workflow_run", workflow("success", commit: "c6")) == [])
    }

    @Test func `a failing commit is posted once, however many checks it has`() async throws {
        #expect(
            try await told("check_run", check("failure", commit: "c0ffee123"))
                == ["#dev: [Engine] the check \"build\" failed on c0ffee1"])
        #expect(try await told("workflow_run", workflow("failure", commit: "c0ffee123")) == [])
        let suite: JSON = [
            "action": "completed",
            "check_suite": [
                "conclusion": "failure", "head_branch": "main", "head_sha": "c0ffee123", "app": ["name": "CI"]
            ],
            "repository": Payload.repository, "sender": Payload.sender
        ]
        #expect(try await told("check_suite", suite) == [])
        var other = suite
        other["check_suite", "head_sha"] = "beef"
        #expect(try await told("check_suite", other) == ["#dev: [Engine] the check \"CI\" failed on main"])
    }

    @Test func `a status is posted like a check`() async throws {
        var status: JSON = [
            "sha": "c1", "context": "ci/other", "state": "pending", "target_url": Self.link,
            "branches": [["name": "main"]], "repository": Payload.repository, "sender": Payload.sender
        ]
        #expect(try await told("status", status) == [])
        status["state"] = "error"
        #expect(
            try await told("status", status)
                == ["#dev: [Engine] the check \"ci/other\" failed on main https://github.com/Ada/Engine/x"])
        status["state"] = "success"
        status["sha"] = "c2"
        status["target_url"] = nil
        #expect(try await told("status", status) == ["#dev: [Engine] the check \"ci/other\" is passing again on main"])
    }

    @Test(arguments: [
        ("submitted", "approved", "approved"), ("submitted", "changes_requested", "requested changes to"),
        ("dismissed", "dismissed", "dismissed a review of"), ("submitted", "commented", nil),
        ("edited", "approved", nil)
    ])
    func `a review is posted`(_ action: String, _ state: String, _ did: String?) async throws {
        let review: JSON = [
            "action": .text(action), "review": ["state": .text(state), "body": nil, "html_url": Self.link],
            "pull_request": ["number": 12, "title": "Wheels"], "repository": Payload.repository,
            "sender": Payload.sender
        ]
        let line = did.map {
            "#dev: [Engine] ada \($0) pull request #12: Wheels https://github.com/Ada/Engine/x"
        }
        #expect(try await told("pull_request_review", review) == [line].compactMap { $0 })
    }

    @Test func `comments are posted if they are subscribed to`() async throws {
        var comment: JSON = [
            "action": "created", "comment": ["body": "It **jams**.\n\nBadly.", "html_url": Self.link],
            "issue": ["number": 3, "title": "Cogs"], "repository": Payload.repository, "sender": Payload.sender
        ]
        let line = "[Engine] ada commented on issue #3: It **jams**. https://github.com/Ada/Engine/x"
        #expect(try await told("issue_comment", comment) == ["#dev: \(line)"])
        comment["issue", "pull_request"] = ["url": "https://example.org/"]
        #expect(
            try await told("issue_comment", comment) == ["#dev: \(line.replacing("issue #3", with: "pull request #3"))"]
        )
        let line2 = try await told(
            "pull_request_review_comment",
            [
                "action": "created", "comment": ["body": "Why?", "html_url": Self.link],
                "pull_request": ["number": 12, "title": "Wheels"], "repository": Payload.repository,
                "sender": Payload.sender
            ])
        #expect(line2 == ["#dev: [Engine] ada commented on pull request #12: Why? https://github.com/Ada/Engine/x"])

        // They aren't posted in subscribed rooms by default.
        _ = await robot.hears("hubot github subscribe ada/engine in #quiet", from: "root")
        #expect(
            await robot.hears("hubot github subscribe ada/engine to comments and reviews in #loud", from: "root")
                == [.reply("#loud now follows ada/engine: reviews, comments.")])
        #expect(try await told("issue_comment", comment, to: "/github").map { $0.prefix(5) } == ["#loud"])
        #expect(try await told("issues", Payload.issue("opened"), to: "/github").map { $0.prefix(6) } == ["#quiet"])
        #expect(
            await robot.hears("hubot github subscribe ada/engine to all in #quiet", from: "root")
                == [
                    .reply(
                        "#quiet follows ada/engine: pushes, pulls, issues, releases, reviews, comments, checks, deployments."
                    )
                ])
        #expect(try await told("issue_comment", comment, to: "/github").count == 2)
        #expect(
            await robot.hears("hubot github subscribe ada/engine to gossip", from: "root")
                == [
                    .reply(
                        "I don't know the event gossip. Choose from pushes, pulls, issues, releases, reviews, comments, checks, deployments, or all."
                    )
                ])
        // Unsubscribing and subscribing again restores the default kinds.
        _ = await robot.hears("hubot github unsubscribe ada/engine in #loud", from: "root")
        _ = await robot.hears("hubot github subscribe ada/engine in #loud", from: "root")
        #expect(try await told("issue_comment", comment, to: "/github").map { $0.prefix(6) } == ["#quiet"])
    }

    @Test(arguments: [
        ("success", "ada deployed main to production https://github.com/Ada/Engine/x"),
        ("failure", "the deployment of main to production failed https://github.com/Ada/Engine/x"),
        ("error", "the deployment of main to production failed https://github.com/Ada/Engine/x"), ("pending", nil),
        ("in_progress", nil)
    ])
    func `a deployment is posted when it ends`(_ state: String, _ line: String?) async throws {
        let event: JSON = [
            "action": "created",
            "deployment_status": ["state": .text(state), "environment": "production", "target_url": Self.link],
            "deployment": ["ref": "main", "environment": "production"], "repository": Payload.repository,
            "sender": Payload.sender
        ]
        #expect(try await told("deployment_status", event) == line.map { ["#dev: [Engine] \($0)"] } ?? [])
    }

    @Test func `the response to GitHub says if an event isn't posted`() async throws {
        let answer = try await hook.sends("star", ["action": "created", "repository": Payload.repository])
        #expect(answer == .text("ignored: I don't post this star event", status: 202))
    }
}
