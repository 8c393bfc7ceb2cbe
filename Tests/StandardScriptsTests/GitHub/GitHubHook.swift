import Heybot
import HeybotSupport
import HeybotTesting

/// GitHub's webhook, from the robot's point of view.
struct GitHubHook {
    static let secret = "a secret of ours"

    let robot: TestRobot

    /// Sends an event as GitHub does.
    @discardableResult
    func sends(
        _ event: String, _ payload: JSON, to target: String = "/github/%23dev", delivery: String? = nil
    ) async throws -> WebResponse {
        try await sends(event, bytes: payload.bytes, to: target, delivery: delivery)
    }

    @discardableResult
    func sends(
        _ event: String, bytes: [UInt8], to target: String = "/github/%23dev", delivery: String? = nil
    ) async throws -> WebResponse {
        var headers: HTTPHeaders = [
            "X-GitHub-Event": event, "X-GitHub-Hook-ID": "7", "X-Hub-Signature-256": Self.signature(of: bytes)
        ]
        headers["X-GitHub-Delivery"] = delivery
        return await robot.receives(
            .post, target, headers: headers, body: HTTPRequestBody(bytes, type: "application/json"))
    }

    static func signature(of body: [UInt8], secret: String = secret) -> String {
        let code = CryptographicHash.sha256.authenticationCode(for: body, key: Array(secret.utf8))
        return "sha256=\(hex(code))"
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { "\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }.joined()
    }
}

/// Payloads as GitHub sends them, with some fields that the script doesn't read.
enum Payload {
    static let repository: JSON = [
        "id": 4711, "name": "Engine", "full_name": "Ada/Engine", "private": false, "fork": false,
        "owner": ["login": "Ada", "name": "Ada", "id": 1815, "type": "User"],
        "html_url": "https://github.com/Ada/Engine", "description": nil, "default_branch": "main"
    ]
    static let sender: JSON = ["login": "ada", "id": 1815, "type": "User", "site_admin": false]

    static func push(_ titles: [String], ref: String = "refs/heads/main") -> JSON {
        let commits = titles.enumerated().map { number, title -> JSON in
            [
                "id": .text("c0ffee\(number)"), "distinct": true, "message": .text(title),
                "timestamp": "2026-03-01T12:00:00+01:00",
                "url": .text("https://github.com/Ada/Engine/commit/c0ffee\(number)"),
                "author": ["name": "Ada", "email": "ada@example.org", "username": "ada"],
                "added": ["card.txt"], "removed": [], "modified": []
            ]
        }
        return [
            "ref": .text(ref), "before": "b000b000", "after": "abcdabcd", "base_ref": nil, "created": false,
            "deleted": false, "forced": false,
            "compare": "https://github.com/Ada/Engine/compare/b000b000...abcdabcd", "commits": .array(commits),
            "head_commit": commits.last ?? nil, "pusher": ["name": "ada", "email": "ada@example.org"],
            "repository": repository, "sender": sender
        ]
    }

    static func pullRequest(_ action: String, title: String = "Turn the handle the other way") -> JSON {
        [
            "action": .text(action), "number": 12,
            "pull_request": [
                "id": 99, "number": 12, "state": "open", "title": .text(title), "body": nil, "draft": false,
                "merged": false, "html_url": "https://github.com/Ada/Engine/pull/12",
                "user": sender, "head": ["ref": "handle"], "base": ["ref": "main"]
            ],
            "repository": repository, "sender": sender
        ]
    }

    static func issue(_ action: String, title: String = "It prints upside down") -> JSON {
        [
            "action": .text(action),
            "issue": [
                "id": 98, "number": 3, "state": "open", "title": .text(title), "labels": [],
                "html_url": "https://github.com/Ada/Engine/issues/3", "user": sender
            ],
            "repository": repository, "sender": sender
        ]
    }

    static func release(_ action: String, tag: String = "v1.2.0", name: JSON = "The Difference") -> JSON {
        [
            "action": .text(action),
            "release": [
                "id": 97, "tag_name": .text(tag), "name": name, "draft": false, "prerelease": false,
                "html_url": "https://github.com/Ada/Engine/releases/tag/v1.2.0", "author": sender, "assets": []
            ],
            "repository": repository, "sender": sender
        ]
    }

    static let ping: JSON = [
        "zen": "Few words.", "hook_id": 7,
        "hook": ["type": "Repository", "id": 7, "active": true, "events": ["push"]],
        "repository": repository, "sender": sender
    ]
}
