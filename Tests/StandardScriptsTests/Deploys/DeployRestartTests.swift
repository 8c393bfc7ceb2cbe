import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import StandardScripts

/// A robot that is killed in the middle of a deploy, and the next one with its brain.
@Suite(.timeLimit(.minutes(15))) struct DeployRestartTests {
    private let base = MemoryStore()
    private let github = FakeGitHub()

    private func bench(_ apps: String = DeployBench.apps) throws -> DeployBench {
        try DeployBench(apps: apps, settings: ["DEPLOY_COMMANDS": "true"], base: base, github: github)
    }

    @Test func `a deploy that GitHub has is followed to its end, and isn't created again`() async throws {
        let killed = try bench()
        try await killed.give("deployer", to: "ada")
        _ = await killed.says("deploy shop/topic to staging")
        killed.store.kill()
        let next = try bench()
        github.report("success")
        _ = await next.after(.minutes(1))
        #expect(next.said == ["#ops: shop 1: topic (2222222) is live in staging."])
        #expect(github.requests.count { $0 == "POST /deployments" } == 1)
        #expect(await next.after(.minutes(5)) == [])
    }

    @Test func `killed before GitHub's answer was recorded, it is found`() async throws {
        let killed = try bench()
        try await killed.give("deployer", to: "ada")
        let store = killed.store
        github.change { $0.faults = [.runs { store.kill() }] }
        _ = await killed.says("deploy shop/topic to staging")
        let next = try bench()
        // As long as the other process may still work on it, it is left alone.
        _ = await next.after(.seconds(45))
        #expect(next.said == [])
        _ = await next.after()
        #expect(next.said == ["#ops: shop 1: deploying topic (2222222) to staging for ada."])
        github.report("failure", "No disk")
        #expect(await next.after() == ["#ops: shop 1: deploying topic (2222222) to staging failed: No disk."])
        #expect(github.deployments.count == 1)
        let audit = await next.says("audit shop").first ?? ""
        for step in [
            "ada asked: deploy shop/topic to staging", "started", "accepted as deployment 101", "failure: No disk"
        ] {
            #expect(audit.contains("shop 1: \(step)"), "\(audit)")
        }
    }

    @Test func `killed before GitHub was asked, it wasn't deployed`() async throws {
        let killed = try bench()
        try await killed.give("deployer", to: "ada")
        let store = killed.store
        killed.web.answer(
            .post, "https://api.github.com/repos/ada/shop/deployments",
            .custom { request in
                store.kill()
                throw HTTPError(.broken, host: request.host)
            })
        _ = await killed.says("deploy shop/topic to staging")
        let next = try bench()
        _ = await next.after(.minutes(3))
        #expect(next.said == ["#ops: shop 1: not deployed: GitHub doesn't know of it. Ask me again."])
        #expect(github.deployments.isEmpty)
        #expect(await next.says("deploy shop/topic to staging").first?.hasPrefix("shop 2: deploying") == true)
    }

    @Test func `killed while it waited for an answer, the room learns that nothing was deployed`() async throws {
        let killed = try bench()
        try await killed.give("releaser", to: "ada")
        _ = await killed.says("deploy shop/topic to production")
        killed.store.kill()
        let next = try bench()
        _ = await next.after(.minutes(1))
        #expect(
            next.said == [
                "#ops: shop 1: I was interrupted while this waited for an answer, so nothing was deployed. Ask me again."
            ])
        #expect(github.requests.isEmpty)
        #expect(await next.says("deploy status") == ["Nothing is being deployed."])
    }

    @Test func `the result of a command or a webhook that was under way is unknown`() async throws {
        let apps = """
            {
                "wiki": {"environments": ["live"], "role": "everyone", "command": ["/bin/sleep", "600"]},
                "forum": {
                    "environments": ["live"], "role": "everyone",
                    "webhook": {"url": "https://deploy.example.org/forum", "secret": "0123456789abcdef"}
                }
            }
            """
        let killed = try bench(apps)
        #expect(await killed.says("deploy wiki to live") == ["wiki 1: deploying main to live for ada."])
        let store = killed.store
        killed.web.answer(
            .post, "https://deploy.example.org/forum",
            .custom { request in
                store.kill()
                return HTTPResponse(url: request.url, status: 200)
            })
        _ = await killed.says("deploy forum to live")
        let next = try bench(apps)
        let end = "to live went. I was restarted meanwhile. Look there before you deploy again."
        _ = await next.after(.minutes(1))
        #expect(
            next.said.sorted() == [
                "#ops: forum 1: I don't know how deploying main \(end)",
                "#ops: wiki 1: I don't know how deploying main \(end)"
            ])
        #expect(await next.after(.minutes(5)) == [])
        // The receiver had got it, and reports.
        let body = HTTPRequestBody(#"{"deploy": 1, "state": "success"}"#.utf8, type: "application/json")
        let proof = WebRequest.Proof.token("0123456789abcdef").headers(for: body)
        #expect(await next.robot.receives(.post, "/deploys/forum", headers: proof, body: body) == .text("recorded"))
        #expect(next.robot.said(in: "#ops").last?.content.hasPrefix("forum 1: main is live in live") == true)
        killed.robot.robot.stop()
    }

    @Test func `a robot that is gone keeps others from deploying its app for ten minutes`() async throws {
        let killed = try bench()
        try await killed.give("deployer", to: "ada")
        _ = await killed.says("deploy shop/topic to staging")
        // As long as it follows the deploy, its turn doesn't end.
        _ = await killed.after(.minutes(25))
        killed.store.kill()
        let other = try DeployBench(name: "hal", base: base, github: github)
        _ = await other.after(.minutes(34))
        #expect(
            await other.says("deploy shop to staging") == [
                "shop is being deployed to staging already: see \"deploy status\" for shop 1."
            ])
        _ = await other.after(.minutes(2))
        #expect(await other.says("deploy shop to staging").first?.hasPrefix("shop 2: deploying main") == true)

        // The first robot comes back, and both deploys are reported once, by their own robots.
        let back = try bench()
        github.report("success", of: 101)
        _ = await back.after(.minutes(1))
        #expect(back.said == ["#ops: shop 1: topic (2222222) is live in staging."])
        github.report("success", of: 102)
        #expect(await other.after() == ["#ops: shop 2: main (1111111) is live in staging."])
        #expect(await back.after(.minutes(1)) == [])
    }

    @Test func `what a room couldn't get is said after the restart`() async throws {
        let killed = try bench()
        try await killed.give("deployer", to: "ada")
        _ = await killed.says("deploy shop/topic to staging")
        // The transition is recorded, and the process is killed before the room gets it.
        let record = DeployRecord(brain: Brain(store: KillableStore(base)))
        let report = DeployReport(id: 1, state: "success")
        try await record.apply(.reported(report), to: DeployID(app: "shop", number: 1), at: killed.robot.robot.date)
        killed.store.kill()
        let next = try bench()
        _ = await next.after()
        #expect(next.said == ["#ops: shop 1: topic (2222222) is live in staging."])
        #expect(await next.after(.minutes(1)) == [])
    }
}
