import Heybot
import HeybotSupport
import HeybotTesting
import Testing

@testable import StandardScripts

/// Whatever a payload contains, the lines are few, short, and harmless.
@Suite struct HostileWebhookTests {
    @Test(arguments: [
        ("@everyone look", "everyone look"), ("@@here", "here"), ("＠channel!", "channel!"),
        ("<!channel>", "channel>"), ("<!@＠Here", "Here"), ("@ ＠ <! x@", "@ ＠ <! x@"), ("a  b ", "a b"),
        ("@ev\u{200B}eryone", "everyone"), ("@EVERYONE\u{301}", "EVERYONE\u{301}"), ("@all of you", "all of you"),
        ("@allison and ada@here.example.org", "@allison and adahere.example.org"),
        ("mail ada@example.org", "mail ada@example.org"),
        ("\u{202E}x\u{3}4,1y\u{7}\nz", "x4,1y z")
    ])
    func `no text mentions everyone or controls a client`(_ text: String, _ safe: String) {
        #expect(Webhooks.safeLine(text, limit: 100) == safe)
    }

    @Test func `a long text is cut to a few lines`() {
        let notice = Webhooks.Notice(texts: [String(repeating: "a\n", count: 100_000)])
        #expect(notice.lines(label: "x") == ["[x] a", "[x] a", "[x] a", "[x] a", "[x] …"])
        let long = Webhooks.Notice(texts: [String(repeating: "é", count: 100_000)]).lines(label: "x")
        #expect(long.count == 1 && long.allSatisfy { $0.count <= 404 && $0.hasSuffix("…") })
    }

    @Test func `a payload of many values is read, and the alerts in it are a few lines`() throws {
        let alerts = String(repeating: #"{"labels":{"alertname":"@here"}},"#, count: 2_000)
        let json = try #require(JSONValue(#"{"status": "firing", "alerts": [\#(alerts)null]}"#))
        guard case .notice(let notice) = Webhooks.read(Webhooks.Payload(json)) else {
            Issue.record("it was ignored")
            return
        }
        #expect(notice.lines(label: "x") == ["[x] FIRING here (2000)", "[x] FIRING alert"])
    }

    @Test(
        arguments: [
            ("1234567890123456789", "1234567890123456789"), ("7.0", "7"), ("2.5", "2.5"), ("1e300", "1e+300"),
            ("\"7\"", "7"), ("\"\"", nil), ("true", nil), ("[7]", nil)
        ] as [(String, String?)])
    func `strings and numbers are texts`(_ json: String, _ text: String?) throws {
        let value = try #require(JSONValue(json))
        #expect(value.text == text)
    }

    @Test func `combining marks can't be gathered from several references`() {
        let marks = String(repeating: "\u{301}", count: 90)
        let text = "a\(marks)<@x|\(marks)>"
        #expect(!Webhooks.CombiningMarks.areTooMany(in: Webhooks.Markup.plain(text)))
    }

    @Test func `an unknown payload shows some of its keys, and none of its values`() throws {
        let fields = (0..<500).map { "\"key\($0)@everyone\": \"secret\"" }.joined(separator: ",")
        let json = try #require(JSONValue("{\(fields)}"))
        guard case .notice(let notice) = Webhooks.read(Webhooks.Payload(json)) else {
            Issue.record("it was ignored")
            return
        }
        let lines = notice.lines(label: "x")
        #expect(lines.count == 1 && lines.allSatisfy { $0.hasSuffix("…") && !$0.contains("@") })
        #expect(!lines.joined().contains("secret"))
        #expect(notice.unknownKeys?.count == 20)
    }

    @Test(arguments: [
        "{}", "[]", "3", "true", #"{"alerts": 3, "status": "firing"}"#, #"{"alerts": [3, null], "status": "firing"}"#,
        #"{"object_kind": "push"}"#, #"{"object_kind": ["push"], "text": "a"}"#,
        #"{"heartbeat": 1, "monitor": [], "msg": "a"}"#,
        #"{"build": {"number": 1e300, "status": "SUCCESS"}, "name": "a"}"#, #"{"blocks": [[[{"type": "section"}]]]}"#,
        #"{"attachments": [null, 1, {"fields": 3}]}"#, #"{"embeds": {"a": 1}, "content": ["a"]}"#,
        #"{"data": {}, "action": "created", "actor": {}}"#, #"{"object_kind": "note", "object_attributes": {}}"#
    ])
    func `fields of unexpected types are no problem`(_ json: String) throws {
        let json = try #require(JSONValue(json))
        if case .notice(let notice) = Webhooks.read(Webhooks.Payload(json)) {
            let lines = notice.lines(label: "x")
            #expect(1...5 ~= lines.count && lines.allSatisfy { $0.count < 500 })
        }
    }
}
