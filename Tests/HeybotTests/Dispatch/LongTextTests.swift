import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A text above the limit isn't matched, and one below it costs little.
@Suite(.timeLimit(.minutes(15)), .serialized) struct LongTextTests {
    /// The answer to a text that is too long.
    private static let refusal = [Utterance.reply("That message is too long for me: the limit is 64 KB.")]

    private static let nasty: [(name: String, unit: String)] = [
        ("combining marks", "\u{301}\u{302}"), ("one letter", "a"), ("spaces", " "), ("brackets", "[("),
        ("digits", "7"), ("emoji", "👩‍👩‍👧‍👦🇩🇪"), ("bidirectional marks", "\u{202E}\u{200F}"), ("newlines", "\n\r\n"),
        ("quotes", "\"'“"), ("mixed", "a\u{301} [7]\n\"👍🏽\u{202E}x++ http://")
    ]

    private static func text(_ unit: String, _ bytes: Int) -> String {
        String(repeating: unit, count: max(bytes / unit.utf8.count, 1))
    }

    /// The processor time of the process, in seconds.
    private static func cost(_ body: () async -> Void) async -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        await body()
        return now() - start
    }

    private static func robot() -> TestRobot {
        TestRobot(
            InlineScript {
                $0.hear(/\b(\w+)\+\+(?:\s|$)/) { try await $0.send("point") }
                $0.hear(/https?:\S+$/) { try await $0.send("link") }
                $0.respond(/echo (.+)/) { res in try await res.send("heard") }
                $0.respond(/(?:what|who) is (\S+)\??$/) { try await $0.send("nobody") }
                $0.catchAll(onlyAddressed: true) { try await $0.send("unknown") }
            })
    }

    @Test func `a text that is too long reaches no listener, and its sender is notified once if it was addressed`()
        async
    {
        let robot = Self.robot()
        let long = String(repeating: "a", count: 65_530)
        #expect(await robot.hears("heybot echo \(long)") == Self.refusal)
        #expect(await robot.hears("@Heybot: echo \(long)", from: "bob") == Self.refusal)
        #expect(await robot.hears(long + "1234567", from: "carol", in: "carol") == Self.refusal)
        #expect(await robot.hears("heybot echo \(long)") == [])
        _ = await robot.advance(by: .seconds(30))
        #expect(await robot.hears("heybot echo \(long)") == Self.refusal)
        // A text that isn't addressed is ignored.
        #expect(await robot.hears("x++ \(long)123", from: "dora") == [])
        // The longest accepted text.
        #expect(await robot.hears(String("heybot echo \(long)".prefix(65_536))) == [.text("heard")])
        #expect(await robot.sees(topic: "x++ \(long)123") == [])
        #expect(robot.loggedProblems == [])
    }

    @Test func `an answer that is too long is ignored, and another may follow`() async {
        let robot = TestRobot(
            InlineScript { $0.hear(/ask/) { res in try await res.send("\(res.ask("What?").utf8.count) bytes") } })
        #expect(await robot.hears("ask") == [.reply("What?")])
        #expect(await robot.hears(String(repeating: "b", count: 65_537)) == Self.refusal)
        #expect(await robot.hears(String(repeating: "b", count: 65_536)) == [.text("65536 bytes")])
    }

    /// In seconds of processor time. Code without optimization takes a few times as long.
    #if DEBUG
        private static let most = 0.050 * 5
    #else
        private static let most = 0.050
    #endif

    @Test func `ten hostile texts take little time`() async {
        // In a process of its own, so that other tests don't affect the measurement.
        await #expect(processExitsWith: .success) {
            for bytes in [1 << 20, 1 << 16] { await LongTextTests.measure(bytes) }
        }
    }

    private static func measure(_ bytes: Int) async {
        for (name, unit) in nasty {
            for start in ["", "heybot ", "heybot echo ", "heybot: what is a"] {
                let text = start + text(unit, bytes - start.utf8.count)
                // The least of three, because the machine may be busy.
                var least = Double.infinity
                for _ in 0..<3 where least >= most {
                    let robot = robot()
                    _ = await robot.hears("warm up")
                    least = min(least, await cost { _ = await robot.hears(text) })
                }
                #expect(least < most, "\(name) after \"\(start)\", \(bytes) bytes: \(least) s")
            }
        }
    }

    @Test func `if a receive middleware fails, the user gets an answer`() async {
        struct Trouble: Error {}
        let robot = TestRobot(
            InlineScript("Sieve") {
                $0.receiveMiddleware { message, _ in
                    if message.text?.hasSuffix("fail") == true { throw Trouble() }
                    return message
                }
                $0.respond(/ping/) { try await $0.send("PONG") }
            })
        #expect(await robot.hears("heybot ping") == [.text("PONG")])
        #expect(await robot.hears("heybot fail") == [.reply("Sorry, something went wrong (Sieve).")])
        #expect(await robot.hears("just fail") == [])
    }
}
