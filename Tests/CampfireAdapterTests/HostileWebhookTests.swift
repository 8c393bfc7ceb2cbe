import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

@testable import CampfireAdapter

/// Malformed JSON.
@Suite(.timeLimit(.minutes(15))) struct HostileWebhookTests {
    /// The required parts of a message, decoded independently of the adapter.
    private struct Expected: Decodable {
        struct Body: Decodable { let plain: String }
        struct Said: Decodable { let body: Body }
        struct Button: Decodable { let value: String }
        let type: String?
        let message: Said?
        let action: Button?
    }

    @Test func `5000 mutated events never crash it or change the text`() async throws {
        let script = InlineScript { robot in
            robot.hear(/.*/) { try await $0.send("I heard: \($0.message.text ?? "")") }
        }
        var generator = SeededGenerator(seed: 16)
        try await CampfireHarness.run(script) { bench in
            var counts: [Int: Int] = [:]
            for number in 1...5_000 {
                let body = mutated(number, &generator)
                let answer = await bench.server.post("/campfire/\(FakeCampfire.secret)", body)
                counts[answer.status, default: 0] += 1
                guard answer.status == 200 else {
                    #expect(answer.status == 204 && answer.body.isEmpty || answer.status == 400, "\(answer.status)")
                    continue
                }
                let expected = try JSONDecoder().decode(Expected.self, from: Data(body))
                #expect(expected.type == nil || expected.type == "message")
                let text = try #require(expected.message?.body.plain)
                #expect(String(decoding: answer.body, as: UTF8.self) == html("I heard: \(text)"))
                // Otherwise the next answer would be posted.
                await bench.time.pass(.milliseconds(250))
            }
            #expect(counts[400, default: 0] > 500 && counts[200, default: 0] > 500, "\(counts)")
            for request in bench.campfire.state.value.requests {
                let body = try #require(request.body)
                #expect(body.bytes.starts(with: "I heard: ".utf8))
            }
            #expect(bench.robot.failures == 0)
        }
    }

    private func html(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\r\n", with: "<br>").replacing("\n", with: "<br>").replacing("\r", with: "<br>")
    }

    private func mutated(_ number: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(
            (number % 5 == 0
                ? FakeCampfire.action("yes", id: "\(number)")
                : FakeCampfire.message("<b>hi</b> & \u{1F44B}\n\(number)", id: number)).utf8)
        let pieces = [
            "null", "true", "-1", "1e999", "99999999999999999999", "\"\"", "\"\\u0000\"", "\"\\ud800\"", "[]", "{}",
            "[[[[[[[[", "\"type\":\"action\",", "\"id\":\"../..\",", "\"plain\":7,", ",,", "\\", "\"", "\u{0}",
            "\u{FEFF}",
            String(repeating: "[", count: 2_000), String(repeating: "9", count: 400)
        ]
        for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: index)
            case 2: bytes.removeSubrange(index...)
            case 3:
                let end = min(index + Int.random(in: 0...30, using: &generator), bytes.count)
                bytes.removeSubrange(index..<end)
            case 4:
                let end = min(index + Int.random(in: 0...60, using: &generator), bytes.count)
                bytes.insert(contentsOf: Array(bytes[index..<end]), at: index)
            default:
                let piece = pieces[Int.random(in: 0..<pieces.count, using: &generator)]
                bytes.insert(contentsOf: piece.utf8, at: index)
            }
        }
        return bytes
    }
}
