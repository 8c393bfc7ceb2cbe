import FoundationEssentials
import Heybot
import HeybotSupport
import HeybotTesting
import Testing

@testable import StandardScripts

/// The record, and rolling back.
@Suite(.timeLimit(.minutes(15))) struct DeployRecordTests {
    private static func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

    /// Deploys a branch to staging, to its end.
    private func deploy(_ ref: String, _ result: String, _ bench: DeployBench) async {
        _ = await bench.says("deploy shop/\(ref) to staging")
        bench.github.report(result, of: 100 + bench.github.deployments.count)
        _ = await bench.after()
    }

    @Test func `deploys are listed, the newest first, by app, branch and environment`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        #expect(await bench.says("deploys") == ["There are no such deploys yet."])
        await deploy("topic", "success", bench)
        await deploy("main", "failure", bench)
        _ = await bench.says("deploy shop/main to demo")
        #expect(
            await bench.says("deploys of shop", from: "bob") == [
                """
                shop 3: main (1111111) to demo for ada, accepted just now
                shop 2: main (1111111) to staging for ada, failed just now
                shop 1: topic (2222222) to staging for ada, succeeded just now
                """
            ])
        let (all, ofShop) = (await bench.says("deploys"), await bench.says("deploys shop"))
        #expect(all == ofShop)
        #expect(
            await bench.says("deploys shop/main in stg") == [
                "shop 2: main (1111111) to staging for ada, failed just now"
            ])
        #expect(await bench.says("deploys in demo") == ["shop 3: main (1111111) to demo for ada, accepted just now"])
        #expect(await bench.says("deploys of moon") == ["moon? Never heard of it. I know forum, shop, wiki."])
    }

    @Test func `the record shows every step with its date, and refusals`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        #expect(await bench.says("audit") == ["The record is empty."])
        _ = await bench.says("deploy shop/topic to staging", from: "bob")
        _ = await bench.after(.seconds(60))
        await deploy("topic", "success", bench)
        #expect(
            await bench.says("audit shop", from: "bob") == [
                """
                2001-01-01 00:01 shop 1: success
                2001-01-01 00:01 shop 1: accepted as deployment 101: topic (2222222)
                2001-01-01 00:01 shop 1: started
                2001-01-01 00:01 shop 1: ada asked: deploy shop/topic to staging
                2001-01-01 00:00 shop: bob may not deploy shop/topic to staging: You need the deployer role for that.
                """
            ])
        #expect(await bench.says("audit wiki") == ["The record is empty."])
        let (all, ofShop) = (await bench.says("audit"), await bench.says("audit shop"))
        #expect(all == ofShop)
    }

    @Test func `rolling back deploys what was live before, without checks and merging`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        let nothing = "I know of nothing else that was live in staging. Name it: deploy shop/<commit> to staging"
        #expect(await bench.says("roll back shop in staging") == [nothing])
        await deploy("topic", "success", bench)
        #expect(await bench.says("rollback shop in staging") == [nothing])
        await deploy("main", "success", bench)
        bench.github.change { $0.behind = [String(repeating: "2", count: 40)] }
        #expect(
            await bench.says("roll back shop in staging") == ["shop 3: rolling back to 2222222 in staging for ada."])
        let order = try #require(bench.github.deployments.last).order
        #expect(order["ref"] == .string(String(repeating: "2", count: 40)))
        #expect(order["auto_merge"] == .bool(false) && order["required_contexts"] == .array([]))
        bench.github.report("success", of: 103)
        #expect(await bench.after() == ["#ops: shop 3: 2222222 is live in staging."])
        #expect(await bench.says("what's deployed in staging") == ["staging: shop/2222222 by ada just now"])
    }

    @Test func `after a failure, rolling back restores what is live`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "ada")
        await deploy("topic", "success", bench)
        await deploy("main", "failure", bench)
        #expect(
            await bench.says("roll back shop in staging") == ["shop 3: rolling back to 2222222 in staging for ada."])
    }

    @Test func `rolling back needs the same role, confirmation and approval`() async throws {
        let bench = try DeployBench()
        try await bench.give("deployer", to: "bob")
        #expect(
            await bench.says("roll back shop in production", from: "bob") == ["You need the releaser role for that."])
    }

    @Test func `at least the last thousand deploys, refusals and locks are kept, and no more than twice that`()
        async throws
    {
        let store = MemoryStore()
        try await store.open()
        let record = DeployRecord(brain: Brain(store: store))
        let user = User(id: User.ID(adapter: "test", value: "ada"), name: "ada")
        let plan = DeployPlan(
            app: "shop", ref: "main", task: "deploy", environment: "staging", hosts: "", isForced: false,
            isRollback: false, target: .github, repository: "ada/shop", user: user,
            room: Room.ID(adapter: "test", value: "#ops"))
        for number in 1...2_100 {
            let id = try await record.nextID(of: "shop")
            #expect(id.number == number)
            try await record.add(TrackedDeploy(id: id, plan, robot: "r", mark: "m", process: "p", at: Self.date(0)))
        }
        for number in 1...1_100 {
            try await record.refuse("shop", "refusal \(number)", at: Self.date(0))
            try await record.updateLock(of: "Staging") { state in
                if state.lock == nil {
                    try state.setLock(on: "staging", by: user, "reason \(number)", at: Self.date(0))
                } else {
                    try state.removeLock(from: "staging", by: user, at: Self.date(0))
                }
            }
        }
        #expect(try await record.brain.keys(of: "deploys.record", atMost: 10_000).count == 2_000)
        #expect(try await record.brain.keys(of: "deploys.refusals", atMost: 10_000).count == 1_000)
        #expect(try await record.brain.keys(of: "deploys.locks", atMost: 10_000).count == 1_000)
        #expect(try await record.refusals(of: "shop", atMost: 1).map(\.text) == ["refusal 1100"])
        #expect(try await record.lockChanges(of: "STAGING", atMost: 1).count == 1)
        #expect(try await record.latest(of: "shop", atMost: 3).map(\.id.number) == [2_100, 2_099, 2_098])
    }

    @Test func `two robots that deploy at the same moment don't both begin`() async throws {
        let store = MemoryStore()
        try await store.open()
        let record = DeployRecord(brain: Brain(store: store))
        let other = DeployRecord(brain: Brain(store: store))
        let ids = [DeployID(app: "shop", number: 1), DeployID(app: "shop", number: 2)]
        for id in ids { try await record.update("staging") { try $0.add(id, to: "staging", at: Self.date(0)) } }
        let begun = await withTaskGroup(of: Bool.self) { group in
            for (record, id) in zip([record, other], ids) {
                group.addTask {
                    let claimed: Void? = try? await record.update("staging") { state in
                        try state.claim(id, in: "staging", at: Self.date(0))
                    }
                    return claimed != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(begun == 1)
        #expect(try await record.environment("staging").open.count { $0.isRunning } == 1)
    }
}
