import Foundation
import Heybot
import HeybotSupport
import HeybotTesting
import TestServers
import Testing

@testable import StandardScripts

/// Deploys by a webhook of one's own.
@Suite(.timeLimit(.minutes(15))) struct DeployByWebhookTests {
    private static let url = "https://deploy.example.org/forum"
    private static let secret = "0123456789abcdef"

    private static func bench() async throws -> DeployBench {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        return bench
    }

    private static func report(
        _ bench: DeployBench, _ json: String, proof: WebRequest.Proof? = .signature(secret), to app: String = "forum"
    ) async -> WebResponse {
        let body = HTTPRequestBody(json.utf8, type: "application/json")
        let headers = proof.map { $0.headers(for: body) } ?? [:]
        return await bench.robot.receives(.post, "/deploys/\(app)", headers: headers, body: body)
    }

    @Test func `the order is signed, and the room gets the reports`() async throws {
        let bench = try await Self.bench()
        bench.web.answer(.post, Self.url, .text("", status: 202))
        #expect(await bench.says("deploy forum to live") == ["forum 1: deploying trunk to live for ada."])
        let request = try #require(bench.web.requests.last)
        let body = try #require(request.body)
        let signed = WebRequest.Proof.signature(Self.secret).headers(for: body)
        #expect(request.headers["X-Hub-Signature-256"] == signed["X-Hub-Signature-256"])
        let order = try JSONDecoder().decode(JSONValue.self, from: Data(body.bytes))
        #expect(order["app"] == .string("forum") && order["ref"] == .string("trunk"))
        #expect(order["deploy"] == .integer(1) && order["user"] == .string("ada"))
        #expect(request.redirects == 0)

        #expect(
            await Self.report(bench, #"{"deploy": 1, "state": "in_progress", "description": "Copying"}"#)
                == .text("recorded"))
        #expect(
            await Self.report(
                bench, #"{"deploy": 1, "state": "success", "environment_url": "https://forum.example.org/"}"#,
                proof: .token(Self.secret)) == .text("recorded"))
        #expect(
            bench.robot.said(in: "#ops").suffix(2).map(\.content) == [
                "forum 1: in progress: Copying", "forum 1: trunk is live in live. https://forum.example.org/"
            ])
    }

    @Test func `a report without proof, or for another deploy, is refused`() async throws {
        let bench = try await Self.bench()
        bench.web.answer(.post, Self.url, .text(""))
        _ = await bench.says("deploy forum to live")
        let said = bench.robot.lines.count
        let report = #"{"deploy": 1, "state": "success"}"#
        #expect(await Self.report(bench, report, proof: nil).status == 401)
        #expect(await Self.report(bench, report, proof: .token("wrong")).status == 401)
        #expect(await Self.report(bench, report, proof: .signature("wrong")).status == 401)
        #expect(await Self.report(bench, report, to: "shop").status == 401)
        #expect(await Self.report(bench, report, to: "nosuch").status == 401)
        #expect(await Self.report(bench, #"{"deploy": 2, "state": "success"}"#).status == 401)
        #expect(await Self.report(bench, #"{"state": "success"}"#).status == 400)
        #expect(
            await Self.report(bench, #"{"deploy": 1, "state": "done"}"#)
                == .text(
                    "The state must be queued, pending, in_progress, success, failure, error or inactive.\n",
                    status: 400
                ))
        #expect(bench.robot.lines.count == said)
    }

    @Test(arguments: [
        (StubHTTPClient.Answer.text("", status: 403), "not deployed. deploy.example.org answered with status 403."),
        (.failure(.unreachable), "not deployed. I can't get an answer from deploy.example.org just now."),
        (
            .text("", status: 500),
            "I don't know how deploying trunk to live went. deploy.example.org answered with status 500."
        ),
        (
            .failure(.timeout),
            "I don't know how deploying trunk to live went. deploy.example.org took too long to answer. Look there."
        )
    ])
    func `a refusal and a lost answer differ`(_ answer: StubHTTPClient.Answer, _ line: String) async throws {
        let bench = try await Self.bench()
        bench.web.answer(.post, Self.url, answer)
        #expect(await bench.says("deploy forum to live") == ["forum 1: \(line)"])
        #expect(bench.web.requests.count == 1)
    }
}

/// Deploys by a command.
@Suite(.timeLimit(.minutes(15))) struct DeployByCommandTests {
    private static func bench(_ script: String, more: String = "") throws -> DeployBench {
        let quoted = script.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let apps = """
            {"wiki": {"environments": ["live"], "role": "everyone", "command": ["/bin/sh", "-c", "\(quoted)"]\(more)}}
            """
        return try DeployBench(apps: apps, settings: ["DEPLOY_COMMANDS": "true"])
    }

    @Test func `a command gets the order in its environment, and nothing secret`() async throws {
        setenv("HEYBOT_TEST_SECRET", "s3cret", 1)
        let bench = try Self.bench(
            "echo \"$DEPLOY_APP,$DEPLOY_REF,$DEPLOY_ENVIRONMENT,$DEPLOY_HOSTS,$DEPLOY_NUMBER,$HEYBOT_TEST_SECRET,$PATH\"; exit 3"
        )
        let said = await bench.says("deploy wiki/v1.2 to live/fe")
        #expect(said.first == "wiki 1: deploying v1.2 to live/fe for ada.")
        try await wait(for: "the end: \(bench.robot.lines)") { bench.robot.lines.count == 2 }
        let line = try #require(bench.robot.lines.last?.utterance.content)
        #expect(
            line.hasPrefix("wiki 1: deploying v1.2 to live/fe failed: status 3\nwiki,v1.2,live,fe,1,,/"), "\(line)")
    }

    @Test func `a command that ends well has deployed`() async throws {
        let bench = try Self.bench("echo fine")
        _ = await bench.says("deploy wiki to live")
        try await bench.waits(for: "wiki 1: main is live in live.")
        #expect(await bench.says("what's deployed") == ["live: wiki/main by ada just now"])
    }

    @Test func `what was typed can't become a command`() async throws {
        let bench = try Self.bench("echo \"$DEPLOY_REF\"; exit 1")
        for ref in ["$(id)", "a;id", "`id`", "a|id", "a&id", "-x", "'id'"] {
            #expect(
                await bench.says("deploy wiki/\(ref) to live").first?.hasSuffix("a tag or a commit.") == true, "\(ref)")
        }
        #expect(await bench.says("deploy status") == ["Nothing is being deployed."])
    }

    @Test func `the room gets only the end of the output, safe for chat`() async throws {
        let bench = try Self.bench(
            "for i in $(seq 100000); do echo line $i; done; printf '\\033[31mred\\007\\n'; exit 1")
        _ = await bench.says("deploy wiki to live")
        try await bench.waits(
            for: """
                wiki 1: deploying main to live failed: status 1
                line 99997
                line 99998
                line 99999
                line 100000
                [31mred
                """)
    }

    @Test func `without the setting, or the program, nothing runs`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        #expect(
            await bench.says("deploy wiki to live")
                == ["wiki 1: not deployed. I may not run commands: to allow it, set HEYBOT_DEPLOY_COMMANDS to true."])
        let other = try DeployBench(
            apps: #"{"wiki": {"environments": ["live"], "role": "everyone", "command": "/nowhere/deploy"}}"#,
            settings: ["DEPLOY_COMMANDS": "true"])
        _ = await other.says("deploy wiki to live")
        try await wait(for: "the failure") {
            other.robot.lines.last?.utterance.content.hasPrefix(
                "wiki 1: deploying main to live failed: its command can't be started: ") == true
        }
    }

    @Test func `the end of a long output is kept in little memory`() {
        var tail = OutputTail()
        for number in 0..<100_000 { tail.add(Array("\(number)\n".utf8)) }
        #expect(tail.lines == "99995\n99996\n99997\n99998\n99999")
        tail.add(Array(String(repeating: "x", count: 10_000).utf8))
        #expect(tail.lines == String(repeating: "x", count: 199) + "…")
        #expect(OutputTail().lines.isEmpty)
    }

    private static func command(_ arguments: [String], limit: Int) -> DeployCommand {
        let plan = DeployPlan(
            app: "a", ref: "b", task: "deploy", environment: "c", hosts: "", isForced: true, isRollback: false,
            target: .command, repository: nil, user: User(id: User.ID(adapter: "t", value: "ada"), name: "ada"),
            room: Room.ID(adapter: "t", value: "#ops"))
        let deploy = TrackedDeploy(
            id: DeployID(app: "a", number: 1), plan, robot: "r", mark: "m", process: "p",
            at: Date(timeIntervalSince1970: 0))
        return DeployCommand(arguments: arguments, deploy, limit: limit)
    }

    @Test func `a command whose time is over is ended`() async {
        let command = Self.command(["/bin/sleep", "600"], limit: 0)
        guard case .expired(0, _) = await command.run() else {
            Issue.record("it wasn't ended")
            return
        }
    }

    @Test func `a command is ended when the robot stops`() async {
        let command = Self.command(["/bin/sleep", "600"], limit: 10)
        let running = Task { await command.run() }
        running.cancel()
        #expect(await running.value == .cancelled)
    }

    @Test func `a command's own variables take precedence`() {
        let variables = Self.command(["x"], limit: 1)
            .environment(from: ["PATH": "/bin", "DEPLOY_APP": "evil", "HEYBOT_DEPLOY_GITHUB_TOKEN": "s"])
        #expect(variables["DEPLOY_APP"] == "a" && variables["PATH"] == "/bin" && variables["DEPLOY_FORCED"] == "1")
        #expect(variables["HEYBOT_DEPLOY_GITHUB_TOKEN"] == nil)
    }
}
