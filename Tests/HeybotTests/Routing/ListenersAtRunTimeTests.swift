import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

/// Listeners that come and go while the robot runs.
@Suite struct ListenersAtRunTimeTests {
    @Test func `a listener that comes is heard, and one that goes isn't`() async throws {
        let adapter = HandAdapter()
        try await withRobot(adapters: [adapter], Inline("Words") { $0.hear(/one/) { try await $0.send("1") } }) {
            robot in
            let ids = try robot.addListeners(to: "Words") {
                $0.hear(/two/) { try await $0.send("2") }
                $0.respond(/three/) { try await $0.send("3") }
                $0.catchAll { try await $0.send("what?") }
            }
            #expect(ids == ["Words.2", "Words.3", "Words.4"])
            #expect(robot.listeners.map(\.id) == ["Words.1"] + ids)
            await adapter.handle("one two")
            await adapter.handle("heybot three")
            await adapter.handle("four")
            #expect(adapter.texts == ["1", "2", "3", "what?"])
            robot.removeListeners(ids.dropLast() + ["Nobody.1"])
            await adapter.handle("one two")
            await adapter.handle("heybot three")
            #expect(adapter.texts.dropFirst(4) == ["1", "what?"])
            let again = try robot.addListeners(to: "Words") { $0.hear(/two/) { try await $0.send("2 again") } }
            #expect(again == ["Words.5"])
            await adapter.handle("two one")
            #expect(adapter.texts.dropFirst(6) == ["1", "2 again"])
        }
    }

    @Test func `what can't come is refused, and nothing of it comes`() async throws {
        try await withRobot(adapters: [HandAdapter()], Inline("Words") { $0.hear(/one/, id: "one") { _ in } }) {
            robot in
            #expect(throws: RobotError.misconfigured(["there is no script Music; there are Words"])) {
                try robot.addListeners(to: "Music") { $0.hear(/two/) { _ in } }
            }
            #expect(throws: RobotError.misconfigured(["two listeners have the id one: give one another id"])) {
                try robot.addListeners(to: "Words") {
                    $0.hear(/two/) { _ in }
                    $0.hear(/three/, id: "one") { _ in }
                }
            }
            #expect(
                throws: RobotError.misconfigured([
                    "Words registers more than listeners, which it can do at the start only"
                ])
            ) {
                try robot.addListeners(to: "Words") {
                    $0.hear(/two/) { _ in }
                    $0.every(.seconds(1)) { _ in }
                }
            }
            #expect(robot.listeners.map(\.id) == ["one"])
        }
    }

    @Test func `many may come at once, and each has an id of its own`() async throws {
        try await withRobot(adapters: [HandAdapter()], Inline("Words") { $0.hear(/one/) { _ in } }) { robot in
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<50 {
                            _ = try? robot.addListeners(to: "Words") {
                                $0.hear(/two/) { _ in }
                                $0.hear(/three/) { _ in }
                            }
                        }
                    }
                }
            }
            #expect(Set(robot.listeners.map(\.id)).count == 401)
        }
    }

    @Test func `a listener that goes may ask the robot something as it ends`() async throws {
        final class Held: Sendable {
            let onEnd: @Sendable () -> Void
            init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
            deinit { onEnd() }
        }
        try await withRobot(adapters: [HandAdapter()], Inline("Words") { $0.hear(/one/) { _ in } }) { robot in
            let count = Mutex(0)
            func add() throws -> [String] {
                let held = Held { [weak robot] in count.withLock { $0 = robot?.listeners.count ?? 0 } }
                return try robot.addListeners(to: "Words") { $0.hear(/two/) { _ in withExtendedLifetime(held) {} } }
            }
            let ids = try add()
            robot.removeListeners(ids)
            #expect(count.withLock(\.self) == 1)
        }
    }

    @Test func `what comes later may read its script's settings`() async throws {
        struct Tea: Script {
            static let kind = ScriptSetting("TEA_KIND", "What tea.", default: "green")
            var settings: [any AnyScriptSetting] { [Self.kind] }
            func register(on robot: inout RobotBuilder) {}
        }
        try await withRobot(adapters: [HandAdapter()], Tea()) { robot in
            var kind = ""
            try robot.addListeners(to: "Tea") { builder in
                kind = builder.value(of: Tea.kind)
                builder.hear(/tea/) { _ in }
            }
            #expect(kind == "green")
        }
    }

    @Test func `while thousands come and go, a message meets every one that stays, in order`() async throws {
        var builder = RobotBuilder()
        builder.register(
            Inline("Stays") {
                $0.hear(/deploy/) { _ in }
                $0.hear(/\d{3}/) { _ in }
                $0.hear(/.*/) { _ in }
            })
        let router = Router(builder.listeners)
        let candidate = Candidate(HandAdapter().message("please deploy 500"), Addressing(name: "heybot", alias: nil))
        await withTaskGroup { group in
            for task in 0..<2 {
                group.addTask {
                    for round in 0..<300 {
                        var builder = RobotBuilder(script: "Goes")
                        for number in 0..<10 {
                            let pattern = try? Regex("deploy|word\(number)", as: Substring.self)
                            if let pattern { builder.hear(pattern, id: "\(task).\(round).\(number)") { _ in } }
                        }
                        router.add(builder.listeners)
                        router.remove(builder.listeners.map(\.id))
                    }
                }
            }
            group.addTask {
                for _ in 0..<1_000 {
                    let ids = router.listeners(matching: candidate).map(\.id)
                    #expect(ids.filter { $0.hasPrefix("Stays") } == ["Stays.1", "Stays.2", "Stays.3"])
                    #expect(ids.dropFirst(3).allSatisfy { !$0.hasPrefix("Stays") })
                }
            }
        }
        #expect(router.listeners.map(\.id) == ["Stays.1", "Stays.2", "Stays.3"])
    }
}
