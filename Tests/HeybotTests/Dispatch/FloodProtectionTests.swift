import HeybotSupport
import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

@Suite struct FloodProtectionTests {
    private let limit = RateLimit(burst: 4, interval: .seconds(3))

    @Test func `a user above the limit is ignored, longer each time`() {
        var protection = FloodProtection(limit)
        func answer(_ number: Int, _ seconds: Int) -> Duration? {
            protection.countAnswer("ada", "\(number)", with: "\(number)", at: .seconds(seconds))
        }
        #expect((1...3).compactMap { answer($0, 0) } == [])
        #expect(answer(4, 0) == .seconds(6))
        #expect(!protection.allows("ada", at: .seconds(5)))
        #expect(protection.allows("bob", at: .seconds(5)))
        #expect(protection.allows("ada", at: .seconds(6)))
        #expect(answer(5, 6) == nil)
        #expect(answer(6, 6) == .seconds(12))
        #expect(answer(7, 18) == nil)
    }

    @Test func `a slow user is never ignored, and all answers to one message count once`() {
        var protection = FloodProtection(limit)
        for number in 0..<100 {
            for part in 0..<9 {
                let rest = protection.countAnswer(
                    "ada", "\(number)", with: "\(number) \(part)", at: .seconds(3 * number))
                #expect(rest == nil)
            }
        }
    }

    @Test func `a bot that gets the same answer again and again is ignored, however slow it is`() {
        var protection = FloodProtection(limit)
        let rests = (0..<40).compactMap { number in
            protection.allows("bot", at: .seconds(60 * number))
                ? protection.countAnswer("bot", "\(number)", with: "I don't understand", at: .seconds(60 * number))
                : nil
        }
        #expect(rests.count == 4)
        #expect(rests == rests.sorted())
    }

    @Test func `a user is forgotten after a while`() {
        var protection = FloodProtection(limit)
        for number in 0..<4 { _ = protection.countAnswer("ada", "\(number)", with: "\(number)", at: .zero) }
        for number in 4..<7 {
            #expect(protection.countAnswer("ada", "\(number)", with: "\(number)", at: .seconds(700)) == nil)
        }
        #expect(protection.countAnswer("ada", "7", with: "7", at: .seconds(700)) == .seconds(6))
    }

    @Test func `a command counts before it is handled, and its answer doesn't count again`() {
        var protection = FloodProtection(limit)
        #expect((1...3).compactMap { protection.countCommand("ada", "\($0)", at: .zero) } == [])
        #expect(protection.countAnswer("ada", "1", with: "one", at: .zero) == nil)
        #expect(protection.countAnswer("ada", "2", with: "two", at: .zero) == nil)
        #expect(protection.countCommand("ada", "4", at: .zero) == .seconds(6))
        #expect(!protection.allows("ada", at: .seconds(5)))
        // Answers under way don't prolong the time.
        #expect(protection.countAnswer("ada", "3", with: "three", at: .seconds(1)) == nil)
        #expect(protection.allows("ada", at: .seconds(6)))
    }

    @Test func `commands with the same id all count`() {
        var protection = FloodProtection(limit)
        var rests: [Duration] = []
        for _ in 1...3 {
            if let rest = protection.countCommand("ada", "1", at: .zero) { rests.append(rest) }
            if let rest = protection.countAnswer("ada", "1", with: "one", at: .zero) { rests.append(rest) }
        }
        #expect(rests == [])
        #expect(protection.countCommand("ada", "1", at: .zero) == .seconds(6))
    }

    @Test func `a user with many queued lines is ignored when another answer comes`() {
        var protection = FloodProtection(limit)
        #expect(protection.countAnswer("ada", "1", with: "one", lines: 0, at: .zero) == nil)
        #expect(protection.countAnswer("ada", "2", with: "two", lines: 19, at: .zero) == nil)
        #expect(protection.countAnswer("ada", "3", with: "three", lines: 20, at: .zero) == .seconds(6))
    }

    @Test func `ten thousand users need no more memory than a thousand`() {
        var protection = FloodProtection(limit)
        for number in 0..<10_000 { _ = protection.countAnswer("\(number)", "1", with: "1", at: .zero) }
        #expect(protection.allows("1", at: .zero))
    }
}

/// Which answers count.
@Suite(.timeLimit(.minutes(15))) struct CommandLimiterTests {
    private static let repeats = 12

    /// The number of one user's messages that are handled, if each gets the same answer.
    private func heard(
        asTopic: Bool = false, _ onDeliver: @escaping @Sendable (Utterance) async throws -> Void = { _ in }
    ) async throws -> Int {
        let adapter = LimitedAdapter(ManualAdapter(onDeliver: onDeliver))
        let count = Mutex(0)
        try await withRobot(
            adapters: [adapter],
            InlineScript {
                $0.hear(/^go/) { res in
                    count.withLock { $0 += 1 }
                    if asTopic { try await res.topic("42") } else { _ = try? await res.send("42") }
                }
            }
        ) { _ in
            for _ in 0..<Self.repeats { await adapter.hand.handle("go") }
        }
        return count.withLock { $0 }
    }

    @Test func `repeated answers get a user ignored, topics and failed answers don't`() async throws {
        struct Failure: Error {}
        #expect(try await heard() == 10)
        #expect(try await heard(asTopic: true) == Self.repeats)
        #expect(try await heard { _ in throw Failure() } == Self.repeats)
    }

    @Test func `a user whose reactions got too many answers is ignored, also further reactions`() async throws {
        let adapter = LimitedAdapter(ManualAdapter())
        try await withRobot(adapters: [adapter], InlineScript { $0.reaction { try await $0.send("42") } }) { _ in
            for _ in 0..<Self.repeats {
                var message = adapter.hand.message("")
                message.content = .reaction(Message.Reaction(to: message.id, added: ["+1"]))
                await adapter.hand.handle(message)
            }
        }
        #expect(adapter.hand.texts.count == 10)
    }
}

/// An adapter with a high command limit.
private struct LimitedAdapter: UserCommandRateLimiting {
    let hand: ManualAdapter
    let commandLimit: UserCommandRateLimit? = UserCommandRateLimit(burst: 1_000)

    init(_ hand: ManualAdapter) { self.hand = hand }

    var name: String { hand.name }
    var status: AdapterStatus { hand.status }

    func run(_ inbox: Inbox) async throws { try await hand.run(inbox) }
    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        try await hand.deliver(utterance, to: envelope)
    }
    func warn(_ text: String, _ envelope: Envelope) {}
}
