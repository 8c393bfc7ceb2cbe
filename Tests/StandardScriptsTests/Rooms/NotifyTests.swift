import FoundationEssentials
import Heybot
import HeybotTesting
import StandardScripts
import Synchronization
import Testing

@Suite struct NotifyTests {
    let robot = TestRobot(settings: ["NOTIFY_TOKEN": "t0ken"], Notify())

    private func notify(
        _ body: HTTPRequestBody?, to target: String = "/notify/%23dev", _ authorization: String? = "Bearer t0ken"
    ) async -> WebResponse {
        var headers: HTTPHeaders = [:]
        headers["Authorization"] = authorization
        return await robot.receives(.post, target, headers: headers, body: body)
    }

    @Test(arguments: [
        HTTPRequestBody.text("Deployed"), HTTPRequestBody("Deployed".utf8, type: "text/plain"),
        HTTPRequestBody("Deployed\r\n\n".utf8, type: ""),
        HTTPRequestBody("Deployed".utf8, type: "TEXT/PLAIN;charset=us-ascii"), .form(["text": "Deployed"]),
        .form(["message": "Deployed"]), .form(["message": "Not this", "text": "Deployed"]),
        HTTPRequestBody(#"{"text": "Deployed", "by": 1}"#.utf8, type: "application/json; charset=utf-8")
    ])
    func `it posts the given text`(_ body: HTTPRequestBody) async {
        #expect(await notify(body) == .text("posted"))
        #expect(robot.lines.map(\.room) == ["#dev"])
        #expect(robot.lines.map(\.utterance) == [.text("Deployed")])
    }

    @Test func `several lines are one message`() async {
        #expect(await notify(.text("one\n\n  two\n")) == .text("posted"))
        #expect(await notify(.form(["text": "three\r\nfour & ünf"])) == .text("posted"))
        #expect(robot.lines.map(\.utterance) == [.text("one\n\n  two"), .text("three\r\nfour & ünf")])
    }

    @Test func `without a token there is no such place`() async {
        for settings in [[:], ["NOTIFY_TOKEN": ""]] {
            let robot = TestRobot(settings: settings, Notify())
            #expect(
                await robot.receives(
                    .post, "/notify/%23dev", headers: ["Authorization": "Bearer "], body: .text("hi")
                ).status == 404)
        }
    }

    @Test(arguments: [
        nil, "", "Bearer", "Bearer ", "Bearer T0ken", "Bearer t0ken2", "Bearer t0ke", "Basic dDBrZW46",
        "Bearer t0ken, Bearer t0ken"
    ])
    func `a wrong token gets no further information`(_ authorization: String?) async {
        for target in ["/notify/%23dev", "/notify/nowhere:%23dev"] {
            let answer = await notify(.text(""), to: target, authorization)
            let isMissing = (authorization ?? "").isEmpty
            let text =
                isMissing ? "The token is missing: send it in the header Authorization." : "The token is wrong."
            #expect(answer == .text("\(text)\n", status: 401))
        }
        #expect(robot.lines == [])
    }

    @Test(
        arguments: [
            (nil, 400, "There is no text to post: send some text."),
            (.text(" \n\t"), 400, "There is no text to post: send some text."),
            (.form(["txt": "Deployed"]), 400, "There is no text to post: send some text."),
            (.form(["text": ""]), 400, "There is no text to post: send some text."),
            (
                HTTPRequestBody("{".utf8, type: "application/json"), 400,
                "The body isn't the expected JSON: it isn't valid JSON."
            ),
            (
                HTTPRequestBody(#"{"message": "hi"}"#.utf8, type: "application/json"), 400,
                "The body isn't the expected JSON: text is missing."
            ),
            (
                HTTPRequestBody(#"{"text": 3}"#.utf8, type: "application/json"), 400,
                "The body isn't the expected JSON: text isn't a string."
            ),
            (
                HTTPRequestBody([0xFF], type: "image/png"), 415,
                "Send plain text (text/plain), JSON such as {\"text\": \"Hello\"}, or a form with a field named text."
            ),
            (
                .text(String(repeating: "é", count: 4_001)), 413,
                "That's too long: send at most 4000 characters."
            ),
            (.text(String(repeating: "x", count: 70_000)), 413, "The request body is too large.")
        ] as [(HTTPRequestBody?, Int, String)])
    func `an invalid text is refused`(_ body: HTTPRequestBody?, _ status: Int, _ why: String) async {
        #expect(await notify(body) == .text(why + "\n", status: status))
        #expect(robot.lines == [])
    }

    @Test func `4,000 characters are not too many, however they are written`() async throws {
        let text = String(repeating: "🚀", count: 4_000)
        #expect(await notify(.text(text)) == .text("posted"))
        #expect(await notify(.form(["text": text])) == .text("posted"))
        #expect(await notify(try .json(["text": text])) == .text("posted"))
        #expect(robot.lines.map(\.utterance) == [.text(text), .text(text), .text(text)])
    }

    @Test func `a room that can't be is refused`() async {
        #expect(
            await notify(.text("hi"), to: "/notify/irc:%23dev")
                == .text("I have no adapter irc; I have test.\n", status: 404))
        #expect(robot.lines == [])
    }

    @Test func `it is silent where the script is disabled`() async throws {
        #expect(await notify(.text("hi")) == .text("posted"))
        try await robot.robot.turn("Notify", on: false, in: "#dev")
        #expect(
            await notify(.text("hi"))
                == .text(
                    "I can't post in test:#dev: the script Notify is disabled there.\n", status: 403))
        #expect(await notify(.text("hi"), to: "/notify/%23ops") == .text("posted"))
    }

    @Test func `a room that can't be reached is reported`() async throws {
        let irc = FlakyAdapter("irc", silent: ["#dev"])
        let brain = Brain(store: MemoryStore())
        try await withRobot([irc], Notify(), settings: ["NOTIFY_TOKEN": "t0ken"], brain: brain) { post in
            let headers: HTTPHeaders = ["Authorization": "Bearer t0ken"]
            #expect(
                await post("/notify/irc:%23dev", headers, .text("hi"))
                    == .text("I can't post in irc:#dev right now.\n", status: 503))
            #expect(await post("/notify/%23ops", headers, .text("hi")) == .text("posted"))
            #expect(irc.said == ["#ops: hi"])
        }
    }

    @Test func `a room that the robot isn't in is not found`() async throws {
        let irc = MembershipReportingAdapter()
        let server = ManualServer()
        let robot = Robot(
            name: "hubot", adapters: [irc], brain: Brain(store: MemoryStore()), scripts: [Notify()],
            settings: ["NOTIFY_TOKEN": "t0ken"], server: server)
        async let running: Void = robot.run()
        let routes = try #require(await server.routes)
        func post(_ target: String) async -> WebResponse? {
            await routes.answer(.post, target, headers: ["Authorization": "Bearer t0ken"], client: nil) { _, _ in
                Array("hi".utf8)
            }
        }
        #expect(
            await post("/notify/%23dve")
                == .text(
                    "I'm not in irc:#dve. Check the room's name, and write %23 for # in the URL.\n", status: 404))
        #expect(await post("/notify/%23dev") == .text("posted"))
        // Of a person only the service knows.
        #expect(await post("/notify/ada") == .text("posted"))
        #expect(irc.said == ["#dev", "ada"])
        robot.stop()
        try await running
    }

    @Test func `attachments and alerts are posted too`() async {
        func said(_ json: String) async -> String {
            let before = robot.lines.count
            _ = await notify(HTTPRequestBody(json.utf8, type: "application/json"))
            return robot.lines.dropFirst(before).map(\.utterance.content).joined(separator: "|")
        }
        #expect(
            await said(
                #"{"text": "Deploy", "attachments": [{"fallback": "f", "title": "web", "title_link": "https://example.org/1", "text": "done"}, {"fallback": "only this"}]}"#
            ) == "Deploy\nweb - done - https://example.org/1\nonly this")
        let alert =
            #"{"status": "firing", "labels": {"alertname": "DiskFull", "instance": "db1"}, "annotations": {"summary": "5% left"}}"#
        #expect(
            await said(#"{"version": "4", "status": "firing", "alerts": [\#(alert), {"status": "resolved"}]}"#)
                == "FIRING DiskFull on db1: 5% left\nresolved alert")
        let seven = Array(repeating: alert, count: 7).joined(separator: ",")
        #expect(await said(#"{"alerts": [\#(seven)]}"#).split(separator: "\n").last == "and 2 more alerts")
    }
}
