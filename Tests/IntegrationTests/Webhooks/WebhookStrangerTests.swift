import Foundation
import Heybot
import TestServers
import Testing

/// A stranger who has the address of one room's webhook.
@Suite(.timeLimit(.minutes(15))) struct WebhookStrangerTests {
    @Test func `no payload, query or header leads to another room`() async throws {
        try await withWebhookSite { site in
            let path = try await site.webhook("ops", for: "#ops")
            _ = try await site.webhook("dev", for: "#dev")
            let payloads = [
                ##"{"text": "Slack", "channel": "#dev", "room": "test:#dev", "username": "dev"}"##,
                ##"{"content": "Discord", "channel_id": "#dev", "thread_id": "#dev"}"##,
                ##"{"receiver": "#dev", "alerts": [{"labels": {"alertname": "A", "room": "#dev"}}]}"##,
                ##"{"title": "dev", "message": "a message", "topic": "#dev", "webhook": "dev", "to": "#dev"}"##
            ]
            for payload in payloads {
                site.clock.advance(by: .seconds(60))
                let answer = try await site.post(
                    payload, to: "\(path)?room=%23dev&channel=%23dev&webhook=dev",
                    headers: ["X-Room: #dev", "X-Original-URL: /webhooks/dev/x", "X-HTTP-Method-Override: PUT"])
                #expect(answer.status == 200, "\(payload): \(answer)")
            }
            #expect(site.lines(in: "#ops").count == payloads.count)
            #expect(site.lines(in: "#dev") == [])
        }
    }

    @Test func `the address of another webhook can't be made of it`() async throws {
        try await withWebhookSite { site in
            let path = try await site.webhook("ops", for: "#ops")
            _ = try await site.webhook("dev", for: "#dev")
            let secret = String(path.split(separator: "/").last ?? "")
            let paths = [
                "/webhooks/dev/\(secret)", "/webhooks/ops/\(secret)0", "/webhooks/ops/\(secret.dropLast())",
                "/webhooks/ops/\(secret.lowercased())", "/webhooks/ops/", "/webhooks/ops/%00", "/webhooks//\(secret)",
                "/webhooks/ops/../dev/\(secret)", "/webhooks/ops%2F..%2Fdev/\(secret)", "/webhooks/*/\(secret)",
                "\(path)/../../dev", "\(path)%00", "/webhooks/dev/\(String(repeating: "a", count: 4_000))"
            ]
            var answers: Set<String> = []
            for path in paths {
                let answer = try await site.post(#"{"text": "pwned"}"#, to: path)
                #expect([400, 404].contains(answer.status), "\(path): \(answer)")
                if path.hasPrefix("/webhooks/dev/") { answers.insert(answer.text) }
            }
            // The answer doesn't tell whether a webhook exists.
            answers.insert(try await site.post("x", to: "/webhooks/nobody/\(secret)", type: "text/plain").text)
            #expect(answers.count == 1, "\(answers)")
            for method in ["GET", "PUT", "DELETE"] {
                let answer = try await site.curl(["-X", method, "-d", "pwned"], path)
                #expect([404, 405].contains(answer.status), "\(method): \(answer)")
            }
            #expect(site.lines(in: "#ops") == [])
            #expect(site.lines(in: "#dev") == [])
        }
    }

    @Test func `no payload makes the robot fetch anything`() async throws {
        let trap = try ScriptedHTTPServer { client in
            client.head()
            client.answer("200 OK", ["Content-Type: text/html"], "<title>caught</title>")
        }
        defer { trap.stop() }
        try await withWebhookSite { site in
            let url = trap.url("/trap")
            let payloads = [
                """
                {"text": "<\(url)> and \(url)", "unfurl_links": true, "icon_url": "\(url)", "response_url": "\(url)",
                 "attachments": [{"title": "a", "title_link": "\(url)", "image_url": "\(url)", "thumb_url": "\(url)"}],
                 "blocks": [{"type": "image", "image_url": "\(url)", "alt_text": "an image"}]}
                """,
                """
                {"content": "look", "avatar_url": "\(url)", "embeds": [{"url": "\(url)", "title": "t",
                 "image": {"url": "\(url)"}, "thumbnail": {"url": "\(url)"}, "video": {"url": "\(url)"}}]}
                """,
                """
                {"status": "firing", "receiver": "x", "externalURL": "\(url)", "alerts": [{"status": "firing",
                 "labels": {"alertname": "A"}, "generatorURL": "\(url)", "silenceURL": "\(url)", "panelURL": "\(url)",
                 "imageURL": "\(url)"}]}
                """,
                #"{"message": "see", "url": "\#(url)", "image": "\#(url)", "href": "\#(url)", "$ref": "\#(url)"}"#,
                #"{"unknown": {"url": "\#(url)"}, "callback": "\#(url)"}"#
            ]
            for (index, payload) in payloads.enumerated() {
                let path = try await site.webhook("hook-\(index)", for: "#ops")
                let answer = try await site.post(payload, to: path)
                #expect([200, 202].contains(answer.status), "\(payload): \(answer)")
            }
            #expect(site.lines(in: "#ops").count >= payloads.count)
            // The robot can reach it: only nothing made it do that.
            var request = HTTPRequest(.get, url)
            request.deadline = .testLimit
            let response = try await site.http.send(request)
            #expect(response.status == 200)
        }
        #expect(trap.clients.count == 1)
    }

    @Test func `no text mentions everyone, controls a client, or begins another line`() async throws {
        let texts = [
            "@everyone, @here and @channel", "<!channel> <!here|here> <!everyone>", "＠all ＠room @group",
            "@ev\u{200B}eryone @\u{2060}here", "\u{202E}reversed\u{1}ACTION dances\u{1}\u{3}4red\u{1B}[31m\u{7}\u{0}",
            "quit\r\nPRIVMSG #dev :pwned\r\nJOIN 0", "\u{2028}next\u{85}line", "</body><body>@everyone"
        ]
        try await withWebhookSite { site in
            for (index, text) in texts.enumerated() {
                let message = try Self.json(["text": text, "username": text])
                let labels = try Self.json(["alertname": text, "instance": text])
                let alert = #"{"status": "firing", "alerts": [{"labels": \#(labels)}], "receiver": "x"}"#
                for (kind, payload) in [("text", message), ("alert", alert)] {
                    let path = try await site.webhook("\(kind)-\(index)", for: "#ops")
                    let answer = try await site.post(payload, to: path)
                    #expect(answer.status == 200, "\(payload): \(answer)")
                }
            }
            let lines = site.lines(in: "#ops")
            #expect(lines.count >= texts.count * 2)
            let words = ["everyone", "here", "channel", "all", "room", "group"]
            let mentions = words.flatMap { word in ["@", "＠", "<!"].map { "\($0)\(word)" } }
            for line in lines {
                #expect(line.hasPrefix("["), "\(line)")
                #expect(!mentions.contains { line.lowercased().contains($0) }, "\(line)")
                let isPlain = line.unicodeScalars.allSatisfy { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: false
                    default: true
                    }
                }
                #expect(isPlain, "\(line)")
            }
        }
    }

    private static func json(_ fields: [String: String]) throws -> String {
        String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
    }

    @Test func `however much is sent, the room gets a few short lines`() async throws {
        try await withWebhookSite { site in
            let path = try await site.webhook("ops", for: "#ops")
            let text = String(repeating: String(repeating: "long ", count: 500) + "\n", count: 20)
            for _ in 0..<100 {
                let response = try await site.send(.text(text), to: path)
                #expect(response.status == 200)
            }
            #expect(site.lines(in: "#ops").count <= 5)
            site.clock.advance(by: .seconds(30))
            try await wait(for: "a summary") {
                site.lines(in: "#ops").contains { $0.contains("In 30 seconds: 99 messages") }
            }
            let lines = site.lines(in: "#ops")
            #expect(lines.count <= 7, "\(lines.count)")
            #expect(lines.allSatisfy { $0.count <= 500 })

            let huge = String(repeating: "x", count: 5 << 20)
            #expect(try await site.post(huge, to: path, type: "text/plain").status == 413)
            let deep = String(repeating: "[", count: 100_000)
            #expect(try await site.post(deep, to: path).status == 400)
            #expect(site.lines(in: "#ops").count == lines.count)
        }
    }
}
