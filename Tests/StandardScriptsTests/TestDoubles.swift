import FoundationEssentials
import Heybot
import HeybotTesting
import Metrics
import Synchronization

/// An adapter that records what it delivers, and fails in some rooms.
final class FlakyAdapter: Adapter {
    let name: String
    private let silent: Mutex<Set<String>>
    private let spoken = Mutex<[String]>([])

    init(_ name: String, silent: Set<String> = []) {
        self.name = name
        self.silent = Mutex(silent)
    }

    /// The delivered texts, as `#dev: words`.
    var said: [String] { spoken.withLock { $0 } }

    var status: AdapterStatus { .up(since: .distantPast) }

    func run(_ inbox: Inbox) async throws {
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        let room = envelope.room.id.value
        if silent.withLock({ $0.contains(room) }) { throw Silence() }
        spoken.withLock { $0.append("\(room): \(utterance.content)") }
    }

    /// Makes delivery succeed in all rooms.
    func recover() { silent.withLock { $0 = [] } }

    struct Silence: Error {}
}

/// A web server without a network: the test calls its routes.
final class ManualServer: HTTPServer {
    private let (stream, continuation) = AsyncStream<RouteResponder>.makeStream()

    var startsWithoutRoutes: Bool { true }

    func run(_ routes: RouteResponder, listening: @escaping @Sendable () -> Void) async throws {
        listening()
        continuation.yield(routes)
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    /// The routes, once the server runs.
    var routes: RouteResponder? {
        get async { await stream.first { _ in true } }
    }
}

/// Runs a robot with several adapters during the test.
///
/// Its clock stands still, so that no limit is reached on a busy machine.
func withRobot(
    _ adapters: [FlakyAdapter], _ script: any Script, settings: [String: String], brain: Brain,
    _ body: (_ post: (String, HTTPHeaders, HTTPRequestBody) async -> WebResponse) async throws -> Void
) async throws {
    let server = ManualServer()
    let robot = Robot(
        name: "hubot", alias: nil, adapters: adapters, brain: brain, scripts: [script], admins: [],
        switches: DisabledScripts(), settings: settings, http: nil, server: server, limits: Robot.Limits(),
        logger: TestLog().logger, metrics: MetricsSystem.factory,
        timeSource: TimeSource(ManualClock(), date: { Date(timeIntervalSinceReferenceDate: 0) }),
        generator: SystemRandomNumberGenerator(), giveUp: {})
    async let running: Void = robot.run()
    if let routes = await server.routes {
        try await body { target, headers, content in
            var headers = headers
            headers["Content-Type"] = content.type
            let answer = await routes.answer(.post, target, headers: headers, client: nil) { _, _ in content.bytes }
            return answer ?? WebResponse(status: 404)
        }
    }
    robot.stop()
    try await running
}
