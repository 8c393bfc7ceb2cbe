import HeybotSupport
import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

@Suite struct RateLimiterTests {
    private let pace = Pace(burst: 4, interval: .seconds(3))

    @Test func `so many answers are free, then there is a rest, longer each time`() {
        var limiter = RateLimiter(pace)
        func answer(_ number: Int, _ seconds: Int) -> Duration? {
            limiter.answered("ada", "\(number)", with: "\(number)", at: .seconds(seconds))
        }
        #expect((1...3).compactMap { answer($0, 0) } == [])
        #expect(answer(4, 0) == .seconds(6))
        #expect(!limiter.admits("ada", at: .seconds(5)))
        #expect(limiter.admits("bob", at: .seconds(5)))
        #expect(limiter.admits("ada", at: .seconds(6)))
        #expect(answer(5, 6) == nil)
        #expect(answer(6, 6) == .seconds(12))
        #expect(answer(7, 18) == nil)
    }

    @Test func `who asks slowly never rests, and what belongs to one message counts once`() {
        var limiter = RateLimiter(pace)
        for number in 0..<100 {
            for part in 0..<9 {
                let rest = limiter.answered("ada", "\(number)", with: "\(number) \(part)", at: .seconds(3 * number))
                #expect(rest == nil)
            }
        }
    }

    @Test func `two robots that say the same again and again come to rest, however slowly`() {
        var limiter = RateLimiter(pace)
        let rests = (0..<40).compactMap { number in
            limiter.admits("bot", at: .seconds(60 * number))
                ? limiter.answered("bot", "\(number)", with: "I don't understand", at: .seconds(60 * number)) : nil
        }
        #expect(rests.count == 4)
        #expect(rests == rests.sorted())
    }

    @Test func `it is forgotten after a while`() {
        var limiter = RateLimiter(pace)
        for number in 0..<4 { _ = limiter.answered("ada", "\(number)", with: "\(number)", at: .zero) }
        for number in 4..<7 {
            #expect(limiter.answered("ada", "\(number)", with: "\(number)", at: .seconds(700)) == nil)
        }
        #expect(limiter.answered("ada", "7", with: "7", at: .seconds(700)) == .seconds(6))
    }

    @Test func `a command counts when it is handed on, answered or not, and its answer costs nothing more`() {
        var limiter = RateLimiter(pace)
        #expect((1...3).compactMap { limiter.asked("ada", "\($0)", at: .zero) } == [])
        #expect(limiter.answered("ada", "1", with: "one", at: .zero) == nil)
        #expect(limiter.answered("ada", "2", with: "two", at: .zero) == nil)
        #expect(limiter.asked("ada", "4", at: .zero) == .seconds(6))
        #expect(!limiter.admits("ada", at: .seconds(5)))
        // While they rest, what is under way makes it no longer.
        #expect(limiter.answered("ada", "3", with: "three", at: .seconds(1)) == nil)
        #expect(limiter.admits("ada", at: .seconds(6)))
    }

    @Test func `commands with one and the same id count all`() {
        var limiter = RateLimiter(pace)
        var rests: [Duration] = []
        for _ in 1...3 {
            if let rest = limiter.asked("ada", "1", at: .zero) { rests.append(rest) }
            if let rest = limiter.answered("ada", "1", with: "one", at: .zero) { rests.append(rest) }
        }
        #expect(rests == [])
        #expect(limiter.asked("ada", "1", at: .zero) == .seconds(6))
    }

    @Test func `whoever has many lines waiting rests when another answer comes`() {
        var limiter = RateLimiter(pace)
        #expect(limiter.answered("ada", "1", with: "one", lines: 0, at: .zero) == nil)
        #expect(limiter.answered("ada", "2", with: "two", lines: 19, at: .zero) == nil)
        #expect(limiter.answered("ada", "3", with: "three", lines: 20, at: .zero) == .seconds(6))
    }

    @Test func `ten thousand people need no more room than a thousand`() {
        var limiter = RateLimiter(pace)
        for number in 0..<10_000 { _ = limiter.answered("\(number)", "1", with: "1", at: .zero) }
        #expect(limiter.admits("1", at: .zero))
    }
}

/// What the robot counts of what it says.
@Suite(.timeLimit(.minutes(15))) struct CommandLimitsTests {
    private static let repeats = 12

    /// How many of one person's messages are heard, if each gets the same answer.
    private func heard(
        asTopic: Bool = false, _ onDeliver: @escaping @Sendable (Utterance) async throws -> Void = { _ in }
    ) async throws -> Int {
        let adapter = LimitedAdapter(HandAdapter(onDeliver: onDeliver))
        let count = Mutex(0)
        try await withRobot(
            adapters: [adapter],
            Inline {
                $0.hear(/^go/) { res in
                    count.withLock { $0 += 1 }
                    if asTopic { try await res.topic("42") } else { try? await res.send("42") }
                }
            }
        ) { _ in
            for _ in 0..<Self.repeats { await adapter.hand.handle("go") }
        }
        return count.withLock { $0 }
    }

    @Test func `the same words again and again end in a rest, topics and what isn't said don't`() async throws {
        struct Failure: Error {}
        #expect(try await heard() == 10)
        #expect(try await heard(asTopic: true) == Self.repeats)
        #expect(try await heard { _ in throw Failure() } == Self.repeats)
    }
}

/// An adapter with a limit of many commands.
private struct LimitedAdapter: RateLimited {
    let hand: HandAdapter
    let commandLimit: CommandLimit? = CommandLimit(burst: 1_000)

    init(_ hand: HandAdapter) { self.hand = hand }

    var name: String { hand.name }
    var status: AdapterStatus { hand.status }

    func run(_ inbox: Inbox) async throws { try await hand.run(inbox) }
    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        try await hand.deliver(utterance, to: envelope)
    }
    func warn(_ text: String, _ envelope: Envelope) {}
}
