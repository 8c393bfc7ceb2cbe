import Heybot
import HeybotTesting
import Synchronization
import TestServers
import Testing

@Suite(.timeLimit(.minutes(15))) struct BoardAdapterTests {
    private let board = BoardAdapter()
    /// The notes by their ids.
    private var notes: [Message.ID: Message] { board.notes.withLock { $0 } }

    private func script(_ board: BoardAdapter) -> InlineScript {
        InlineScript("Baker") { robot in
            robot.respond(/bake$/) { res in
                let sent = try await res.reply("The cake is in the oven.")
                try await res.react("👍")
                try await sent.edit("The cake is done.")
            }
            robot.respond(/thanks$/) { try await $0.send("For: \($0.message.reply?.text ?? "nothing")") }
            robot.respond(/picture$/) { res in
                let picture = Attachment(name: "cake.png", type: "image/png", bytes: [1], alternative: "a cake")
                try await res.send(picture)
            }
            robot.respond(/eat$/) { res in
                let sent = try await res.send("Mmm")
                let isGone = try await sent.retract()
                try await res.send("eaten: \(isGone)")
            }
            robot.respond(/dinner$/) { res in
                res.typing()
                let isWriting = board.isRobotWriting.load(ordering: .relaxed)
                let isThere = try await res.send(tracked: "Dinner!").delivered()
                try await res.send("wrote: \(isWriting), arrived: \(isThere)")
            }
            robot.respond(/look$/) { try await $0.send("I see \($0.message.attachments.map(\.url))") }
            robot.reaction { try await $0.send("\($0.message.user.name) reacts: \($0.match.added)") }
            robot.retraction { try await $0.send("\($0.message.user.name) took \($0.match.value) down") }
            robot.profile { try await $0.send("\($0.match.formerName ?? "") is \($0.message.user.name)") }
        }
    }

    /// Waits until the board has a note with a text, and returns its id.
    private func id(of text: String) async -> Message.ID {
        while true {
            if let id = notes.first(where: { $0.value.text == text })?.key { return id }
            await Task.yield()
        }
    }

    /// Whether a note begins with a text.
    private func has(_ beginning: String) -> Bool {
        notes.values.contains { $0.text?.hasPrefix(beginning) == true }
    }

    @Test func `a robot uses all that a board can do`() async throws {
        let robot = Robot(
            name: "Marvin", adapters: [board], brain: Brain(store: MemoryStore()), scripts: [script(board)],
            limits: .forBusyMachine)
        async let running: Void = robot.run()

        board.receive(.text("marvin bake"), by: "ada") { $0.thread = "kitchen" }
        let done = await id(of: "The cake is done.")
        let asked = await id(of: "marvin bake")
        let answer = notes[done]
        #expect(answer?.reply?.message == asked && answer?.thread == "kitchen")
        let reactions = board.reactions.withLock { $0 }
        #expect(reactions == [asked: ["👍"]])

        // It needs no name, because it answers the robot.
        board.receive(.text("thanks"), by: "ada") { $0.reply = Message.Reply(message: done) }
        _ = await id(of: "For: The cake is done.")

        board.receive(.text("marvin pictur"), by: "ada")
        let mistyped = await id(of: "marvin pictur")
        board.receive(.text("marvin eat"), by: "bob") { $0.correction = mistyped }
        board.receive(.text("marvin picture"), by: "ada") { $0.correction = mistyped }
        let picture = await id(of: "a cake")
        #expect(notes[picture]?.attachments.map(\.url) == ["cake.png"])
        #expect(notes[mistyped]?.text == "marvin picture")
        // Nobody has eaten.
        #expect(!has("eaten"))

        board.receive(.text("marvin eat"), by: "ada")
        _ = await id(of: "eaten: true")
        #expect(!has("Mmm"))

        board.receive(.text("marvin look"), by: "ada") {
            $0.attachments = [Message.AttachedFile(url: "https://example.org/a.png")]
        }
        _ = await id(of: #"I see ["https://example.org/a.png"]"#)

        board.receive(.text("marvin dinner"), by: "ada")
        _ = await id(of: "wrote: true, arrived: true")

        board.receive(.reaction(Message.Reaction(to: done, added: ["🎂"])), by: "bob")
        _ = await id(of: #"bob reacts: ["🎂"]"#)
        board.receive(.retraction(of: asked), by: "bob")
        board.receive(.profile(Message.ProfileChange(formerName: "bob")), by: "rob")
        _ = await id(of: "bob is rob")
        #expect(has("marvin bake"))
        board.receive(.retraction(of: asked), by: "ada")
        _ = await id(of: "ada took \(asked.value) down")
        #expect(!has("bob took") && !has("marvin bake"))
        let isWriting = board.isRobotWriting.load(ordering: .relaxed)
        #expect(!isWriting)
        robot.stop()
        try await running
    }
}
