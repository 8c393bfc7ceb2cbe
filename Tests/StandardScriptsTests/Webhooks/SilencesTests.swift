import FoundationEssentials
import Heybot
import HeybotSupport
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite struct SilencesTests {
    let web = StubHTTPClient()
    let robot: TestRobot
    private let address = "https://alerts.example.org"
    // The API's documentation: https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml.
    private let latency = """
        [{"annotations": {"summary": "p99 is above 1 s"}, "startsAt": "2026-03-01T12:00:00.000Z",
          "endsAt": "2026-03-01T13:00:00.000Z", "updatedAt": "2026-03-01T12:00:00.000Z",
          "fingerprint": "b7c2b1f5a0c3d4e5", "receivers": [{"name": "chat"}],
          "status": {"inhibitedBy": [], "silencedBy": [], "state": "active"},
          "labels": {"alertname": "HighLatency", "instance": "web-1", "severity": "critical"}},
         {"labels": {"alertname": "HighLatency", "instance": "web-2"}, "status": {"state": "active"}}]
        """

    init() {
        robot = TestRobot(
            name: "hubot", admins: ["root"],
            settings: ["ALERTMANAGER_URL": "https://alerts.example.org/", "ALERTMANAGER_LOGIN": "hubot:secret"],
            web: web, Silences())
    }

    private func alerts(named name: String) -> String {
        let filter = percentEncoded("alertname=~\"(?i:\(name))\"")
        return "\(address)/api/v2/alerts?filter=\(filter)"
    }

    /// The JSON of the silence that was created.
    private func created() throws -> JSONValue {
        let body = try #require(web.requests.last { $0.method == .post }?.body)
        return try #require(JSONValue(String(decoding: body.bytes, as: UTF8.self)))
    }

    @Test func `an alert is silenced for a time`() async throws {
        web.answer(alerts(named: "highlatency"), .json(latency))
        web.answer(.post, "\(address)/api/v2/silences", .json(#"{"silenceID": "a1b2"}"#))
        let said = await robot.hears("hubot silence highlatency for 2h", from: "root", in: "#ops")
        #expect(said == [.reply("HighLatency is silenced for 2 hours. 2 alerts are firing now.")])
        let silence = try created()
        #expect(silence["matchers"].elements.count == 1)
        #expect(silence["matchers"].elements.first?["name"].text == "alertname")
        #expect(silence["matchers"].elements.first?["value"].text == "HighLatency")
        #expect(silence["matchers"].elements.first?["isRegex"] == .bool(false))
        #expect(silence["startsAt"].text == "2001-01-01T00:00:00Z")
        #expect(silence["endsAt"].text == "2001-01-01T02:00:00Z")
        #expect(silence["createdBy"].text == "root (test:root)")
        #expect(silence["comment"].text == "silenced from #ops by root")
        #expect(web.requests.allSatisfy { $0.headers["Authorization"] == "Basic aHVib3Q6c2VjcmV0" })
    }

    @Test func `an alert is silenced in one place`() async throws {
        web.answer(alerts(named: "HighLatency on web-2"), .json("[]"))
        web.answer(alerts(named: "HighLatency"), .json(latency))
        web.answer(.post, "\(address)/api/v2/silences", .json(#"{"silenceID": "a1b2"}"#))
        let said = await robot.hears("hubot silence HighLatency on web-2 for 1 day", from: "root")
        #expect(said == [.reply("HighLatency on web-2 is silenced for 1 day. 1 alert is firing now.")])
        let matchers = try created()["matchers"].elements
        #expect(matchers.map { $0["name"].text } == ["alertname", "instance"])
        #expect(matchers.map { $0["value"].text } == ["HighLatency", "web-2"])
    }

    @Test func `another place is refused`() async {
        web.answer(alerts(named: "HighLatency on web-9"), .json("[]"))
        web.answer(alerts(named: "HighLatency"), .json(latency))
        let said = await robot.hears("hubot silence HighLatency on web-9 for 2h", from: "root")
        #expect(said == [.reply("HighLatency isn't firing on web-9.")])
    }

    @Test func `an alert can be silenced in advance`() async throws {
        web.answer(alerts(named: "Reboot"), .json("[]"))
        web.answer(.post, "\(address)/api/v2/silences", .json(#"{"silenceID": "a1b2"}"#))
        let said = await robot.hears("hubot silence Reboot for 30m", from: "root")
        #expect(said == [.reply("Reboot is silenced for 30 minutes. It isn't firing now.")])
    }

    @Test func `a name can't change the filter`() async throws {
        // Without a backslash before the dash: the Alertmanager would refuse that.
        web.answer(alerts(named: #"A\\.\\*\\|B–C"#), .json("[]"))
        web.answer(.post, "\(address)/api/v2/silences", .json(#"{"silenceID": "a1b2"}"#))
        _ = await robot.hears("hubot silence A.*|B–C for 2h", from: "root")
        #expect(try created()["matchers"].elements.first?["value"].text == "A.*|B–C")
    }

    @Test func `only admins and operators may silence`() async throws {
        let refusal = "You need the operator role for that."
        for command in ["silence A for 2h", "unsilence A"] {
            #expect(await robot.hears("hubot \(command)") == [.reply(refusal)])
        }
        try await robot.robot.set(
            role: "operator", of: User(id: User.ID(adapter: "test", value: "alice"), name: "alice"), to: true)
        web.answer("\(address)/api/v2/silences", .json("[]"))
        #expect(await robot.hears("hubot unsilence A") == [.reply("A isn't silenced.")])
    }

    private let silences = """
        [{"id": "a1/b2", "status": {"state": "active"}, "updatedAt": "2026-03-01T12:00:00.000Z", "createdBy": "ada",
          "comment": "c", "startsAt": "2026-03-01T12:00:00.000Z", "endsAt": "2026-03-01T14:05:00.000Z",
          "matchers": [{"name": "alertname", "value": "HighLatency", "isRegex": false, "isEqual": true},
                       {"name": "instance", "value": "web-1", "isRegex": false, "isEqual": true}]},
         {"id": "old", "status": {"state": "expired"}, "endsAt": "2026-02-01T14:05:00.000Z",
          "matchers": [{"name": "alertname", "value": "Old", "isRegex": false}]}]
        """

    @Test func `silences are listed, without those that have ended`() async {
        web.answer("\(address)/api/v2/silences", .json(silences))
        let said = await robot.hears("hubot silences")
        #expect(said == [.text("HighLatency on web-1 until 2026-03-01 14:05 UTC, by ada")])
    }

    @Test func `the conditions of other silences are shown, and they aren't for the alert that they except`() async {
        let except = """
            [{"id": "c3", "status": {"state": "active"}, "createdBy": "", "endsAt": "2026-03-01T14:05:00.000Z",
              "matchers": [{"name": "alertname", "value": "HighLatency", "isRegex": false, "isEqual": false},
                           {"name": "team", "value": "a|b", "isRegex": true}]}]
            """
        web.answer("\(address)/api/v2/silences", .json(except))
        let said = await robot.hears("hubot silences")
        #expect(said == [.text("alertname!=HighLatency, team=~a|b until 2026-03-01 14:05 UTC")])
        web.answer("\(address)/api/v2/silences", .json(except))
        let refused = await robot.hears("hubot unsilence HighLatency", from: "root")
        #expect(refused == [.reply("HighLatency isn't silenced.")])
    }

    @Test(arguments: ["HighLatency", "highlatency on web-1"])
    func `a silence is ended`(_ name: String) async {
        web.answer("\(address)/api/v2/silences", .json(silences))
        web.answer(.delete, "\(address)/api/v2/silence/a1%2Fb2", .text(""))
        let said = await robot.hears("hubot unsilence \(name)", from: "root")
        #expect(said == [.reply("\(name) is no longer silenced.")])
        #expect(web.unconsumed == [])
    }

    @Test func `a wrong login is named`() async {
        web.answer("\(address)/api/v2/silences", .text("Unauthorized", status: 401))
        let said = await robot.hears("hubot silences")
        #expect(said == [.reply("The Alertmanager refuses my login: check HEYBOT_ALERTMANAGER_LOGIN.")])
    }

    @Test(arguments: Fault.allCases) func `a failure of the Alertmanager is reported`(_ fault: Fault) async {
        web.answer("\(address)/api/v2/silences", fault.answer)
        #expect(await robot.hears("hubot silences") == [.reply(fault.spoken("alerts.example.org"))])
    }

    @Test func `without a URL the setting is named`() async {
        let robot = TestRobot(name: "hubot", admins: ["root"], Silences())
        let said = await robot.hears("hubot silence A for 2h", from: "root")
        #expect(said == [.reply("I don't know your Alertmanager yet: set HEYBOT_ALERTMANAGER_URL to its URL.")])
    }

    @Test(arguments: [
        ("30m", "30 minutes"), ("1 minute", "1 minute"), ("2h", "2 hours"), ("90 min", "1 hour 30 minutes"),
        ("1d12h", "1 day 12 hours"), ("1 day and 2 hours", "1 day 2 hours"), ("1w", "7 days"), ("90d", "90 days")
    ])
    func `times are read`(_ text: String, _ spoken: String) {
        #expect(TimeSpan(text[...])?.description == spoken)
    }

    @Test(arguments: ["", "2", "h", "0h", "91d", "2y", "1.5h", "-1h", "2h x", "999999999999999h", "999999w999999w"])
    func `other times are refused`(_ text: String) {
        #expect(TimeSpan(text[...]) == nil)
    }
}
