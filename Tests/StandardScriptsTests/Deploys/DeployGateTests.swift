import Heybot
import HeybotSupport
import HeybotTesting
import Testing

@testable import StandardScripts

/// Who may deploy, confirmation, approval and locks.
@Suite(.timeLimit(.minutes(15))) struct DeployGateTests {
    @Test func `a role by app and environment decides, and admins may everything`() async throws {
        let bench = try DeployBench()
        #expect(await bench.says("deploy shop/topic to staging") == ["You need the deployer role for that."])
        #expect(await bench.says("deploy shop/topic to production") == ["You need the releaser role for that."])
        #expect(await bench.says("deploy shop/topic to demo", in: "#dev") == ["You can use that only in #ops."])
        #expect(
            await bench.says("deploy shop/topic to demo", from: "bob") == [
                "shop 1: deploying topic (2222222) to demo for bob."
            ])
        #expect(
            await bench.says("deploy shop/topic to staging", from: "root").first?.hasPrefix("shop 2: deploying") == true
        )
        try await bench.give("deployer", to: "ada")
        #expect(await bench.says("deploy shop/topic to production") == ["You need the releaser role for that."])
        #expect(bench.github.deployments.count == 2)
    }

    @Test func `an admin allows others to deploy from chat, where apps.json names no role`() async throws {
        let bench = try DeployBench()
        try await bench.give("ops", to: "grace")
        try await bench.give("deployer", to: "ada")
        #expect(
            await bench.says("allow deploy for ops", from: "root")
                == ["Access to \"deploy\": ops. This also holds for \"deploy!\"."])
        #expect(await bench.says("deploy shop/topic to staging") == ["You need the ops role for that."])
        #expect(
            await bench.says("deploy shop/topic to production", from: "grace") == [
                "You need the releaser role for that."
            ])
        #expect(
            await bench.says("deploy shop/topic to staging", from: "grace").first?.hasPrefix("shop 1: deploying")
                == true)
        #expect(
            await bench.says("where can I deploy shop").first?.hasPrefix(
                "staging: ops\nproduction: releaser, asks first") == true)
    }

    private func startProduction(_ bench: DeployBench) async throws {
        try await bench.give("releaser", to: "ada")
        try await bench.give("ops", to: "grace", "ada")
        bench.github.change { $0.checks = ["topic": ["ci/build": "success"]] }
        #expect(await bench.says("deploy shop/topic to production") == ["Deploy shop/topic to production? (yes/no)"])
    }

    @Test func `production is confirmed, approved by a second person elsewhere, and deployed once`() async throws {
        let bench = try DeployBench()
        try await startProduction(bench)
        let asked = await bench.says("yes")
        let number = bench.waiting
        #expect(
            asked == [
                "Somebody else with the ops role, or an admin, must approve this within 15 min: say \"approve \(number)\" or "
                    + "\"deny \(number)\"."
            ])
        #expect(
            await bench.says("deploy status", from: "bob")
                == ["shop 1: topic to production for ada, waits for an answer just now"])
        #expect(await bench.says("approve \(bench.waiting)") == ["Somebody else must approve that."])
        #expect(bench.github.deployments.isEmpty)
        let said = await bench.says("approve \(bench.waiting)", from: "grace", in: "#elsewhere")
        #expect(said == ["You've approved ada's command: deploy shop/topic to production"])
        try await bench.waits(for: "shop 1: grace has approved it.")
        try await bench.waits(for: "shop 1: deploying topic (2222222) to production for ada.")
        #expect(bench.github.deployments.count == 1)
        #expect(bench.github.deployments.first?.order["production_environment"] == .bool(true))
    }

    @Test func `a user who confirms and approves sees that checks are left out`() async throws {
        let bench = try DeployBench()
        try await startProduction(bench)
        _ = await bench.says("no")
        #expect(await bench.says("deploy! shop/topic to production") == ["Deploy! shop/topic to production? (yes/no)"])
        _ = await bench.says("yes")
        let said = await bench.says("approve \(bench.waiting)", from: "grace")
        #expect(said.contains("You've approved ada's command: deploy! shop/topic to production"), "\(said)")
    }

    @Test func `without a yes, with a denial or too late, nothing is deployed`() async throws {
        let bench = try DeployBench()
        try await startProduction(bench)
        #expect(await bench.says("no") == ["OK, I won't."])
        _ = await bench.says("deploy shop/topic to production")
        _ = await bench.says("yes")
        _ = await bench.says("deny \(bench.waiting)", from: "grace")
        try await bench.waits(for: "grace has denied deploy shop/topic to production.")
        _ = await bench.says("deploy shop/topic to production")
        _ = await bench.says("yes")
        #expect(
            await bench.after(.minutes(15)) == ["#ops: Nobody has approved deploy shop/topic to production in time."])
        _ = await bench.says("deploy shop/topic to production")
        #expect(await bench.after(.minutes(5)) == ["#ops: You didn't answer in time, so I've canceled your request."])
        #expect(bench.github.deployments.isEmpty)
        let audit = await bench.says("audit shop").first ?? ""
        for step in [
            "shop 1: not started: OK, I won't.",
            "shop 2: not started: grace has denied deploy shop/topic to production.",
            "shop 3: not started: Nobody has approved deploy shop/topic to production in time.",
            "shop 4: not started: You didn't answer in time, so I've canceled your request."
        ] {
            #expect(audit.contains(step), "\(audit)")
        }
    }

    @Test func `a role that was taken away, or a lock, while it waited counts`() async throws {
        let bench = try DeployBench()
        try await startProduction(bench)
        let ada = User(id: User.ID(adapter: "test", value: "ada"), name: "ada")
        try await bench.robot.robot.set(role: "releaser", of: ada, to: false)
        _ = await bench.says("yes")
        _ = await bench.says("approve \(bench.waiting)", from: "grace")
        try await bench.waits(for: "You need the releaser role for that.")
        try await bench.robot.robot.set(role: "releaser", of: ada, to: true)
        _ = await bench.says("deploy shop/topic to production")
        #expect(await bench.says("lock production payroll", from: "root") == ["production is locked."])
        _ = await bench.says("yes")
        _ = await bench.says("approve \(bench.waiting)", from: "grace")
        try await bench.waits(
            for: "production is locked by root just now: payroll. To unlock it, say \"unlock production\".")
        #expect(bench.github.deployments.isEmpty)
    }

    @Test func `a lock holds for all robots with the same brain`() async throws {
        let base = MemoryStore()
        let (one, other) = (try DeployBench(base: base), try DeployBench(base: base))
        try await one.give("deployer", to: "ada")
        try await other.give("deployer", to: "grace")
        #expect(await other.says("locks", from: "bob") == ["No environment is locked."])
        #expect(await other.says("lock staging payroll", from: "bob") == ["You need the deployer role for that."])
        #expect(
            await other.says("lock moon payroll", from: "grace") == [
                "No app has an environment moon. I know demo, live, production, staging."
            ])
        #expect(await other.says("lock stg we pay  today", from: "grace") == ["staging is locked."])
        #expect(await one.says("locks") == ["staging: grace just now: we pay today"])
        #expect(
            await one.says("deploy shop/topic to staging")
                == ["staging is locked by grace just now: we pay today. To unlock it, say \"unlock staging\"."])
        #expect(
            await one.says("lock staging me too") == ["staging is locked already, by grace just now: we pay today."])
        #expect(
            await one.says("unlock staging") == [
                "staging was locked by grace just now: we pay today. Unlock it? (yes/no)"
            ])
        #expect(await one.says("yes") == ["staging is unlocked."])
        #expect(await one.says("unlock staging") == ["staging isn't locked."])
        #expect(
            await one.says("deploy shop/topic to staging") == ["shop 1: deploying topic (2222222) to staging for ada."])
        #expect(
            await other.says("lock staging again", from: "grace") == ["staging is locked. Still under way: shop 1."])
        #expect(await other.says("unlock staging", from: "grace") == ["staging is unlocked."])
        let audit = await one.says("audit shop").first ?? ""
        for step in [
            "grace locked staging: we pay today", "ada unlocked staging, which was locked by grace",
            "bob may not lock it: You need the deployer role for that.",
            "ada may not deploy shop/topic to staging: staging is locked by grace"
        ] {
            #expect(audit.contains(step), "\(audit)")
        }
    }

    @Test func `deployers are listed by role`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada", "grace")
        #expect(
            await bench.says("deployers", from: "bob") == [
                """
                deployer: ada, grace (forum to live, shop to staging, wiki to live)
                everyone (shop to demo)
                releaser: nobody (shop to production)
                My admins may deploy everything.
                """
            ])
    }

    @Test func `the user learns what is wrong with apps.json, which is read again when it is corrected`() async throws {
        let bench = try DeployBench()
        try bench.file.write(#"{"shop": {}}"#)
        #expect(
            await bench.says("deploy shop to staging")
                == [
                    "There is an error in apps.json. shop/production: there must be a repository, a webhook or a command."
                ])
        try bench.file.write(DeployBench.apps)
        #expect(await bench.says("deploy shop/topic to demo").first?.hasPrefix("shop 1: deploying") == true)
        let robot = TestRobot(name: "hubot", settings: ["DEPLOY_APPS_JSON": "/nowhere/apps.json"], Deploys())
        #expect(
            await robot.hears("hubot deployers") == [
                .reply("I can't read apps.json: HEYBOT_DEPLOY_APPS_JSON must be the path of a file that I may read.")
            ])
    }

    @Test func `without apps.json there are no commands, and a hint`() async {
        let mine = InlineScript("Mine") { $0.respond(/deploy (\w+)/) { try await $0.send("my own deploy") } }
        let robot = TestRobot(name: "hubot", Deploys())
        #expect(robot.robot.listeners.allSatisfy { $0.trigger == .catchAll })
        #expect(
            await robot.hears("hubot deploy shop to production")
                == [.reply("I have nothing to deploy yet: set HEYBOT_DEPLOY_APPS_JSON to the path of your apps.json.")])
        #expect(await robot.hears("hubot dance") == [])
        let other = TestRobot(name: "hubot", Deploys(), mine)
        #expect(await other.hears("hubot deploy shop") == [.text("my own deploy")])
    }

    @Test func `help and examples are true`() throws {
        #expect(try DeployBench().robot.brokenExamples() == [])
    }
}
