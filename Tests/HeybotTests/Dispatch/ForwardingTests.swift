import Foundation
import Heybot
import HeybotTesting
import Testing

/// What a robot in two processes needs of the core.
@Suite struct ForwardingTests {
    @Test func `a robot that forwards its messages runs no listener`() async {
        let forwarded = StringRecorder()
        let robot = TestRobot(
            InlineScript {
                $0.forward { message in
                    forwarded.add(message.message.text ?? "")
                    message.end()
                }
                $0.hear(/a/) { try await $0.send("no") }
            })
        #expect(await robot.hears("a b") == [])
        #expect(await robot.hears("a c") == [])
        #expect(forwarded.all == ["a b", "a c"])
    }

    @Test func `a robot that forwards its messages waits for each before it takes the next`() async throws {
        let adapter = ManualAdapter()
        let (began, release, seen) = (Signal(), Signal(), StringRecorder())
        let script = InlineScript {
            $0.forward { message in
                seen.add(message.message.text ?? "")
                began.set()
                await release.wait()
                message.end()
            }
        }
        try await withRobot(adapters: [adapter], script) { _ in
            await adapter.receive("one")
            await adapter.receive("two")
            await began.wait()
            #expect(seen.all == ["one"])
            release.set()
            while seen.all.count < 2 { await Task.yield() }
            #expect(seen.all == ["one", "two"])
        }
    }

    @Test func `a robot that forwards its messages isn't woken at rest`() async throws {
        let adapter = ManualAdapter()
        let seen = Signal()
        let script = InlineScript {
            $0.forward { message in
                message.end()
                seen.set()
            }
        }
        try await withRobot(adapters: [adapter], script) { robot in
            await adapter.receive("one")
            await seen.wait()
            #expect(robot.nextTimer == nil)
        }
    }

    @Test func `timers don't fire any more when another process has them`() async {
        let robot = TestRobot(
            InlineScript { $0.every(.minutes(1)) { try await $0.messageRoom("#test", "tick") } })
        #expect(await robot.hears("hi") == [])
        #expect(await robot.advance(by: .minutes(1)).map(\.utterance) == [.text("tick")])
        robot.robot.endRegisteredTimers()
        #expect(await robot.advance(by: .minutes(5)) == [])
    }

    @Test func `a message of another process is done when its closure has ended`() async throws {
        let adapter = ManualAdapter()
        let (began, release, done) = (Signal(), Signal(), Signal())
        let script = InlineScript {
            $0.hear(/wait/) { _ in
                began.set()
                await release.wait()
            }
        }
        try await withRobot(adapters: [adapter], script) { _ in
            await adapter.receive("wait") { done.set() }
            await began.wait()
            #expect(!done.isSet)
            release.set()
            await done.wait()
        }
    }

    @Test func `a message of another process that concerns nobody is done at once`() async throws {
        let adapter = ManualAdapter()
        try await withRobot(adapters: [adapter], InlineScript { $0.hear(/ping/) { try await $0.send("PONG") } }) { _ in
            let done = Signal()
            await adapter.receive("hello") { done.set() }
            await done.wait()
        }
        #expect(adapter.texts == [])
    }

    @Test func `questions are reported when they are asked, and when they are answered`() async throws {
        let adapter = ManualAdapter()
        let reports = StringRecorder()
        let script = InlineScript { $0.hear(/order/) { try await $0.send("a \(try await $0.ask("What?"))") } }
        try await withRobot(adapters: [adapter], script) { robot in
            robot.onQuestions { message, isOpen in reports.add("\(message.text ?? "") \(isOpen)") }
            let (asked, answered) = (Signal(), Signal())
            await adapter.receive("order") { asked.set() }
            await asked.wait()
            #expect(reports.all == ["order true"])
            await adapter.receive("tea") { answered.set() }
            await answered.wait()
            #expect(reports.all == ["order true", "order false"])
            #expect(adapter.texts == ["What?", "a tea"])
        }
    }
}
