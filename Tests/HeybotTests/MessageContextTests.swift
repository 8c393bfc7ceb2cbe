import Heybot
import HeybotTesting
import Logging
import Testing

@Suite(.timeLimit(.minutes(15))) struct MessageContextTests {
    @Test func `everything that a message causes has its id`() async {
        let began = ScriptEvent<Bool>("began")
        let notes = StringRecorder()
        let note = { @Sendable (place: String) in
            notes.add("\(place) \(MessageContext.metadataProvider.get()["message"] ?? "none")")
        }
        let robot = TestRobot(
            InlineScript {
                $0.receiveMiddleware { message, _ in
                    note("receive")
                    return message
                }
                $0.listenerMiddleware { _, _ in
                    note("listener")
                    return true
                }
                $0.responseMiddleware { utterance, _, _ in
                    note("response")
                    return utterance
                }
                $0.hear(/go/) { res in
                    note("closure")
                    await res.robot.emit(began, true)
                    try await res.send("gone")
                    res.after(.minutes(1)) { note("later") }
                    _ = try await res.ask("sure?")
                    note("answered")
                }
                $0.on(began) { _, _ in note("event") }
                $0.every(.minutes(2)) { _ in note("every") }
            })
        _ = await robot.hears("go")
        _ = await robot.hears("yes")
        _ = await robot.advance(by: .minutes(2))
        #expect(
            notes.all == [
                "receive test:1", "listener test:1", "closure test:1", "event test:1", "response test:1",
                // The question.
                "response test:1", "receive test:2", "answered test:1", "later test:1", "every none"
            ])
    }
}
