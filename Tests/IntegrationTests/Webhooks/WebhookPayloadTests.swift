import Heybot
import TestServers
import Testing

/// Payloads as their tools send them, through a real web server.
@Suite(.timeLimit(.minutes(15))) struct WebhookPayloadTests {
    @Test func `every documented payload gives its lines in the room`() async throws {
        try await withWebhookSite { site in
            for (index, sample) in WebhookSample.all.enumerated() {
                let (name, room) = ("\(index + 1)", "#room\(index + 1)")
                let path = try await site.webhook(name, for: room)
                let headers = sample.headers.fields.map { "\($0.name): \($0.value)" }
                let answer = try await site.post(sample.json, to: path, headers: headers)
                let lines = site.lines(in: room)
                if let reason = sample.lines.first, reason.hasPrefix("(") {
                    let text = "ignored: \(reason.dropFirst().dropLast())\n"
                    #expect(answer == WebhookSite.Answer(status: 202, text: text), "\(sample)")
                    #expect(lines == [], "\(sample)")
                } else {
                    let expected = sample.lines.map { $0.replacing("[webhook 1]", with: "[webhook \(name)]") }
                    #expect(lines == expected, "\(sample)")
                    let isKnown = !lines.contains { $0.contains("format I don't know") }
                    #expect(answer.status == (isKnown ? 200 : 202), "\(sample)")
                }
            }
            #expect(site.bot.warnings == [])
        }
    }

    @Test(
        arguments: [
            (["-d", #"{"text": "with curl -d"}"#], ["[tools] with curl -d"]),
            (["-d", "Deployed to production"], ["[tools] Deployed to production"]),
            (["--data-urlencode", #"payload={"text": "from a form: 1 & 2"}"#], ["[tools] from a form: 1 & 2"]),
            (
                ["-H", "Content-Type: text/plain", "--data-binary", "one\ntwo\r\n\nthree"],
                ["[tools] one", "[tools] two", "[tools] three"]
            ),
            (
                ["-H", "Content-Type: application/json", "-H", "Transfer-Encoding: chunked", "-d", #"{"text": "ü"}"#],
                ["[tools] ü"]
            )
        ])
    func `texts and forms are posted as one sends them with curl`(_ words: [String], _ lines: [String]) async throws {
        try await withWebhookSite { site in
            let path = try await site.webhook("tools", for: "#dev")
            let answer = try await site.curl(words, path)
            #expect(answer == WebhookSite.Answer(status: 200, text: "ok"))
            #expect(site.lines(in: "#dev") == lines)
        }
    }
}
