import CurlClient
import Foundation
import Heybot
import HeybotTesting
import HeybotWebServer
import Synchronization
import TestServers

@testable import StandardScripts

/// A network whose rooms record what the robot says.
final class RecordingAdapter: Adapter {
    let name = "test"
    let status = AdapterStatus.up(since: .distantPast)
    private let spoken = Mutex<[(room: String, text: String)]>([])

    func run(_ inbox: Inbox) async throws {
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        spoken.withLock { $0.append((envelope.room.id.value, utterance.content)) }
    }

    /// The lines that a room got so far.
    func lines(in room: String) -> [String] {
        let texts = spoken.withLock { spoken in spoken.filter { $0.room == room }.map(\.text) }
        return texts.flatMap { $0.split(separator: "\n").map { String($0) } }
    }
}

/// A robot with webhooks, behind a web server on a loopback port; a test advances its clock.
struct WebhookSite: Sendable {
    let port: Int
    let clock: ManualClock
    let bot: NetworkBot<RecordingAdapter>
    /// The HTTP client of the robot's scripts, which the test may use too.
    let http: CurlHTTPClient
    let folder: ScratchFolder

    /// What a server answered.
    struct Answer: Hashable, Sendable {
        let status: Int
        let text: String
    }

    func lines(in room: String) -> [String] { bot.adapter.lines(in: room) }

    /// Posts a body with the robot's HTTP client, which is quicker than `curl`.
    func send(_ body: HTTPRequestBody, to path: String) async throws -> HTTPResponse {
        var request = HTTPRequest(.post, "http://127.0.0.1:\(port)\(path)", body: body)
        request.deadline = .testLimit
        return try await http.send(request)
    }

    /// Creates a webhook, and returns the path of its address.
    func webhook(_ name: String, for room: String) async throws -> String {
        guard let checked = Webhooks.WebhookName(name) else { throw TestServerError.failed("\(name) isn't a name") }
        let secret = UUID().uuidString
        let webhook = Webhooks.Webhook(
            room: Room.ID(adapter: "test", value: room), secret: secret, creator: "root", date: bot.robot.date)
        _ = try await Webhooks.WebhookDirectory(brain: bot.robot.brain).add(webhook, named: checked)
        return "/webhooks/\(checked)/\(secret)"
    }

    /// Runs `curl` for a path.
    func curl(_ words: [String], _ path: String) async throws -> Answer {
        // So that curl doesn't change the path.
        let all = ["curl", "-sS", "-g", "--path-as-is", "--max-time", "600", "-w", "\n%{http_code}"] + words
        let said = try await ChildProcess.run(all + ["http://127.0.0.1:\(port)\(path)"], in: folder)
        let lines = said.split(separator: "\n", omittingEmptySubsequences: false)
        return Answer(
            status: lines.last.flatMap { Int($0) } ?? 0, text: lines.dropLast().joined(separator: "\n"))
    }

    /// Posts a payload with `curl`.
    @discardableResult
    func post(_ payload: String, to path: String, type: String = "application/json", headers: [String] = [])
        async throws -> Answer
    {
        let file = try folder.write(payload, to: "payload-\(UUID().uuidString)")
        let fields = (["Content-Type: \(type)"] + headers).flatMap { ["-H", $0] }
        return try await curl(["--data-binary", "@\(file)"] + fields, path)
    }
}

/// Runs a robot with webhooks while the body runs.
func withWebhookSite(_ body: (WebhookSite) async throws -> Void) async throws {
    var configuration = NIOHTTPServer.Configuration()
    (configuration.address, configuration.isAddressChosen) = ("127.0.0.1", true)
    (configuration.port, configuration.startsWithoutRoutes) = (0, true)
    configuration.bodyTimeout = .testLimit
    let log = TestLog()
    let (ports, listening) = AsyncStream<Int>.makeStream()
    let server = NIOHTTPServer(configuration, logger: log.logger) { listening.yield($0) }
    let http = CurlHTTPClient(.init(connectDeadline: .testLimit), logger: log.logger)
    defer { http.close() }
    let clock = ManualClock()
    let date: @Sendable () -> Date = {
        Date(timeIntervalSinceReferenceDate: Double(clock.now.offset.components.seconds))
    }
    let bot = NetworkBot<RecordingAdapter>(
        timeSource: TimeSource(clock, date: date), settings: ["TITLES_ON": "true"], http: http, server: server,
        scripts: { _ in [Webhooks(), Titles()] }, adapter: { _ in RecordingAdapter() })
    try await withBot(bot) { bot in
        guard let port = await ports.first(where: { _ in true }) else {
            throw TestServerError.failed("the web server doesn't listen: \(bot.log.lines())")
        }
        try await body(WebhookSite(port: port, clock: clock, bot: bot, http: http, folder: try ScratchFolder()))
    }
}
