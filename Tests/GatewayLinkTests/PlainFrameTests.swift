import Foundation
import Heybot
import HeybotSupport
import HeybotTesting
import Testing

@testable import GatewayLink

/// What is read without `JSONDecoder` has the same value as with it.
@Suite struct PlainFrameTests {
    private static let texts = ["", "hi", "a \"quote\" \\ back", "two\nlines\t\u{1}", "ключ 日本 🧑‍💻 e\u{301}", "\u{301}:x"]

    /// The JSON of frames, some with all members and some with few.
    private static func frames() throws -> (gateway: [[UInt8]], worker: [[UInt8]]) {
        var (gateway, worker): ([GatewayFrame], [WorkerFrame]) = ([], [.done([]), .done([1, 20, 300])])
        for (index, text) in texts.enumerated() {
            let isFull = !index.isMultiple(of: 2)
            let user = User(
                id: .init(adapter: "irc", value: text), name: text, account: isFull ? text : nil, isAnonymous: isFull)
            let room = Room(id: .init(adapter: "irc", value: text), name: text, isPrivate: isFull)
            let message = Message(
                id: .init(adapter: "irc", value: text), user: user, room: room, content: .text(text),
                time: Date(timeIntervalSinceReferenceDate: 800_000_000.123_456 + Double(index) / 3),
                isAddressed: isFull, origin: isFull ? text : nil)
            gateway.append(.message(NumberedMessage(number: index, attempt: 1, message: message)))
            var outcome = CallOutcome()
            if isFull { outcome.message = message.id }
            gateway.append(.result(call: index, outcome))
            var envelope = Envelope(room: room, user: isFull ? user : nil, message: isFull ? message.id : nil)
            if isFull { (envelope.thread, envelope.isTracked) = (text, true) }
            for utterance in [Utterance.text(text), .reply(text), .emote(text), .topic(text)] {
                var call = AdapterCall(call: index, adapter: "irc", operation: .deliver(utterance, envelope))
                if isFull {
                    (call.number, call.index, call.observed, call.observer) = (index, 2, message.id, text)
                }
                worker.append(.call(call))
            }
        }
        return (try gateway.map { try #require($0.plainJSON) }, try worker.map { try #require($0.plainJSON) })
    }

    private static let pieces: [[UInt8]] =
        [
            "\"", "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "\0", "0", "9", "-", ".", "e", "null", "true", "false",
            "\\u12", "\\ud83d\\ude00", "\\udc00", "\\u0000", "\\u00E9", "\\/", "\"new\":1,", ",\"new\":{\"a\":[]}",
            "\"kind\":\"text\"", "\"isAddressed\":true,", "1.0", "e5", "é"
        ]
        .map { Array($0.utf8) } + [[0xC3], [0xFF], [0xED, 0xA0, 0x80], [0xC0, 0x80]]

    private static func changed(_ json: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var json = json
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let start = Int.random(in: 0...json.count, using: &generator)
            let end = min(json.count, start + Int.random(in: 0...2, using: &generator))
            json.replaceSubrange(start..<end, with: pieces.randomElement(using: &generator) ?? [])
        }
        return json
    }

    /// Whether the time is one that `Double` reads, but JSON doesn't allow, such as `1.`; no peer writes it.
    private static func hasLooseTime(_ json: [UInt8]) -> Bool {
        let time = String(decoding: json, as: UTF8.self).firstMatch(of: /"time":([^,]*),/)
        return time.map { $0.1.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+\-]?[0-9]{1,2})?/) == nil } ?? false
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a changed frame is read as by JSONDecoder, or left to it`(_ seed: UInt64) throws {
        let frames = try Self.frames()
        var generator = SeededGenerator(seed: seed)
        var plain = 0
        for _ in 0..<3_000 {
            let json = Self.changed(frames.gateway.randomElement(using: &generator) ?? [], &generator)
            if let frame = try? GatewayFrame(plainJSON: json), !Self.hasLooseTime(json) {
                plain += 1
                let decoded = try? JSONDecoder().decode(GatewayFrame.self, from: Data(json))
                #expect(decoded == frame, "\(String(decoding: json, as: UTF8.self))")
            }
            let other = Self.changed(frames.worker.randomElement(using: &generator) ?? [], &generator)
            if let frame = try? WorkerFrame(plainJSON: other) {
                plain += 1
                let decoded = try? JSONDecoder().decode(WorkerFrame.self, from: Data(other))
                #expect(decoded == frame, "\(String(decoding: other, as: UTF8.self))")
            }
        }
        // Some are still in the usual form.
        #expect(plain > 100)
    }

    @Test func `what another version writes is left to JSONDecoder`() throws {
        let room = #"{"id":"irc:dev","isPrivate":false,"name":"dev"}"#
        let user = #"{"id":"irc:al","isAnonymous":false,"name":"Al"}"#
        let content = #"{"kind":"text","text":"hi"}"#
        let message =
            #"{"content":\#(content),"id":"irc:1","isAddressed":true,"room":\#(room),"time":5,"user":\#(user)}"#
        let plain = #"{"attempt":1,"message":\#(message),"number":7,"type":"message"}"#
        let expected = try GatewayFrame(plainJSON: Array(plain.utf8))
        let others = [
            plain + " ", plain.replacing(#""type":"#, with: #""urgent":true,"type":"#),
            plain.replacing(#""time":5"#, with: #""place":{"x":1},"time":5"#),
            #"{"type":"message","number":7,"attempt":1,"message":\#(message)}"#
        ]
        for other in others {
            let json = Array(other.utf8)
            #expect(throws: PlainJSONReader.Unusual.self, "\(other)") { try GatewayFrame(plainJSON: json) }
            #expect(try LinkCoder.gatewayFrame(FrameBytes(json: json)) == expected, "\(other)")
        }
        let result = Array(#"{"call":4,"outcome":{},"type":"result"}"#.utf8)
        #expect(throws: PlainJSONReader.Unusual.self) { try GatewayFrame(plainJSON: result + result) }

        func call(_ kind: String, tracking: String = "") -> [UInt8] {
            let envelope = #"{"room":\#(room)\#(tracking)}"#
            let utterance = #"{"kind":"\#(kind)","text":"hi"}"#
            let operation = #"{"envelope":\#(envelope),"kind":"deliver","utterance":\#(utterance)}"#
            return Array(#"{"adapter":"irc","call":1,"operation":\#(operation),"type":"call"}"#.utf8)
        }
        #expect(throws: PlainJSONReader.Unusual.self) { try WorkerFrame(plainJSON: call("sing")) }
        let untracked = try WorkerFrame(plainJSON: call("text"))
        #expect(try WorkerFrame(plainJSON: call("text", tracking: #","tracking":false"#)) == untracked)
        #expect(try WorkerFrame(plainJSON: call("text", tracking: #","tracking":true"#)) != untracked)
    }
}
