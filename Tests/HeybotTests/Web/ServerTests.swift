import Heybot
import HeybotTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15))) struct ServerTests {
    /// A server that hands its routes to the test.
    private final class ManualServer: HTTPServer {
        let startsWithoutRoutes: Bool
        private let failure: (any Error)?
        private let log: Mutex<[String]> = Mutex([])

        init(startsWithoutRoutes: Bool = false, failure: (any Error)? = nil) {
            self.startsWithoutRoutes = startsWithoutRoutes
            self.failure = failure
        }

        var events: [String] { log.withLock { $0 } }

        func run(_ routes: RouteResponder, listening: @escaping @Sendable () -> Void) async throws {
            if let failure { throw failure }
            log.withLock { $0.append("listening") }
            listening()
            let answer = await routes.answer(.get, "/here", headers: [:], client: nil) { _, _ in [] }
            log.withLock { $0.append("answered \(answer?.status ?? 0)") }
            let (forever, _) = AsyncStream<Never>.makeStream()
            for await _ in forever {}
            log.withLock { $0.append("ended") }
        }
    }

    private struct Trouble: Error, Equatable {}

    private func run(_ server: ManualServer, _ script: any Script) async throws {
        let adapter = ManualAdapter()
        let robot = Robot(
            adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [script], server: server)
        async let running: Void = robot.run()
        if server.startsWithoutRoutes || robot.routes.contains(where: \.startsServer) {
            while server.events.count < 2 { await Task.yield() }
        } else {
            await adapter.handle("anything")
        }
        robot.stop()
        try await running
    }

    @Test func `a route of a script's own starts the server, and it ends with the robot`() async throws {
        let server = ManualServer()
        try await run(server, InlineScript { $0.get("/here") { _ in .empty } })
        #expect(server.events == ["listening", "answered 204", "ended"])
    }

    @Test func `one that is built in doesn't`() async throws {
        let server = ManualServer()
        try await run(server, InlineScript { $0.get("/here", startsServer: false) { _ in .empty } })
        #expect(server.events == [])
    }

    @Test func `unless it is wanted anyway`() async throws {
        let server = ManualServer(startsWithoutRoutes: true)
        try await run(server, InlineScript { $0.get("/here", startsServer: false) { _ in .empty } })
        #expect(server.events == ["listening", "answered 204", "ended"])
    }

    @Test func `a server that can't listen ends the robot before any adapter runs`() async throws {
        struct NotingAdapter: Adapter {
            let notes: StringRecorder
            let name = "noting"
            let status = AdapterStatus.starting
            func run(_ inbox: Inbox) async throws { notes.add("ran") }
            func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}
        }
        let notes = StringRecorder()
        let robot = Robot(
            adapters: [NotingAdapter(notes: notes)], brain: Brain(store: MemoryStore()),
            scripts: [InlineScript { $0.get("/here") { _ in .empty } }], server: ManualServer(failure: Trouble()))
        await #expect(throws: Trouble()) { try await robot.run() }
        #expect(notes.all == [])
    }
}
