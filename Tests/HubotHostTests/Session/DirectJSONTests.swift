import Foundation
import HeybotSupport
import Testing

@testable import HubotHost

/// The messages of each command are written and read directly, with the same result as `JSONEncoder` and `JSONDecoder`.
@Suite struct DirectJSONTests {
    /// A deterministic generator (SplitMix64).
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }

        mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

        mutating func flag() -> Bool { Bool.random(using: &self) }

        mutating func text() -> String {
            var text = ""
            for _ in 0..<number(0...4) { text += DirectJSONTests.pieces[number(0...DirectJSONTests.pieces.count - 1)] }
            return text
        }

        mutating func texts() -> [String] {
            var texts: [String] = []
            for _ in 0..<number(0...3) { texts.append(text()) }
            return texts
        }

        mutating func perhaps(_ text: String) -> String? { flag() ? text : nil }
    }

    private static let pieces = [
        "a", "tea", "é", "e\u{301}", "ß", "😀", "\"", "\\", "/", "\n", "\r", "\t", "\u{1}", "\u{8}", "\u{c}", "\u{1f}",
        "\u{7f}", "\u{2028}", "\u{feff}", "\u{fffd}", "{", "}", "[", "]", ",", ":", "null", "\\u0041", "\\ud800", " "
    ]

    // MARK: Writing

    private func message(_ dice: inout Dice) -> RobotMessage {
        let user = WireUser(id: dice.text(), name: dice.text(), adapter: dice.text())
        let about = WireMessage(
            number: dice.number(0...1_000_000), kind: dice.text(), id: dice.perhaps(dice.text()),
            room: dice.perhaps(dice.text()), user: dice.flag() ? user : nil, text: dice.perhaps(dice.text()),
            command: dice.perhaps(dice.text()), original: dice.perhaps(dice.text()),
            token: dice.flag() ? dice.number(0...9) : nil, disabled: dice.flag() ? dice.texts() : nil)
        switch dice.number(0...4) {
        case 0:
            return .message(
                run: dice.number(0...Int.max), listener: dice.number(0...100), message: about, hold: dice.flag())
        case 1:
            let question = MiddlewareQuestion(
                dice.flag() ? .receive : .listener, about, listenerID: dice.perhaps(dice.text()),
                method: dice.perhaps(dice.text()), strings: dice.flag() ? dice.texts() : nil)
            return .middleware(run: dice.number(0...100), question)
        case 2:
            let value: JSONValue? = dice.flag() ? .string(dice.text()) : nil
            return .response(request: dice.number(0...100), error: dice.perhaps(dice.text()), value: value)
        case 3: return .resume(run: dice.number(0...100), continues: dice.flag())
        default: return .end(number: dice.number(0...100))
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a message is one line, with the same values as with JSONEncoder`(_ seed: UInt64) throws {
        var dice = Dice(state: seed)
        for _ in 0..<2_000 {
            let message = self.message(&dice)
            let line = message.line
            #expect(line.firstIndex(of: UInt8(ascii: "\n")) == line.count - 1)
            let value = try JSONDecoder().decode(JSONValue.self, from: Data(line))
            let expected = try JSONDecoder().decode(JSONValue.self, from: Data(message.encodedLine))
            #expect(value == expected, "\(message)")
        }
    }

    // MARK: Reading

    /// The members of a message as a host may write it, in any order, some of them left out.
    private func line(_ dice: inout Dice) throws -> [UInt8] {
        func quoted(_ text: String) throws -> String {
            String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        }
        let type = ["send", "result", "ended"][dice.number(0...2)]
        var members: [String] = []
        for name in ["request", "run"] { members.append("\"\(name)\":\(dice.number(0...1_000_000_000))") }
        for name in ["kind", "room", "user", "script", "text", "error"] {
            members.append("\"\(name)\":\(try quoted(dice.text()))")
        }
        for name in ["matched", "held", "stopped", "ended", "finished", "continue"] {
            members.append("\"\(name)\":\(dice.flag())")
        }
        let texts = try dice.texts().map { try quoted($0) }.joined(separator: ",")
        members.append("\"strings\":[\(texts)]")
        members.append("\"match\":[\(try quoted(dice.text())),null]")
        let known: Set<String> =
            switch type {
            case "send": ["request", "kind", "strings", "room", "user", "run", "script"]
            case "result":
                [
                    "run", "matched", "held", "match", "stopped", "ended", "finished", "text", "error", "continue",
                    "strings"
                ]
            default: ["run", "error"]
            }
        let required: Set<String> = type == "send" ? ["request", "kind", "strings"] : ["run"]
        let chosen = members.filter { member in
            let name = String(member.dropFirst().prefix { $0 != "\"" })
            return known.contains(name) && (required.contains(name) || dice.flag())
        }
        let all = ["\"type\":\"\(type)\""] + chosen.shuffled(using: &dice)
        return Array("{\(all.joined(separator: ","))}".utf8)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a message has the same values as with JSONDecoder`(_ seed: UInt64) throws {
        var dice = Dice(state: seed)
        for _ in 0..<1_000 {
            let line = try self.line(&dice)
            let text = String(decoding: line, as: UTF8.self)
            let message = try HostMessage(plainLine: line)
            #expect(message == HostMessage(anyLine: line), "\(text)")
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a broken or unusual line is read or refused as by JSONDecoder`(_ seed: UInt64) throws {
        var dice = Dice(state: seed)
        let texts = [
            "\"", "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "\0", "0", "9", "-", ".", "e", "null", "true", "\\u12",
            "\\ud83d\\ude00", "\\udc00", "\\u0000", "\\u00E9", "\\/", "\\x", "\"run\":1,", ",\"run\":null", "\"x\":{}",
            "1.0", "é"
        ]
        let invalid: [[UInt8]] = [[0xC3], [0xFF], [0xED, 0xA0, 0x80], [0xC0, 0x80]]
        let parts = texts.map { Array($0.utf8) } + invalid
        var plain = 0
        for _ in 0..<5_000 {
            var line = try self.line(&dice)
            for _ in 0..<dice.number(1...2) {
                let start = dice.number(0...line.count)
                let end = min(line.count, start + dice.number(0...2))
                line.replaceSubrange(start..<end, with: parts[dice.number(0...parts.count - 1)])
            }
            guard let message = try? HostMessage(plainLine: line) else { continue }
            plain += 1
            #expect(message == HostMessage(anyLine: line), "\(String(decoding: line, as: UTF8.self))")
        }
        // Some lines are still in the usual form.
        #expect(plain > 50)
    }

    @Test(arguments: [
        "", "{", #"{"type":"ended""#, #"{"type":"ended","#, #"{"type":"ended","run":"#, #"{"type":"ended","run":1"#,
        #"{"type":"ended","run":1}}"#, #"{"type":"ended","run":1} "#, #"{"type":"ended","run":1,}"#,
        #"{"type":"ended","run":1,"run":2}"#, #"{"type":"ended","run":01}"#, #"{"type":"ended","run":1.5}"#,
        #"{"type":"ended","run":1234567890123456}"#, #"{"type":"ended","run":null}"#, #"{"type":"ended"}"#,
        #"{"type":"ended","run":1,"error":"\ud800"}"#, #"{"type":"ended","run":1,"error":"\u0000"}"#,
        #"{"type":"ended","run":1,"error":"\"#, #"{"type":"ended","run":1,"error":"\u00"#,
        "{\"type\":\"ended\",\"run\":1,\"error\":\"\t\"}",
        #"{"type":"ended","run":1,"other":1}"#, #"{"type":"send","request":1,"kind":"send"}"#,
        #"{"type":"send","request":1,"kind":"send","strings":["a",]}"#, #"{"type":"pong","id":1}"#
    ])
    func `the direct reader gives up at anything unusual`(_ line: String) {
        #expect(throws: PlainJSONReader.Unusual.self) { try HostMessage(plainLine: Array(line.utf8)) }
    }
}
