import Foundation
import Heybot
import HeybotTesting
import Synchronization
import Testing

@Suite struct OnceTests {
    @Test func `something is done once for a message, and again for another`() async throws {
        let done = Mutex<[String]>([])
        let adapter = ManualAdapter()
        try await withRobot(
            adapters: [adapter],
            InlineScript {
                $0.hear(/pay/) { res in
                    let isFirst = try await res.once("charge") { done.withLock { $0.append("charge") } }
                    let isOther = try await res.once("log") { done.withLock { $0.append("log") } }
                    try await res.send("\(isFirst) \(isOther)")
                }
            }
        ) { _ in
            let message = adapter.message("pay")
            await adapter.handle(message)
            // As by another process that handles it again.
            await adapter.handle(message)
            await adapter.handle("pay")
            await adapter.hasSaid(3)
        }
        #expect(adapter.texts == ["true true", "false false", "true true"])
        #expect(done.withLock { $0 } == ["charge", "log", "charge", "log"])
    }

    /// The guide's listing.
    @Test func `a command charges once`() async throws {
        let charged = Mutex<[String]>([])
        @Sendable func charge(_ account: Substring) async throws {
            charged.withLock { $0.append(String(account)) }
        }
        let adapter = ManualAdapter()
        try await withRobot(
            adapters: [adapter],
            InlineScript {
                $0.respond(/charge (?<account>\w+)/) { res in
                    try await res.once("charge") { try await charge(res.match.account) }
                    try await res.send("Charged.")
                }
            }
        ) { _ in
            let message = adapter.message("heybot charge ada")
            await adapter.handle(message)
            await adapter.handle(message)
        }
        #expect(charged.withLock { $0 } == ["ada"])
        #expect(adapter.texts == ["Charged.", "Charged."])
    }

    @Test func `what has failed is done again`() async throws {
        struct Refused: Error {}
        let attempts = Mutex(0)
        let adapter = ManualAdapter()
        try await withRobot(
            adapters: [adapter],
            InlineScript {
                $0.hear(/pay/) { res in
                    try await res.once("charge") {
                        let number = attempts.withLock { attempts in
                            attempts += 1
                            return attempts
                        }
                        if number == 1 { throw Refused() }
                    }
                    try await res.send("paid")
                }
            }
        ) { _ in
            let message = adapter.message("pay")
            await adapter.handle(message)
            await adapter.handle(message)
        }
        #expect(attempts.withLock { $0 } == 2)
        #expect(adapter.texts.last == "paid")
    }

    @Test func `records are removed after a day`() async throws {
        let brain = Brain(store: MemoryStore())
        let adapter = ManualAdapter()
        let old = BrainCollection<Date>("once")
        try await brain.open()
        try await brain.remember(old, "hand:old charge", Date.now - 90_000)
        try await brain.remember(old, "hand:new charge", Date.now - 60)
        await brain.close()
        try await withRobot(
            adapters: [adapter], brain: brain, InlineScript { $0.hear(/pay/) { try await $0.once("charge") {} } }
        ) { _ in
            await adapter.handle(adapter.message("pay"))
            var keys: [String] = []
            for try await (key, _) in brain.entries(old) { keys.append(key) }
            #expect(!keys.contains("hand:old charge"))
            #expect(keys.contains("hand:new charge"))
        }
    }
}
