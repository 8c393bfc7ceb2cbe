import Heybot
import HeybotSupport
import HeybotTesting
import StandardScripts
import Testing

/// Requests that aren't from GitHub, or are invalid, are refused, and nothing is posted.
@Suite struct GitHubRefusalTests {
    let robot: TestRobot
    let hook: GitHubHook

    init() {
        robot = TestRobot(settings: ["GITHUB_SECRET": GitHubHook.secret], GitHub())
        hook = GitHubHook(robot: robot)
    }

    private static let unsigned = WebResponse.text(
        "The signature doesn't match: is the secret the same on both sides?\n", status: 401)
    private static let missing = WebResponse.text(
        "The signature in the header X-Hub-Signature-256 is missing: is the secret set at the sender?\n",
        status: 401)

    @Test func `without a secret there is no webhook and no command`() async throws {
        for settings in [[:], ["GITHUB_SECRET": ""]] {
            let robot = TestRobot(admins: ["root"], settings: settings, GitHub())
            let hook = GitHubHook(robot: robot)
            #expect(try await hook.sends("ping", Payload.ping).status == 404)
            #expect(try await hook.sends("ping", Payload.ping, to: "/github").status == 404)
            #expect(await robot.hears("heybot github subscriptions", from: "root") == [])
        }
    }

    @Test(arguments: ["/github/%23dev", "/github", "/github/nowhere:%23dev"])
    func `a wrong signature gets no further information`(_ target: String) async throws {
        let body = try Payload.ping.bytes
        let right = GitHubHook.signature(of: body)
        let old = CryptographicHash.sha1.hash(body)
        let signatures: [String?] = [
            nil, "", "sha256=", String(right.dropFirst("sha256=".count)), String(right.dropLast()), right + "0",
            "sha1=\(GitHubHook.hex(old))", "sha256=\(GitHubHook.hex(old))", right.replacing("sha256=", with: "sha1="),
            right.replacing("sha256=", with: "SHA256="), GitHubHook.signature(of: body + [0x20]),
            GitHubHook.signature(of: []), GitHubHook.signature(of: body, secret: GitHubHook.secret + " "),
            GitHubHook.signature(of: body, secret: ""), "sha256=" + String(repeating: "é", count: 32)
        ]
        for signature in signatures {
            // Whatever else is wrong.
            for event in [nil, "ping", "push"] {
                var headers: HTTPHeaders = [:]
                headers["X-Hub-Signature-256"] = signature
                headers["X-GitHub-Event"] = event
                headers["X-Hub-Signature"] = "sha1=\(GitHubHook.hex(old))"
                let answer = await robot.receives(
                    .post, target, headers: headers, body: HTTPRequestBody(body, type: "application/json"))
                let isMissing = (signature ?? "").isEmpty
                #expect(answer == (isMissing ? Self.missing : Self.unsigned), "\(signature ?? "no signature")")
            }
        }
        #expect(robot.lines == [])
    }

    @Test func `a signature is the same in upper case`() async throws {
        let body = try Payload.ping.bytes
        let right = GitHubHook.signature(of: body)
        let upper = "sha256=" + right.dropFirst("sha256=".count).uppercased()
        let answer = await robot.receives(
            .post, "/github/%23dev", headers: ["X-Hub-Signature-256": upper, "X-GitHub-Event": "ping"],
            body: HTTPRequestBody(body, type: "application/json"))
        #expect(answer == .text("pong"))
    }

    @Test func `an event must be named`() async throws {
        let missing = WebResponse.text("The header X-GitHub-Event is missing.\n", status: 400)
        let body = try Payload.ping.bytes
        let answer = await robot.receives(
            .post, "/github/%23dev", headers: ["X-Hub-Signature-256": GitHubHook.signature(of: body)],
            body: HTTPRequestBody(body, type: "application/json"))
        #expect(answer == missing)
        #expect(try await hook.sends("", Payload.ping) == missing)
        #expect(robot.lines == [])
    }

    @Test func `a form is refused with the fix`() async throws {
        let body = HTTPRequestBody.form(["payload": String(decoding: try Payload.ping.bytes, as: UTF8.self)])
        let answer = await robot.receives(
            .post, "/github/%23dev",
            headers: ["X-Hub-Signature-256": GitHubHook.signature(of: body.bytes), "X-GitHub-Event": "ping"], body: body
        )
        #expect(answer == .text("Set the webhook's content type to application/json.\n", status: 415))
        #expect(robot.lines == [])
    }

    @Test(arguments: [
        "", " ", "{", "[]", "null", "3", "\"push\"", "{\"action\": \"opened\"", "{\"action\": \"opened\",}{}", "\u{0}",
        "{'action': 'opened'}"
    ])
    func `JSON that isn't an object is refused`(_ text: String) async throws {
        for event in ["push", "pull_request", "issues", "release", "ping"] {
            let answer = try await hook.sends(event, bytes: Array(text.utf8))
            #expect(answer.status == 400)
            #expect(
                String(decoding: answer.body, as: UTF8.self).hasPrefix("The body isn't the expected JSON: it is"))
        }
        #expect(robot.lines == [])
    }

    @Test func `invalid UTF-8 and deep nesting are refused too`() async throws {
        var broken = try Payload.issue("opened", title: "~~").bytes
        for index in broken.indices where broken[index] == UInt8(ascii: "~") { broken[index] = 0xFF }
        #expect(try await hook.sends("issues", bytes: broken).status == 400)
        let deep = String(repeating: "[", count: 100_000)
        #expect(try await hook.sends("issues", bytes: Array(deep.utf8)).status == 400)
        #expect(robot.lines == [])
    }

    @Test(arguments: [
        ("push", ["ref"]), ("push", ["created"]), ("push", ["deleted"]), ("push", ["forced"]), ("push", ["compare"]),
        ("push", ["commits"]), ("push", ["pusher"]), ("push", ["pusher", "name"]), ("push", ["repository"]),
        ("push", ["repository", "full_name"]), ("pull_request", ["action"]), ("pull_request", ["pull_request"]),
        ("pull_request", ["pull_request", "number"]), ("pull_request", ["pull_request", "title"]),
        ("pull_request", ["pull_request", "html_url"]), ("pull_request", ["sender", "login"]),
        ("pull_request", ["repository", "full_name"]), ("issues", ["action"]), ("issues", ["issue", "number"]),
        ("issues", ["issue", "title"]), ("issues", ["issue", "html_url"]), ("issues", ["sender"]),
        ("release", ["action"]), ("release", ["release", "tag_name"]), ("release", ["release", "html_url"]),
        ("ping", ["repository", "full_name"])
    ])
    func `a field that is missing or wrong is named`(_ event: String, _ path: [String]) async throws {
        let payloads = [
            "push": Payload.push(["One"]), "pull_request": Payload.pullRequest("opened"),
            "issues": Payload.issue("closed"), "release": Payload.release("published"), "ping": Payload.ping
        ]
        let payload = try #require(payloads[event])
        let name = path.joined(separator: ".")
        func answer(_ value: JSON?) async throws -> String {
            var payload = payload
            if path.count == 1 { payload[path[0]] = value } else { payload[path[0], path[1]] = value }
            let answer = try await hook.sends(event, payload)
            #expect(answer.status == 400)
            return String(decoding: answer.body, as: UTF8.self)
        }
        #expect(try await answer(nil) == "The body isn't the expected JSON: \(name) is missing.\n")
        #expect(try await answer(.null).contains(" \(name) is"))
        for wrong: JSON in [.text(""), .number(1.5), .bool(true), .array([]), .object([:])] {
            // A valid value of that type.
            if ["created", "deleted", "forced"].contains(name), case .bool = wrong { continue }
            if name == "commits", case .array = wrong { continue }
            // For a number that isn't whole, the decoder doesn't report the location.
            if name.hasSuffix("number"), case .number = wrong { continue }
            if case .text = wrong, !name.hasSuffix("number"), !["compare", "html_url", "full_name"].contains(path.last),
                path.count == 2 || ["ref", "action"].contains(name)
            {
                continue
            }
            let text = try await answer(wrong)
            #expect(text.contains(" \(name)"), "\(wrong): \(text)")
        }
        #expect(robot.lines == [])
    }

    @Test func `an invalid commit is reported with its index`() async throws {
        var push = Payload.push(["One", "Two"])
        push["commits"] = [["message": "One"], ["message": 2]]
        #expect(
            try await hook.sends("push", push)
                == .text("The body isn't the expected JSON: commits[1].message isn't a string.\n", status: 400))
    }

    @Test func `25 MiB are read, and no byte more`() async throws {
        let payload = try Payload.issue("opened").bytes
        let padding = [UInt8](repeating: 0x20, count: (25 << 20) - payload.count)
        #expect(try await hook.sends("issues", bytes: payload + padding) == .text("posted in 1 room"))
        let answer = try await hook.sends("issues", bytes: payload + padding + [0x20])
        #expect(answer.status == 413)
        #expect(robot.lines.count == 1)
    }

    @Test func `a giant title is cut like a long one`() async throws {
        let title = String(repeating: "word ", count: 4_000_000)
        #expect(try await hook.sends("issues", Payload.issue("opened", title: title)).status == 200)
        #expect(robot.lines[0].utterance.content.count < 250)
    }
}
