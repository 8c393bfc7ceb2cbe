import Heybot
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct BoardAdapterTests {
    private let board = BoardAdapter()

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
                let isWriting = board.isRobotWriting
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
    private func id(of text: String) async -> String {
        while true {
            if let id = board.notes.first(where: { $0.value.text == text })?.key { return id }
            await Task.yield()
        }
    }

    @Test func `a robot uses all that a board can do`() async throws {
        let robot = Robot(
            name: "Marvin", adapters: [board], brain: Brain(store: MemoryStore()), scripts: [script(board)])
        async let running: Void = robot.run()

        board.post(BoardAdapter.Note(text: "marvin bake", thread: "kitchen"), by: "ada")
        let done = await id(of: "The cake is done.")
        let asked = await id(of: "marvin bake")
        #expect(board.notes[done] == BoardAdapter.Note(text: "The cake is done.", answers: asked, thread: "kitchen"))
        #expect(board.notes[asked]?.reactions == ["👍"])

        board.post(BoardAdapter.Note(text: "thanks", answers: done), by: "ada")
        _ = await id(of: "For: The cake is done.")

        board.post(BoardAdapter.Note(text: "marvin pictur"), by: "ada")
        let mistyped = await id(of: "marvin pictur")
        board.post(BoardAdapter.Note(text: "marvin eat"), by: "bob", correcting: mistyped)
        board.post(BoardAdapter.Note(text: "marvin picture"), by: "ada", correcting: mistyped)
        let picture = await id(of: "a cake")
        #expect(board.notes[picture]?.file == "cake.png")
        #expect(board.notes[mistyped]?.text == "marvin picture")
        // Nobody has eaten.
        #expect(!board.notes.values.contains { $0.text.hasPrefix("eaten") })

        board.post(BoardAdapter.Note(text: "marvin eat"), by: "ada")
        _ = await id(of: "eaten: true")
        #expect(!board.notes.values.contains { $0.text == "Mmm" })

        board.post(BoardAdapter.Note(text: "marvin look", file: "https://example.org/a.png"), by: "ada")
        _ = await id(of: #"I see ["https://example.org/a.png"]"#)

        board.post(BoardAdapter.Note(text: "marvin dinner"), by: "ada")
        _ = await id(of: "wrote: true, arrived: true")
        #expect(!board.isRobotWriting)

        let cake = Message.ID(adapter: "board", value: done)
        board.receive(.reaction(Message.Reaction(to: cake, added: ["🎂"])), by: "bob")
        _ = await id(of: #"bob reacts: ["🎂"]"#)
        board.receive(.retraction(of: Message.ID(adapter: "board", value: asked)), by: "bob")
        board.receive(.profile(Message.ProfileChange(formerName: "bob")), by: "rob")
        _ = await id(of: "bob is rob")
        board.receive(.retraction(of: Message.ID(adapter: "board", value: asked)), by: "ada")
        _ = await id(of: "ada took \(asked) down")
        #expect(!board.notes.values.contains { $0.text.hasPrefix("bob took") })
        robot.stop()
        try await running
    }
}
