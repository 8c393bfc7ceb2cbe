import Foundation
import Synchronization
import TestServers
import Testing

@testable import Heybot

/// Compares the router with a linear scan, for random patterns and messages.
@Suite struct RouterEqualityTests {
    /// 200,000 pairs of a pattern and a message; ten million with `bin/test --soak`.
    private static let pairs = Soak.rounds(50_000, soak: 2_500_000)
    private static let patternsAtOnce = 40
    private static let messagesEach = 120

    /// The matches with their captures, and the number of tries.
    private final class Record: Sendable {
        private let state = Mutex<(matches: [String], tries: Int)>(([], 0))

        func tried(_ id: String, _ output: AnyRegexOutput?) {
            state.withLock { state in
                state.tries += 1
                guard let output else { return }
                state.matches.append("\(id): \(output.map { $0.substring.map(String.init) ?? "nil" })")
            }
        }

        func taken() -> (matches: [String], tries: Int) {
            state.withLock { state in
                defer { state = ([], 0) }
                return state
            }
        }
    }

    private struct Outcome {
        var (pairs, tries, patterns, prunable) = (0, 0, 0, 0)
        var differences: [String] = []
    }

    /// Listeners for random patterns that the engine accepts.
    private func listeners(_ generator: inout PatternGenerator, _ record: Record) -> [(String, Listener)] {
        var listeners: [(String, Listener)] = []
        let recent = RecentRegexes()
        while listeners.count < Self.patternsAtOnce {
            let source = generator.pattern()
            guard let regex = try? Regex(source) else { continue }
            let caseSensitive = generator.isOnce(in: 3)
            let pattern: ListenerPattern<AnyRegexOutput>
            if generator.isOnce(in: 2) {
                pattern = ListenerPattern(regex, caseSensitive: caseSensitive, in: recent)
            } else {
                let given = try? ListenerPattern<AnyRegexOutput>(text: source, caseSensitive: caseSensitive, in: recent)
                guard let given else { continue }
                pattern = given
            }
            let isAddressed = generator.isOnce(in: 2)
            let id = "\(listeners.count) \(isAddressed ? "respond" : "hear") \(source)"
            listeners.append(
                (
                    source,
                    Listener(
                        id: id, script: "Random", trigger: isAddressed ? .respond : .hear, pattern: source, help: [],
                        example: nil, access: .everyone, confirmation: nil,
                        approval: nil, cooldown: nil, deadline: nil, isForAddressed: isAddressed,
                        requirements: pattern.requirements,
                        match: { input in
                            let output =
                                try? isAddressed
                                ? input.addressed.flatMap(pattern.prefix)
                                : input.text.flatMap(pattern.search)
                            record.tried(id, output)
                            return output == nil ? nil : { @Sendable _ in }
                        })
                ))
        }
        return listeners
    }

    private func run(seed: UInt64, pairs: Int, foldsSpecials: Bool = true) -> Outcome {
        var generator = PatternGenerator(seed: seed)
        let adapter = ManualAdapter()
        let addressing = Addressing(name: "heybot", alias: nil)
        let record = Record()
        var outcome = Outcome()
        while outcome.pairs < pairs {
            let made = listeners(&generator, record)
            let all = made.map(\.1)
            let router = ListenerIndex(all, foldsSpecials: foldsSpecials)
            outcome.patterns += all.count
            outcome.prunable += all.count { !$0.isAlwaysTried }
            for _ in 0..<Self.messagesEach {
                let near = made[generator.number(0...made.count - 1)].0
                let text = generator.message(near: near)
                let isAddressed = generator.isOnce(in: 2)
                let input = RoutingInput(adapter.message(isAddressed ? "heybot: \(text)" : text), addressing)
                let message = input.message
                if input.addressed == nil, router.mayMatch(toOthers: message) == router.matches(input).isEmpty {
                    outcome.differences.append("\(text.debugDescription): mayMatch(toOthers:)")
                }
                let found = router.listeners(matching: input).map(\.id)
                let fast = record.taken()
                let expected = router.listeners(matching: input, linearScan: true).map(\.id)
                let slow = record.taken()
                outcome.pairs += slow.tries
                outcome.tries += fast.tries
                if found != expected || fast.matches != slow.matches {
                    outcome.differences.append("\(text.debugDescription): \(fast.matches), not \(slow.matches)")
                }
            }
        }
        return outcome
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `it finds the same listeners in the same order, with the same captures`(seed: UInt64) {
        let outcome = run(seed: seed, pairs: Self.pairs)
        #expect(outcome.differences.prefix(5) == [])
        #expect(outcome.prunable * 2 > outcome.patterns)
        #expect(outcome.tries * 10 < outcome.pairs * 7)
    }

    @Test func `without folding of lookalikes, it misses matches`() {
        #expect(!run(seed: 5, pairs: 60_000, foldsSpecials: false).differences.isEmpty)
    }

    @Test func `texts are folded as patterns expect it`() {
        var generator = PatternGenerator(seed: 6)
        for _ in 0..<2_000 {
            let text = generator.message(near: generator.pattern())
            let folded = ASCIIFolding.replaceLookalikes(text.utf8)
            FoldedText.with(text[...]) { text in
                #expect(Array(text.buffer[..<text.count]) == ASCIIFolding.lowercaseASCII(folded))
                #expect(folded.allSatisfy(text.bytes.contains))
                let others = folded.contains { $0 >= 0x80 } ? ByteSet.beyondASCII : ByteSet()
                #expect(text.bytes == ByteSet(folded.filter { $0 < 0x80 }).union(others))
                #expect(text.buffer[text.count...].prefix(8).allSatisfy { $0 == 0 })
            }
        }
    }
}
