import FoundationEssentials
import Heybot
import HeybotSupport
import HeybotTesting
import Testing

@testable import StandardScripts

/// Deploys by GitHub's Deployments API.
@Suite(.timeLimit(.minutes(15))) struct DeployOnGitHubTests {
    @Test func `a deploy is created as hubot-deploy does it, and its room gets each step`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        #expect(
            await bench.says("deploy shop/topic to staging/fe")
                == ["shop 1: deploying topic (2222222) to staging/fe for ada."])
        let order = try #require(bench.github.deployments.first).order
        #expect(order["ref"] == .string("topic") && order["task"] == .string("deploy"))
        #expect(order["environment"] == .string("staging") && order["auto_merge"] == .bool(true))
        #expect(order["required_contexts"] == .null)
        #expect(order["production_environment"] == .bool(false) && order["transient_environment"] == .bool(false))
        #expect(order["description"] == .string("deploy shop 1 for ada by hubot"))
        let payload = order["payload"]
        #expect(payload["name"] == .string("shop") && payload["hosts"] == .string("fe"))
        #expect(payload["notify"]["room"] == .string("#ops") && payload["notify"]["adapter"] == .string("test"))
        #expect(payload["notify"]["user"] == .string("ada") && payload["robotName"] == .string("hubot"))
        #expect(payload["config"]["heroku_name"] == .string("ada-shop"))
        #expect(payload["heybot"]["deploy"] == .integer(1))

        #expect(await bench.after() == [])
        #expect(
            await bench.says("deploy status", from: "bob")
                == ["shop 1: topic (2222222) to staging/fe for ada, accepted just now"])
        bench.github.report("in_progress", "Building", log: "https://ci.example.org/1")
        #expect(await bench.after() == ["#ops: shop 1: in progress: Building https://ci.example.org/1"])
        #expect(await bench.after() == [])
        bench.github.report("success", environment: "https://staging.example.org/")
        #expect(
            await bench.after(.minutes(2)) == [
                "#ops: shop 1: topic (2222222) is live in staging/fe after 1 min. https://staging.example.org/"
            ])
        #expect(
            await bench.says("what's deployed in staging") == ["staging: shop/topic (2222222) by ada 1 min ago"])
        // Nothing is asked about it any more.
        let requests = bench.github.requests.count
        #expect(await bench.after(.minutes(5)) == [])
        #expect(bench.github.requests.count == requests)
        #expect(await bench.says("deploy status") == ["Nothing is being deployed."])
    }

    @Test func `the default branch is deployed to the default environment, and other tasks exist`() async throws {
        let bench = try DeployBench(settings: ["DEPLOY_DEFAULT_ENVIRONMENT": "staging"])
        try await bench.give("deployer", to: "ada")
        #expect(
            await bench.says("deploy:migrate shop") == ["shop 1: deploy:migrate of main (1111111) to staging for ada."])
        // It may be followed already.
        #expect(bench.github.requests.prefix(2) == ["GET ", "POST /deployments"])
        #expect(bench.github.deployments.first?.order["task"] == .string("deploy:migrate"))
        #expect(await bench.says("deploy web") == ["web? Never heard of it. I know forum, shop, wiki."])
        #expect(
            await bench.says("deploy shop/main to moon") == [
                "shop has no environment moon. It has staging, production, demo."
            ])
        #expect(await bench.says("deploy shop/-x to staging") == ["-x isn't the name of a branch, a tag or a commit."])
        #expect(bench.github.deployments.count == 1)
    }

    @Test func `a failure has its description and log`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        _ = await bench.says("deploy shop/topic to staging")
        bench.github.report("failure", "No\u{202e} disk\nleft", log: "https://ci.example.org/1")
        #expect(
            await bench.after() == [
                "#ops: shop 1: deploying topic (2222222) to staging failed: No disk left. https://ci.example.org/1"
            ])
        #expect(await bench.says("what's deployed") == ["I haven't deployed anything there yet."])
        // The app can be deployed again.
        #expect(
            await bench.says("deploy shop/main to staging") == ["shop 2: deploying main (1111111) to staging for ada."])
    }

    @Test func `an app isn't deployed to an environment twice at a time, but to others and by others`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada", "grace")
        _ = await bench.says("deploy shop/topic to staging")
        #expect(
            await bench.says("deploy shop/main to staging", from: "grace")
                == ["shop is being deployed to staging already: see \"deploy status\" for shop 1."])
        #expect(
            await bench.says("deploy shop/main to demo", from: "grace") == [
                "shop 2: deploying main (1111111) to demo for grace."
            ])
        #expect(bench.github.deployments.count == 2)
    }

    @Test func `GitHub merges the default branch first`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        bench.github.change { $0.behind = ["topic"] }
        #expect(
            await bench.says("deploy shop/topic to staging") == [
                "shop 1: GitHub says: Auto-merged main into topic on deployment. I'm asking it again to deploy.",
                "shop 1: deploying topic (2222222) to staging for ada."
            ])
        #expect(bench.github.deployments.count == 1)
    }

    @Test func `after a conflict, failing checks or a missing branch nothing is deployed`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        bench.github.change {
            $0.behind = ["topic"]
            $0.conflicting = ["topic"]
            $0.checks = ["main": ["ci/build": "pending", "lint": "success"]]
        }
        #expect(
            await bench.says("deploy shop/topic to staging") == [
                "shop 1: not deployed. GitHub says: Conflict merging main into topic. Merge it yourself, or write \"auto_merge\": false in apps.json."
            ])
        #expect(
            await bench.says("deploy shop/main to staging") == [
                "shop 2: not deployed. These checks haven't passed: ci/build (pending). Wait until they have, or deploy in spite of them with \"deploy!\"."
            ])
        #expect(
            await bench.says("deploy shop/nosuch to staging")
                == ["shop 3: not deployed. GitHub says: No ref found for: nosuch."])
        #expect(bench.github.deployments.isEmpty)
        // In spite of all that.
        #expect(
            await bench.says("deploy! shop/topic to staging") == [
                "shop 4: deploying topic (2222222) to staging for ada."
            ])
        let order = try #require(bench.github.deployments.first).order
        #expect(order["auto_merge"] == .bool(false) && order["required_contexts"] == .array([]))
    }

    @Test func `a wrong token, a missing token and a missing repository are explained`() async throws {
        let bench = try DeployBench(settings: ["DEPLOY_GITHUB_TOKEN": "wrong"])
        try await bench.give("deployer", to: "ada")
        #expect(
            await bench.says("deploy shop/main to staging") == [
                "shop 1: not deployed. GitHub doesn't accept my token: renew it (HEYBOT_DEPLOY_GITHUB_TOKEN, or github_token in apps.json)."
            ])
        #expect(await bench.says("deploy shop to staging").first?.hasPrefix("GitHub doesn't accept my token") == true)
        let other = try DeployBench(
            apps: #"{"blog": {"repository": "ada/blog", "environments": ["staging"], "role": "everyone"}}"#)
        #expect(
            await other.says("deploy blog/main to staging") == [
                "blog 1: not deployed. GitHub shows me no ada/blog: check its name in apps.json, and whether my token may create deployments there."
            ])
        let bare = try DeployBench(settings: ["DEPLOY_GITHUB_TOKEN": ""])
        #expect(
            await bare.says("deploy shop/main to demo") == [
                "shop 1: not deployed. I have no GitHub token for ada/shop: set HEYBOT_DEPLOY_GITHUB_TOKEN, or github_token in apps.json."
            ])
        #expect(bare.github.requests.isEmpty)
    }

    @Test func `a limit is respected by deploys and by polls`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        _ = await bench.says("deploy shop/topic to staging")
        bench.github.report("success")
        bench.github.change { $0.statusFaults = [(403, ["Retry-After": "120"], "rate limit")] }
        #expect(await bench.after() == [])
        let requests = bench.github.requests.count
        #expect(await bench.after(.seconds(90)) == [])
        #expect(
            await bench.says("deploy shop/main to demo") == [
                "shop 2: not deployed. GitHub is limiting my requests until 2001-01-01 00:02 UTC. Ask me again then."
            ])
        #expect(bench.github.requests.count == requests)
        #expect(await bench.after(.seconds(60)) == ["#ops: shop 1: topic (2222222) is live in staging after 2 min."])
        bench.github.change { $0.faults = [.answers(429, ["Retry-After": "60"], "slow down")] }
        #expect(
            await bench.says("deploy shop/main to demo").first?.hasPrefix("shop 3: not deployed. GitHub is limiting")
                == true)
        #expect(bench.github.deployments.count == 1)
    }

    @Test func `if GitHub's answer is lost, the deploy is found, and never created twice`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        // The second deployment has its payload as a text.
        _ = await bench.says("deploy shop/main to demo")
        bench.github.change { $0.faults = [.losesAnswer] }
        #expect(
            await bench.says("deploy shop/topic to staging")
                == ["shop 2: api.github.com took too long to answer. I'll find out whether it has begun."])
        #expect(await bench.after() == ["#ops: shop 2: deploying topic (2222222) to staging for ada."])
        #expect(bench.github.deployments.count == 2)
        #expect(bench.github.requests.count { $0 == "POST /deployments" } == 2)
        bench.github.report("success", of: 102)
        #expect(await bench.after() == ["#ops: shop 2: topic (2222222) is live in staging."])
    }

    @Test(arguments: [FakeGitHub.Fault.losesRequest, .answers(502, [:], "Bad Gateway")])
    func `if GitHub doesn't have it after two minutes, it wasn't deployed`(_ fault: FakeGitHub.Fault) async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        bench.github.change { $0.faults = [fault] }
        let said = await bench.says("deploy shop/topic to staging")
        #expect(said.first?.hasSuffix("I'll find out whether it has begun.") == true, "\(said)")
        #expect(await bench.after(.seconds(90)) == [])
        #expect(
            await bench.after(.minutes(1)) == ["#ops: shop 1: not deployed: GitHub doesn't know of it. Ask me again."])
        #expect(bench.github.deployments.isEmpty)
    }

    @Test func `an unreachable GitHub hasn't got it`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        bench.web.answer(
            .post, "https://api.github.com/repos/ada/shop/deployments", .failure(.unreachable))
        #expect(
            await bench.says("deploy shop/topic to staging")
                == ["shop 1: not deployed. I can't get an answer from api.github.com just now."])
    }

    @Test func `GitHub's failures while it is followed are no news, until it takes too long`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        _ = await bench.says("deploy shop/topic to staging")
        bench.github.change { $0.statusFaults = Array(repeating: (500, [:], "oops"), count: 200) }
        #expect(await bench.after(.minutes(30)) == [])
        #expect(
            await bench.after(.minutes(1)) == [
                "#ops: shop 1: I don't know how deploying topic (2222222) to staging went. Nothing was reported for 30 min."
            ])
        #expect(
            await bench.says("deploy shop/main to staging") == ["shop 2: deploying main (1111111) to staging for ada."])
    }

    @Test func `a token that has expired meanwhile is reported once`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        _ = await bench.says("deploy shop/topic to staging")
        bench.github.change { $0.statusFaults = [(401, [:], "Bad credentials")] }
        let said = await bench.after(.minutes(10))
        #expect(said.count == 1 && said.first?.contains("went. GitHub doesn't accept my token") == true, "\(said)")
    }

    @Test func `GitHub's webhook tells it at once, and polls are rarer`() async throws {
        let bench = try DeployBench(settings: ["GITHUB_SECRET": GitHubHook.secret])
        try await bench.give("deployer", to: "ada")
        _ = await bench.says("deploy shop/topic to staging")
        let hook = GitHubHook(robot: bench.robot)
        func event(_ number: Int, _ state: String) -> JSON {
            [
                "action": "created",
                "deployment_status": [
                    "id": .number(Double(number)), "state": .text(state), "environment": "staging", "target_url": "",
                    "log_url": "https://ci.example.org/1", "description": "Step"
                ],
                "deployment": ["id": 101, "ref": "topic", "environment": "staging"],
                "repository": ["full_name": "Ada/Shop", "name": "Shop"], "sender": Payload.sender
            ]
        }
        try await hook.sends("deployment_status", event(1, "in_progress"), to: "/github")
        #expect(bench.robot.said(in: "#ops").last?.content == "shop 1: in progress: Step https://ci.example.org/1")
        // The same status again, by another delivery or by a poll.
        try await hook.sends("deployment_status", event(1, "in_progress"), to: "/github")
        try await hook.sends("deployment_status", event(2, "success"), to: "/github")
        #expect(
            bench.robot.said(in: "#ops").suffix(2).map(\.content) == [
                "shop 1: in progress: Step https://ci.example.org/1",
                "shop 1: topic (2222222) is live in staging. https://ci.example.org/1"
            ])
        let before = bench.github.requests.count
        _ = await bench.says("deploy shop/topic to demo")
        _ = await bench.after(.minutes(3))
        #expect(bench.github.requests.dropFirst(before).count { $0.hasPrefix("GET /deployments/102") } <= 4)
    }
}
