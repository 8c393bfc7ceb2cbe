import FoundationEssentials
import Heybot
import HeybotTesting
import Synchronization
import Testing

@testable import StandardScripts

/// Pages that go to PagerDuty and Opsgenie too.
@Suite(.timeLimit(.minutes(15))) struct AlertServiceTests {
    private let web = StubHTTPClient()
    private let pagerDuty = FakePagerDuty(key: "r0uting")
    private let opsgenie = FakeOpsgenie(key: "g3nie")
    private static let pagerDutySettings = ["TIME_ZONE": "UTC", "PAGERDUTY_ROUTING_KEY": "r0uting"]
    private static let opsgenieSettings = ["TIME_ZONE": "UTC", "OPSGENIE_API_KEY": "g3nie"]
    private static let enqueue = "https://events.pagerduty.com/v2/enqueue"
    private static let alerts = "https://api.opsgenie.com/v2/alerts"
    /// The page's name at the services: the clock begins on 1 January 2001.
    private static let alert = "heybot-1-20010101000000"
    private static let paged = "carol: Page 1 (ops) from bob in #test: disk full - Say \"ack 1\" to take it."

    private func makeRobot(
        _ settings: [String: String], brain: Brain = Brain(store: MemoryStore())
    ) async -> TestRobot {
        let robot = TestRobot(
            name: "hubot", admins: ["root"], brain: brain, settings: settings, web: web, Diagnostics(), OnCall())
        _ = await robot.hears("hubot on call rota ops: test:carol weekly", from: "root")
        return robot
    }

    private func says(_ text: String, from user: String = "bob", to robot: TestRobot) async -> [String] {
        await robot.hears("hubot \(text)", from: user).map(\.content)
    }

    // MARK: PagerDuty

    @Test func `PagerDuty gets a page, and the acknowledgment`() async throws {
        let robot = await makeRobot(Self.pagerDutySettings)
        web.answer(.post, Self.enqueue, pagerDuty.answer)
        #expect(await says("page ops disk full", to: robot) == [Self.paged, "Page 1: PagerDuty has it too."])
        #expect(pagerDuty.incidents == [Self.alert: "triggered: disk full (critical, ops) from hubot"])
        web.answer(.post, Self.enqueue, pagerDuty.answer)
        #expect(await says("ack", from: "carol", to: robot) == ["Thanks, you have page 1 (disk full)."])
        #expect(pagerDuty.incidents == [Self.alert: "acknowledged"])
        #expect(web.requests.allSatisfy { $0.redirects == 0 })
        #expect(robot.loggedProblems == [])
    }

    @Test func `a wrong key is reported in the room, without the key`() async {
        let robot = await makeRobot(["TIME_ZONE": "UTC", "PAGERDUTY_ROUTING_KEY": "wr0ng"])
        web.answer(.post, Self.enqueue, pagerDuty.answer)
        #expect(
            await says("page ops disk full", to: robot) == [
                Self.paged, "Page 1: PagerDuty refused it (status 400). Check HEYBOT_PAGERDUTY_ROUTING_KEY."
            ])
        #expect(robot.loggedProblems.count == 1)
        #expect(robot.loggedProblems[0].hasPrefix("PagerDuty refused page 1 with status 400"))
        #expect(!robot.loggedProblems[0].contains("wr0ng"))
        // The person on call is paged all the same.
        #expect(await robot.advance(by: .minutes(6)).map(\.utterance.content).count == 1)
    }

    @Test(arguments: [Fault.tooManyRequests, .serverError, .silence])
    func `after a failure the event is sent again, and the acknowledgment after it`(_ fault: Fault) async {
        let robot = await makeRobot(Self.pagerDutySettings)
        web.answer(.post, Self.enqueue, fault.answer)
        #expect(await says("page ops disk full", to: robot) == [Self.paged])
        #expect(await says("ack", from: "carol", to: robot) == ["Thanks, you have page 1 (disk full)."])
        #expect(pagerDuty.incidents == [:])
        web.answer(.post, Self.enqueue, pagerDuty.answer)
        web.answer(.post, Self.enqueue, pagerDuty.answer)
        #expect(
            await robot.advance(by: .minutes(2)).map(\.utterance.content) == ["Page 1: PagerDuty has it too."])
        #expect(pagerDuty.incidents == [Self.alert: "acknowledged"])
        #expect(pagerDuty.actions == ["trigger", "acknowledge"])
        #expect(web.unconsumed == [])
    }

    @Test func `an event that was never accepted is given up, and the room learns that`() async {
        let robot = await makeRobot(Self.pagerDutySettings)
        for _ in 0..<8 { web.answer(.post, Self.enqueue, .failure(.unreachable)) }
        _ = await says("page ops disk full", to: robot)
        _ = await says("ack", from: "carol", to: robot)
        let reports = await robot.advance(by: .minutes(70)).map(\.utterance.content)
        #expect(reports == ["Page 1: I can't reach PagerDuty, so it doesn't have it."])
        #expect(web.unconsumed == [])
        #expect(robot.loggedProblems.count == 1)
    }

    @Test func `an event that waits survives a restart`() async {
        let brain = Brain(store: MemoryStore())
        let first = await makeRobot(Self.pagerDutySettings, brain: brain)
        web.answer(.post, Self.enqueue, .failure(.timeout))
        _ = await says("page ops disk full", to: first)
        let second = TestRobot(name: "hubot", brain: brain, settings: Self.pagerDutySettings, web: web, OnCall())
        web.answer(.post, Self.enqueue, pagerDuty.answer)
        #expect(
            await second.advance(by: .minutes(1)).map(\.utterance.content) == ["Page 1: PagerDuty has it too."])
        #expect(pagerDuty.actions == ["trigger"])
        withExtendedLifetime(first) {}
    }

    @Test func `an event for a service whose key was removed is dropped`() async {
        let brain = Brain(store: MemoryStore())
        let first = await makeRobot(Self.pagerDutySettings, brain: brain)
        web.answer(.post, Self.enqueue, .failure(.timeout))
        _ = await says("page ops disk full", to: first)
        let second = TestRobot(name: "hubot", brain: brain, settings: Self.opsgenieSettings, web: web, OnCall())
        // Another robot may have the key.
        #expect(await second.advance(by: .minutes(1)) == [])
        #expect(await second.robot.brain.entryCount(of: "oncall.events") == 1)
        _ = await second.advance(by: .minutes(70))
        #expect(await second.robot.brain.entryCount(of: "oncall.events") == 0)
        withExtendedLifetime(first) {}
    }

    // MARK: Opsgenie

    @Test func `Opsgenie gets a page, and the acknowledgment`() async {
        let robot = await makeRobot(Self.opsgenieSettings)
        web.answer(.post, Self.alerts, opsgenie.answer)
        #expect(await says("page ops disk full", to: robot) == [Self.paged, "Page 1: Opsgenie has it too."])
        #expect(opsgenie.alerts == [Self.alert: "open: disk full (ops) from hubot"])
        web.answer(.post, "\(Self.alerts)/\(Self.alert)/acknowledge?identifierType=alias", opsgenie.answer)
        #expect(await says("ack", from: "carol", to: robot) == ["Thanks, you have page 1 (disk full)."])
        #expect(opsgenie.alerts == [Self.alert: "acknowledged by carol"])
        #expect(robot.loggedProblems == [])
    }

    @Test func `a long text is cut to Opsgenie's limit, and complete in the description`() async throws {
        let robot = await makeRobot(Self.opsgenieSettings)
        let text = String(repeating: "x", count: 200)
        web.answer(.post, Self.alerts, opsgenie.answer)
        #expect(await says("page ops \(text)", to: robot).last == "Page 1: Opsgenie has it too.")
        #expect(opsgenie.descriptions == [text])
    }

    @Test func `a wrong key of Opsgenie is reported too`() async {
        let robot = await makeRobot(["TIME_ZONE": "UTC", "OPSGENIE_API_KEY": "wr0ng"])
        web.answer(.post, Self.alerts, opsgenie.answer)
        #expect(
            await says("page ops disk full", to: robot).last
                == "Page 1: Opsgenie refused it (status 401). Check HEYBOT_OPSGENIE_API_KEY.")
    }

    // MARK: Both, and neither

    @Test func `both services get a page, at the addresses in the settings`() async {
        let settings = Self.pagerDutySettings.merging(Self.opsgenieSettings) { one, _ in one }
            .merging(["OPSGENIE_URL": "https://api.eu.opsgenie.com/", "PAGERDUTY_URL": "https://pd.example.org"]) {
                one, _ in one
            }
        let robot = await makeRobot(settings)
        web.answer(.post, "https://api.eu.opsgenie.com/v2/alerts", opsgenie.answer)
        web.answer(.post, "https://pd.example.org/v2/enqueue", pagerDuty.answer)
        let answers = await says("page ops disk full", to: robot)
        #expect(Set(answers) == [Self.paged, "Page 1: Opsgenie has it too.", "Page 1: PagerDuty has it too."])
    }

    @Test func `without a key no service is asked`() async {
        let robot = await makeRobot(["TIME_ZONE": "UTC"])
        #expect(await says("page ops disk full", to: robot) == [Self.paged])
        #expect(web.requests == [])
    }
}

extension Brain {
    /// The number of entries of a collection.
    fileprivate func entryCount(of collection: String) async -> Int {
        (try? await keys(of: collection, atMost: 100).count) ?? -1
    }
}

/// PagerDuty's Events API as its documentation describes it.
///
/// It accepts an event with status 202, and refuses one that lacks a field, or has a wrong key, with status 400.
private final class FakePagerDuty: Sendable {
    private struct Event: Decodable {
        struct Payload: Decodable {
            let summary: String
            let source: String
            let severity: String
            let component: String?
            let timestamp: String?
        }

        let routing_key: String
        let event_action: String
        let dedup_key: String?
        let payload: Payload?
    }

    private struct State {
        var incidents: [String: String] = [:]
        var actions: [String] = []
    }

    private let key: String
    private let state = Mutex(State())

    init(key: String) { self.key = key }

    /// The incidents by key, each with its state.
    var incidents: [String: String] { state.withLock { $0.incidents } }
    /// The actions of the events that were accepted.
    var actions: [String] { state.withLock { $0.actions } }

    var answer: StubHTTPClient.Answer {
        .custom { request in self.response(to: request) }
    }

    private func response(to request: HTTPRequest) -> HTTPResponse {
        let invalid = HTTPResponse(
            url: request.url, status: 400,
            body: Array(#"{"status": "invalid event", "message": "Event object is invalid", "errors": []}"#.utf8))
        guard request.body?.type == "application/json", let bytes = request.body?.bytes,
            let event = try? JSONDecoder().decode(Event.self, from: Data(bytes)), event.routing_key == key
        else { return invalid }
        switch event.event_action {
        case "trigger":
            guard let payload = event.payload, payload.summary.count <= 1_024, payload.timestamp != nil,
                ["critical", "error", "warning", "info"].contains(payload.severity)
            else { return invalid }
            let details = "\(payload.severity), \(payload.component ?? "none")"
            record(event, as: "triggered: \(payload.summary) (\(details)) from \(payload.source)")
        case "acknowledge":
            guard event.dedup_key != nil else { return invalid }
            record(event, as: "acknowledged")
        default: return invalid
        }
        return HTTPResponse(
            url: request.url, status: 202,
            body: Array(#"{"status": "success", "message": "Event processed", "dedup_key": "k"}"#.utf8))
    }

    private func record(_ event: Event, as state: String) {
        self.state.withLock {
            $0.incidents[event.dedup_key ?? "none"] = state
            $0.actions.append(event.event_action)
        }
    }
}

/// Opsgenie's Alert API as its documentation describes it.
///
/// It accepts a request with status 202, and refuses a wrong key with status 401, and a message that is too long with 422.
private final class FakeOpsgenie: Sendable {
    private struct Alert: Decodable {
        let message: String
        let alias: String
        let description: String?
        let source: String?
        let entity: String?
    }

    private struct Acknowledgment: Decodable {
        let user: String?
    }

    private struct State {
        var alerts: [String: String] = [:]
        var descriptions: [String] = []
    }

    private let key: String
    private let state = Mutex(State())

    init(key: String) { self.key = key }

    /// The alerts by alias, each with its state.
    var alerts: [String: String] { state.withLock { $0.alerts } }
    var descriptions: [String] { state.withLock { $0.descriptions } }

    var answer: StubHTTPClient.Answer {
        .custom { request in HTTPResponse(url: request.url, status: self.status(of: request)) }
    }

    private func status(of request: HTTPRequest) -> Int {
        guard request.headers["Authorization"] == "GenieKey \(key)" else { return 401 }
        guard let bytes = request.body?.bytes else { return 422 }
        let path = request.url.split(separator: "/")
        if path.last == "acknowledge?identifierType=alias", let alias = path.dropLast().last {
            guard let event = try? JSONDecoder().decode(Acknowledgment.self, from: Data(bytes)) else { return 422 }
            state.withLock { $0.alerts[String(alias)] = "acknowledged by \(event.user ?? "nobody")" }
            return 202
        }
        guard let alert = try? JSONDecoder().decode(Alert.self, from: Data(bytes)), alert.message.count <= 130 else {
            return 422
        }
        let text = "open: \(alert.message) (\(alert.entity ?? "none")) from \(alert.source ?? "none")"
        state.withLock {
            $0.alerts[alert.alias] = text
            $0.descriptions.append(alert.description ?? "")
        }
        return 202
    }
}
