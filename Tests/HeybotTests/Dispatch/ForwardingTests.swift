import Foundation
import Heybot
import HeybotSupport
import HeybotTesting
import Testing

/// What a robot in two processes needs of the core.
@Suite struct ForwardingTests {
    @Test func `a robot that forwards its messages runs no listener`() async {
        let forwarded = StringRecorder()
        let robot = TestRobot(
            InlineScript {
                $0.forward { messages in
                    for message in messages {
                        forwarded.add(message.message.text ?? "")
                        message.end()
                    }
                    return nil
                }
                $0.hear(/a/) { try await $0.send("no") }
            })
        #expect(await robot.hears("a b") == [])
        #expect(await robot.hears("a c") == [])
        #expect(forwarded.all == ["a b", "a c"])
    }

    @Test func `a robot that forwards its messages waits for space, and keeps their order`() async throws {
        let adapter = ManualAdapter()
        let (space, seen) = (OneShotPromise<Void>(), StringRecorder())
        let script = InlineScript {
            $0.forward { messages in
                for message in messages {
                    seen.add(message.message.text ?? "")
                    message.end()
                }
                return space.fulfilledValue == nil ? space : nil
            }
        }
        // More than fit in one batch.
        let texts = (0..<300).map(String.init)
        try await withRobot(adapters: [adapter], script) { _ in
            for text in texts { await adapter.receive(text) }
            #expect(seen.all == ["0"])
            space.fulfill(())
            while seen.all.count < texts.count { await Task.yield() }
            await adapter.receive("end")
            while seen.all.count <= texts.count { await Task.yield() }
            #expect(seen.all == texts + ["end"])
        }
    }

    @Test func `a robot that forwards its messages isn't woken at rest`() async throws {
        let adapter = ManualAdapter()
        let seen = Signal()
        let script = InlineScript {
            $0.forward { messages in
                for message in messages { message.end() }
                seen.set()
                return nil
            }
        }
        try await withRobot(adapters: [adapter], script) { robot in
            await adapter.receive("one")
            await seen.wait()
            #expect(robot.nextTimer == nil)
        }
    }

    @Test func `a robot that forwards its messages can release memory after a burst`() async throws {
        let (adapter, isIdle) = (ManualAdapter(), Signal())
        let script = InlineScript {
            $0.forward { messages in
                for message in messages { message.end() }
                return nil
            }
        }
        try await withRobot(adapters: [adapter], script) { robot in
            robot.onIdle { isIdle.set() }
            await adapter.receive("one")
            await isIdle.wait()
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

    @Test func `of another process's messages, none is done at once behind one that is handled`() async throws {
        let adapter = ManualAdapter()
        let done = StringRecorder()
        try await withRobot(adapters: [adapter], InlineScript { $0.hear(/ping/) { try await $0.send("PONG") } }) { _ in
            let unhandled = await adapter.receive(["hello", "ping", "hello"]) { done.add("\($0)") }
            #expect(unhandled == [0])
            while done.all.count < 2 { await Task.yield() }
            #expect(done.all == ["1", "2"])
        }
    }

    @Test func `messages of another process are all taken in, because that limits their number`() async throws {
        let adapter = ManualAdapter()
        var limits = Robot.Limits()
        (limits.inbox, limits.concurrency) = (2, 1)
        let (release, done) = (Signal(), StringRecorder())
        let script = InlineScript {
            $0.hear(/\d/) { _ in await release.wait() }
        }
        try await withRobot(adapters: [adapter], limits: limits, script) { _ in
            let unhandled = await adapter.receive((0..<20).map(String.init)) { done.add("\($0)") }
            #expect(unhandled == [])
            release.set()
            while done.all.count < 20 { await Task.yield() }
            #expect(Set(done.all).count == 20)
        }
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
