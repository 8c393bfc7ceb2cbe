import Heybot
import TestServers
import Testing

/// Many alerts, posted over HTTP to a robot that runs.
@Suite(.timeLimit(.minutes(15))) struct WebhookStormTests {
    private static let hosts = 5_000
    /// The hosts whose alerts aren't resolved in the first minute.
    private static let last = 4_997..<5_000

    private static func name(_ host: Int) -> String { host % 3 == 0 ? "DiskFull" : "HighLatency" }

    private static func alert(_ host: Int, isResolved: Bool) -> String {
        let status = isResolved ? "resolved" : "firing"
        return """
            {"status": "\(status)", "labels": {"alertname": "\(name(host))", "instance": "host-\(host)"}, \
            "annotations": {}, "startsAt": "2026-03-01T12:00:00Z", "fingerprint": "\(host)"}
            """
    }

    /// Alertmanager's payload.
    private static func payload(_ alerts: [String]) -> HTTPRequestBody {
        let json = """
            {"version": "4", "groupKey": "{}", "truncatedAlerts": 0, "status": "firing", "receiver": "chat",
             "groupLabels": {}, "commonLabels": {}, "commonAnnotations": {},
             "externalURL": "http://alertmanager.example.org:9093", "alerts": [\(alerts.joined(separator: ", "))]}
            """
        return HTTPRequestBody(json.utf8, type: "application/json")
    }

    private func post(_ host: Int, isResolved: Bool, to path: String, of site: WebhookSite) async throws {
        let body = Self.payload([Self.alert(host, isResolved: isResolved)])
        let response = try await site.send(body, to: path)
        guard response.status == 200 else {
            throw TestServerError.failed("host \(host): status \(response.status), \(response.text)")
        }
    }

    /// Posts the alerts of hosts from eight programs at once; of each host first that it fires.
    private func post(_ hosts: Range<Int>, to path: String, of site: WebhookSite) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in hosts.prefix(8) {
                group.addTask {
                    for host in stride(from: first, to: hosts.upperBound, by: 8) {
                        try await post(host, isResolved: false, to: path, of: site)
                        if !Self.last.contains(host) { try await post(host, isResolved: true, to: path, of: site) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The sum of the numbers before a word, such as `12 fired`.
    private static func sum(_ word: String, in lines: [String]) -> Int {
        lines.reduce(0) { sum, line in
            let words = line.split(separator: " ")
            let numbers = zip(words, words.dropFirst()).filter { $0.1 == word }.compactMap { Int($0.0) }
            return sum + numbers.reduce(0, +)
        }
    }

    @Test func `10,000 alerts in a minute are a handful of lines, and no resolved alert gets lost`() async throws {
        try await withWebhookSite { site in
            let path = try await site.webhook("ops", for: "#ops")
            // A tick is six seconds.
            let perTick = Self.hosts / 10
            for tick in 0..<10 {
                try await post(tick * perTick..<(tick + 1) * perTick, to: path, of: site)
                let isDue = tick % 5 == 4
                site.clock.advance(by: .seconds(6))
                guard isDue else { continue }
                try await wait(for: "a summary in \(site.lines(in: "#ops"))") {
                    site.lines(in: "#ops").count { $0.contains("Alerts in 30 seconds: ") } == (tick + 1) / 5
                }
            }
            let lines = site.lines(in: "#ops")
            #expect(lines.count <= 8, "\(lines)")
            #expect(lines.last?.hasSuffix("Firing now: 3 (HighLatency 2, DiskFull 1).") == true, "\(lines)")
            // Each alert has a line of its own, or is counted.
            let told = lines.count { $0.contains("] FIRING ") }
            #expect(told + Self.sum("fired", in: lines) == Self.hosts, "\(lines)")
            let toldResolved = lines.count { $0.contains("] resolved ") }
            #expect(toldResolved + Self.sum("resolved", in: lines) == Self.hosts - 3, "\(lines)")

            site.clock.advance(by: .seconds(60))
            for host in Self.last { try await post(host, isResolved: true, to: path, of: site) }
            let resolved = Self.last.map { "[ops] resolved \(Self.name($0)) on host-\($0)" }
            #expect(Array(site.lines(in: "#ops").dropFirst(lines.count)) == resolved)
            #expect(site.bot.warnings == [])
        }
    }

    @Test func `10,000 alerts in one payload are a few lines`() async throws {
        try await withWebhookSite { site in
            let path = try await site.webhook("ops", for: "#ops")
            let alerts = (0..<10_000).map { Self.alert($0, isResolved: $0 >= Self.hosts) }
            let response = try await site.send(Self.payload(alerts), to: path)
            #expect(response.status == 200, "\(response.text)")
            let lines = site.lines(in: "#ops")
            #expect(
                lines.map { $0.prefix { $0 != ")" } } == [
                    "[ops] FIRING DiskFull (1667", "[ops] FIRING HighLatency (3333",
                    "[ops] resolved HighLatency (3333", "[ops] resolved DiskFull (1667"
                ])
        }
    }
}
