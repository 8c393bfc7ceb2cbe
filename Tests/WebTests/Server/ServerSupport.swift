import Heybot
import HeybotTesting
import HeybotWebServer
import Logging
import Synchronization
import TestServers

/// An adapter without messages.
struct SilentAdapter: Adapter {
    let name = "silent"
    let status = AdapterStatus.up(since: .distantPast)

    func run(_ inbox: Inbox) async throws {
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}
}

/// A robot's web server on a free port of loopback.
struct Site: Sendable {
    let port: Int
    let folder: ScratchFolder
    let robot: Robot

    /// Runs `curl` with arguments, in which `{}` is the site's URL, and returns its output.
    func curl(_ words: String...) async throws -> String {
        let words = words.map { $0.replacing("{}", with: "http://127.0.0.1:\(port)") }
        return try await ChildProcess.run(["curl", "-sS", "--max-time", "280"] + words, in: folder, within: .testLimit)
    }

    /// The status of what is answered.
    func status(_ words: String...) async throws -> String {
        let words = words.map { $0.replacing("{}", with: "http://127.0.0.1:\(port)") }
        let all = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "280"] + words
        return try await ChildProcess.run(all, in: folder, within: .testLimit)
    }
}

/// Serves a script's routes while the body runs.
func withSite<Result: Sendable>(
    _ script: any Script, _ configuration: NIOHTTPServer.Configuration = .init(), limits: Robot.Limits = .init(),
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    body: (Site) async throws -> Result
) async throws -> Result {
    var configuration = configuration
    configuration.address = "127.0.0.1"
    configuration.port = 0
    // Only a hang reaches these, unless a test sets them.
    if configuration.bodyTimeout == NIOHTTPServer.Configuration().bodyTimeout {
        configuration.bodyTimeout = .testLimit
    }
    let (ports, told) = AsyncStream<Int>.makeStream()
    let server = NIOHTTPServer(configuration, logger: logger) { told.yield($0) }
    var limits = limits
    limits.allowForBusyMachine()
    limits.shutdownGracePeriod = .seconds(60)
    let robot = Robot(
        adapters: [SilentAdapter()], brain: Brain(store: MemoryStore()), scripts: [script], server: server,
        limits: limits, logger: logger)
    async let running: Void = robot.run()
    guard let port = await ports.first(where: { _ in true }) else { throw TestServerError.failed("it doesn't listen") }
    do {
        let result = try await body(Site(port: port, folder: try ScratchFolder(), robot: robot))
        robot.stop()
        try await running
        return result
    } catch {
        robot.stop()
        try await running
        throw error
    }
}
