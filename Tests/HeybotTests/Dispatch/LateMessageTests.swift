import HeybotTesting
import Testing

@testable import Heybot

/// Messages that were sent while the robot was disconnected.
@Suite(.timeLimit(.minutes(15))) struct LateMessageTests {
    private static let refusal = "I was offline when you said that. If you still want it, please say it again."

    private let adapter = ManualAdapter()
    private let script = InlineScript { robot in
        robot.respond(/hello$/) { res in try await res.reply("Hello!") }
        robot.respond(/secret$/, allow: .role("ops")) { res in try await res.send("42") }
        robot.respond(/drop all$/, confirm: "Sure?") { res in try await res.send("gone") }
        robot.respond(/again$/) { res in await res.run("secret") }
        robot.respond(/ask$/) { res in
            let answer = try await res.ask("What?")
            try await res.reply("You said \(answer).")
        }
    }

    private func late(_ text: String) -> Message {
        var message = adapter.message("heybot \(text)")
        message.isLate = true
        return message
    }

    @Test func `they are answered, but a command that needs a role has to be said again`() async throws {
        try await withRobot(adapters: [adapter], script) { robot in
            await adapter.handle(late("hello"))
            await adapter.handle(late("secret"))
            _ = try await robot.set(role: "ops", of: late("secret").user, to: true)
            await adapter.handle(late("secret"))
            await adapter.handle(late("again"))
            await adapter.handle("heybot secret")
            // Maybe the robot only doesn't know yet who the first sender is.
            #expect(adapter.texts == ["Hello!", Self.refusal, Self.refusal, Self.refusal, "42"])
        }
    }

    @Test func `a late correction is no command`() async throws {
        try await withRobot(adapters: [adapter], script) { _ in
            let original = late("helo")
            await adapter.handle(original)
            for isLate in [true, false] {
                var correction = late("hello")
                (correction.correction, correction.isLate) = (original.id, isLate)
                await adapter.handle(correction)
                #expect(adapter.texts == (isLate ? [] : ["Hello!"]))
            }
        }
    }

    @Test func `they confirm nothing, and answer no question`() async throws {
        try await withRobot(adapters: [adapter], script) { _ in
            await adapter.handle(late("drop all"))
            await adapter.handle("heybot ask")
            await adapter.handle(late("hello"))
            await adapter.handle("tea")
            #expect(
                adapter.texts == [
                    "You must confirm that, so say it to me yourself.", "What?", "Hello!", "You said tea."
                ])
        }
    }
}
