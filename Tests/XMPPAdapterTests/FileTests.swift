import Heybot
import HeybotTesting
import HeybotXMPP
import Synchronization
import TestServers
import Testing

@testable import XMPPAdapter

/// Files that the robot sends and receives, with a scripted server and web.
@Suite(.timeLimit(.minutes(15))) struct FileTests {
    private let room = "dev@conference.xmpp.test"
    private let login = ScriptedLogin(account: ("marvin", "pencil"))
    private let put = "https://upload.xmpp.test/1/chart.png"
    private let get = "https://files.xmpp.test/1/chart.png"

    /// What the server of a test offers.
    private struct Offer: Sendable {
        var service = true
        var limit = 1_000
        var header = "<header name='Authorization'>Basic QQ==</header><header name='Host'>evil.example</header>"
        var put = "https://upload.xmpp.test/1/chart.png"
    }

    private func withClient(
        _ offer: Offer = Offer(), web: StubHTTPClient? = StubHTTPClient(),
        _ body: (AcceptedXMPPClient) async throws -> Void
    ) async throws {
        let server = try ScriptedXMPPServer()
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port, rooms: [room]) {
            $0.commands = AdHocCommand.standard
        }
        let bot = Bot(configuration, scripts: [TestScript.script, Files()], http: web)
        try await withBot(bot) { bot in
            let client = try await server.accept()
            client.answerJoins(others: ["ada"])
            client.answer { Self.answer(to: $0, offer) }
            client.answerRequests()
            try await client.logIn(login)
            try await client.expect("<presence to='\(room)/marvin'")
            try await bot.isUp()
            try await body(client)
        }
    }

    /// Answers the queries about uploads; other stanzas get no answer here.
    private static func answer(to stanza: String, _ offer: Offer) -> [String] {
        guard stanza.hasPrefix("<iq"), offer.service, let id = attribute("id", of: stanza),
            let to = attribute("to", of: stanza)
        else { return [] }
        func result(_ payload: String) -> [String] { ["<iq type='result' id='\(id)' from='\(to)'>\(payload)</iq>"] }
        if to == "xmpp.test", stanza.contains("http://jabber.org/protocol/disco#items") {
            let items = "<item jid='upload.xmpp.test'/>"
            return result("<query xmlns='http://jabber.org/protocol/disco#items'>\(items)</query>")
        }
        guard to == "upload.xmpp.test" else { return [] }
        if stanza.contains("http://jabber.org/protocol/disco#info") {
            return result(
                """
                <query xmlns='http://jabber.org/protocol/disco#info'><feature var='urn:xmpp:http:upload:0'/>\
                <x xmlns='jabber:x:data' type='result'>\
                <field var='FORM_TYPE'><value>urn:xmpp:http:upload:0</value></field>\
                <field var='max-file-size'><value>\(offer.limit)</value></field></x></query>
                """)
        }
        guard stanza.contains("<request xmlns='urn:xmpp:http:upload:0'") else { return [] }
        return result(
            """
            <slot xmlns='urn:xmpp:http:upload:0'><put url='\(offer.put)'>\(offer.header)</put>\
            <get url='https://files.xmpp.test/1/chart.png'/></slot>
            """)
    }

    private func told(_ text: String, _ more: String = "") -> String {
        "<message type='chat' from='ada@xmpp.test/x' to='marvin@xmpp.test'><body>\(text)</body>\(more)</message>"
    }

    // MARK: Sending

    @Test func `a file is uploaded, and its URL is sent with its description`() async throws {
        let web = StubHTTPClient()
        for _ in 1...2 { web.answer(.put, put, .text("", status: 201)) }
        try await withClient(web: web) { client in
            client.send(told("chart"))
            let sent = try await client.expect("<body>\(get)</body>")
            for part in [
                "<file-sharing xmlns='urn:xmpp:sfs:0'>", "<media-type>image/png</media-type>", "<name>chart.png</name>",
                "<size>3</size>", ">A5BYxvLAy0ksUzsKTRTvd8wPeKvMztUofYShogEc+4E=</hash>", "<desc>Sales</desc>",
                "target='\(get)'/>", "<x xmlns='jabber:x:oob'><url>\(get)</url></x>"
            ] {
                #expect(sent.contains(part), "\(part) isn't in \(sent)")
            }
            let request = try #require(web.requests.first)
            #expect(request.method == .put && request.url == put && request.redirects == 0)
            #expect(request.body == HTTPRequestBody([1, 2, 3] as [UInt8], type: "image/png"))
            #expect(request.headers == ["Authorization": "Basic QQ=="])
            #expect(request.addresses == .publicOnly)
            // The service is known by now.
            client.send(told("chart"))
            try await client.expect("<body>\(get)</body>")
            let queries = client.received.filter { $0.contains("disco#items") && $0.contains("to='xmpp.test'") }
            #expect(queries.count == 1)
        }
    }

    @Test func `a file can be edited like a text`() async throws {
        let web = StubHTTPClient()
        web.answer(.put, put, .text("", status: 201))
        try await withClient(web: web) { client in
            client.send(told("outdated"))
            let sent = try await client.expect("<body>\(get)</body>")
            let id = try #require(attribute("id", of: sent))
            try await client.expect(
                "<body>There is a newer one</body>", "<replace xmlns='urn:xmpp:message-correct:0' id='\(id)'/>")
        }
    }

    @Test func `a form shows a file by its URL`() async throws {
        let web = StubHTTPClient()
        web.answer(.put, put, .text("", status: 201))
        try await withClient(web: web) { client in
            let command = "<command xmlns='http://jabber.org/protocol/commands' node='uptime'/>"
            client.send("<iq type='set' id='form' from='ada@xmpp.test/x'>\(command)</iq>")
            let answer = try await client.expect("<iq", "id='form'")
            #expect(answer.contains("status='completed'") && answer.contains(">\(get)</note>"), "\(answer)")
            #expect(!client.received.contains { $0.hasPrefix("<message") })
        }
    }

    @Test func `without a service, the text in place of the file is sent, or the reason`() async throws {
        try await withClient(Offer(service: false)) { client in
            client.send(told("chart"))
            try await client.expect("<body>Sales</body>")
            client.send(told("plain"))
            try await client.expect("<body>Ada,3</body>")
            client.send(told("picture"))
            try await client.expect("picture.png can't be sent, because the server takes no files")
        }
        try await withClient(web: nil) { client in
            client.send(told("picture"))
            try await client.expect("has no web client")
        }
    }

    @Test func `a file that is too large isn't uploaded`() async throws {
        let web = StubHTTPClient()
        try await withClient(Offer(limit: 2), web: web) { client in
            client.send(told("picture"))
            try await client.expect("picture.png has 3 bytes, but upload.xmpp.test takes 2 at most: shorten it.")
            #expect(web.requests.isEmpty)
            client.send(told("huge"))
            try await client.expect("huge.bin is larger than 32 MiB")
        }
    }

    @Test(arguments: ["http://upload.xmpp.test/1", "https://upload.xmpp.test/&#10;1"])
    func `a slot that can't be used isn't used`(_ url: String) async throws {
        let web = StubHTTPClient()
        try await withClient(Offer(put: url), web: web) { client in
            client.send(told("picture"))
            try await client.expect("picture.png can't be uploaded, because the server")
            #expect(web.requests.isEmpty)
        }
    }

    @Test func `a header field can't inject another`() async throws {
        let web = StubHTTPClient()
        web.answer(.put, put, .text("", status: 201))
        try await withClient(Offer(header: "<header name='Cookie'>a&#13;&#10;X-Evil: 1</header>"), web: web) { client in
            client.send(told("picture"))
            try await client.expect("<body>\(get)</body>")
            #expect(web.requests.first?.headers == ["Cookie": "aX-Evil: 1"])
        }
    }

    @Test(
        arguments: [
            (.text("", status: 403), "upload.xmpp.test answered with status 403"),
            (.failure(.notPublic), "upload.xmpp.test isn't a public web address"),
            (.failure(.timeout), "upload.xmpp.test took too long to answer")
        ] as [(StubHTTPClient.Answer, String)])
    func `a failed upload is reported, and no URL is sent`(
        _ answer: StubHTTPClient.Answer, _ reason: String
    ) async throws {
        let web = StubHTTPClient()
        web.answer(.put, put, answer)
        try await withClient(web: web) { client in
            client.send(told("picture"))
            try await client.expect("picture.png can't be uploaded, because \(reason)")
            #expect(!client.received.contains { $0.contains("file-sharing") })
        }
    }

    // MARK: Receiving

    @Test func `a script gets the files of a message, and reads them within a limit`() async throws {
        let web = StubHTTPClient()
        web.answer("https://a.org/notes.txt", .text("tea"))
        web.answer("https://a.org/notes.txt", .text("coffee"))
        let digest = "qfdNHsNuvesto/blhoCQzSotILPcynti9gMEsdPZ70I="
        func file(_ size: Int) -> String {
            """
            <file-sharing xmlns='urn:xmpp:sfs:0'><file xmlns='urn:xmpp:file:metadata:0'><name>notes.txt</name>\
            <media-type>text/plain</media-type><size>\(size)</size>\
            <hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>\(digest)</hash></file>\
            <sources><url-data xmlns='http://jabber.org/protocol/url-data' target='https://a.org/notes.txt'/></sources>\
            </file-sharing>
            """
        }
        try await withClient(web: web) { client in
            client.send(told("read", file(3)))
            try await client.expect("<body>notes.txt text/plain 3: tea</body>")
            #expect(web.requests.last?.limit == 10 && web.requests.last?.addresses == .publicOnly)
            client.send(told("read", file(3)))
            try await client.expect("<body>a.org sent an unexpected response: it isn")
            client.send(told("read", file(11)))
            try await client.expect("<body>a.org sent a response that is too long</body>")
            client.send(told("read"))
            try await client.expect("<body>no file</body>")
            #expect(web.requests.count == 2)
        }
    }
}

/// Sends files, and reads those that it gets.
private struct Files: Script {
    let name = "Files"

    func register(on robot: inout RobotBuilder) {
        let chart = Attachment(name: "chart.png", type: "image/png", bytes: [1, 2, 3], alternative: "Sales")
        robot.respond(/chart$/) { try await $0.send(chart) }
        robot.respond(/uptime$/, help: "uptime - Show a chart", example: "uptime") { try await $0.send(chart) }
        robot.respond(/outdated$/) { try await $0.send(chart).edit("There is a newer one") }
        robot.respond(/plain$/) { res in
            try await res.send(Attachment(name: "list.csv", type: "text/csv", bytes: Array("Ada,3".utf8)))
        }
        robot.respond(/picture$/) { res in
            try await res.send(Attachment(name: "picture.png", type: "image/png", bytes: [1, 2, 3]))
        }
        robot.respond(/huge$/) { res in
            let bytes = [UInt8](repeating: 0, count: Attachment.largestSize + 1)
            try await res.send(Attachment(name: "huge.bin", type: "application/octet-stream", bytes: bytes))
        }
        robot.respond(/read$/) { res in
            guard let file = res.message.attachments.first else {
                try await res.send("no file")
                return
            }
            do {
                let bytes = try await file.read(upTo: 10, with: res.http)
                let facts = "\(file.name ?? "-") \(file.type ?? "-") \(file.size ?? -1)"
                try await res.send("\(facts): \(String(decoding: bytes, as: UTF8.self))")
            } catch let error as HTTPError {
                try await res.send("\(error)")
            }
        }
    }
}
