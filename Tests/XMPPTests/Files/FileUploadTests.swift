import Testing

@testable import HeybotXMPP

/// Uploads (XEP-0363): what they ask and do, also if the server and the service don't behave.
@Suite struct FileUploadTests {
    private let server = jid("ship.org")
    private let service = jid("upload.ship.org")
    private let put = "https://upload.ship.org/1/chart.png"
    private let get = "https://files.ship.org/1/chart.png"

    private func upload(size: Int = 3, known: FileUpload.Service? = nil) -> FileUpload {
        FileUpload(
            name: "chart.png", type: "image/png", size: size, account: jid("marvin@ship.org/r1"), service: known)
    }

    /// The result of a query.
    private func result(_ xml: String) -> Result<Element?, StanzaError> {
        guard case .element(let element)? = TranscriptPlayer.event(xml) else {
            Issue.record("that's no XML: \(xml)")
            return .success(nil)
        }
        return .success(element)
    }

    private func failure(_ type: String, _ condition: DefinedCondition) -> Result<Element?, StanzaError> {
        .failure(StanzaError(type: type, condition: condition))
    }

    private func list(_ addresses: String...) -> Result<Element?, StanzaError> {
        result("<items:query>\(addresses.map { "<items:item jid='\($0)'/>" }.joined())</items:query>")
    }

    private func info(limit: String? = nil) -> Result<Element?, StanzaError> {
        let form = limit.map { limit in
            """
            <data:x type='result'><data:field var='FORM_TYPE'><data:value>urn:xmpp:http:upload:0</data:value>\
            </data:field><data:field var='max-file-size'><data:value>\(limit)</data:value></data:field></data:x>
            """
        }
        return result("<info:query><info:feature var='urn:xmpp:http:upload:0'/>\(form ?? "")</info:query>")
    }

    private var other: Result<Element?, StanzaError> {
        result("<info:query><info:feature var='urn:x'/></info:query>")
    }

    private func slot(
        _ headers: String = "", put: String? = nil, get: String? = nil
    ) -> Result<Element?, StanzaError> {
        result(
            """
            <upload:slot><upload:put url='\(put ?? self.put)'>\(headers)</upload:put>\
            <upload:get url='\(get ?? self.get)'/></upload:slot>
            """)
    }

    private func header(_ name: String, _ value: String) -> String {
        "<upload:header name='\(name)'>\(value)</upload:header>"
    }

    private var request: FileUpload.Step {
        let payload = Element(
            "request", Namespace.httpUpload, ["filename": "chart.png", "size": "3", "content-type": "image/png"])
        return .ask([FileUpload.Query(payload: payload, address: service)])
    }

    private func descriptions(of addresses: JID...) -> FileUpload.Step {
        .ask(addresses.map { FileUpload.Query(payload: Element("query", Namespace.discoInfo), address: $0) })
    }

    // MARK: Finding the service

    @Test func `the service is found, asked for a slot, and remembered`() {
        var first = upload()
        #expect(
            first.begin()
                == .ask([FileUpload.Query(payload: Element("query", Namespace.discoItems), address: server)]))
        let services = list("conference.ship.org", "upload.ship.org", "eve@ship.org", "upload.ship.org", "@")
        #expect(first.receive([services]) == descriptions(of: server, jid("conference.ship.org"), service))
        #expect(first.receive([other, failure("cancel", .serviceUnavailable), info(limit: "5242880")]) == request)
        #expect(first.service == FileUpload.Service(address: service, largestFile: 5_242_880))
        guard case .put(let place) = first.receive([slot()]) else {
            Issue.record("the slot isn't used")
            return
        }
        #expect(place.putURL == put && place.getURL == get && place.headers.isEmpty)
        var second = upload(known: first.service)
        #expect(second.begin() == request)
    }

    @Test func `the server itself can be the service`() {
        var upload = upload()
        _ = upload.begin()
        #expect(upload.receive([failure("cancel", .serviceUnavailable)]) == descriptions(of: server))
        guard case .ask(let queries) = upload.receive([info()]) else {
            Issue.record("no slot is requested")
            return
        }
        #expect(queries.map(\.address) == [server] && queries.first?.payload.name == "request")
    }

    @Test func `of several services, one that takes the file is chosen`() {
        var upload = upload()
        _ = upload.begin()
        _ = upload.receive([list("small.ship.org", "upload.ship.org")])
        #expect(upload.receive([other, info(limit: "2"), info(limit: "3")]) == request)
    }

    @Test func `a service that never answers delays nothing, and is named if there is no other`() {
        let error = StanzaError(type: "wait", condition: .remoteServerTimeout)
        let timeout = Result<Element?, StanzaError>.failure(error)
        var first = upload()
        _ = first.begin()
        #expect(first.receive([timeout]) == .failed(.refused(by: server, error)))
        var second = upload()
        _ = second.begin()
        _ = second.receive([list("slow.ship.org", "upload.ship.org")])
        var third = second
        #expect(second.receive([other, timeout, info()]) == request)
        #expect(third.receive([other, timeout, other]) == .failed(.noService(silent: [jid("slow.ship.org")])))
        #expect(second.receive([timeout]) == .failed(.refused(by: service, error)))
    }

    @Test func `without a service there is no upload`() {
        var upload = upload()
        _ = upload.begin()
        _ = upload.receive([list("conference.ship.org")])
        #expect(upload.receive([other, other]) == .failed(.noService(silent: [])))
    }

    @Test func `only so many services are asked`() {
        var upload = upload()
        _ = upload.begin()
        let many = (1...1_000).map { "<items:item jid='s\($0).ship.org'/>" }.joined()
        guard case .ask(let queries) = upload.receive([result("<items:query>\(many)</items:query>")]) else {
            Issue.record("nothing is asked")
            return
        }
        #expect(queries.count == 20)
    }

    @Test func `an answer that is something else is no list, and no description`() {
        var upload = upload()
        _ = upload.begin()
        #expect(
            upload.receive([result("<info:query><items:item jid='upload.ship.org'/></info:query>")])
                == descriptions(of: server))
        #expect(
            upload.receive([result("<items:query><info:feature var='urn:xmpp:http:upload:0'/></items:query>")])
                == .failed(.noService(silent: [])))
    }

    // MARK: Sizes

    @Test func `a file that is too large isn't announced`() {
        var upload = upload(size: 4)
        _ = upload.begin()
        _ = upload.receive([list("upload.ship.org")])
        let service = FileUpload.Service(address: service, largestFile: 3)
        #expect(upload.receive([other, info(limit: "3")]) == .failed(.tooLarge(service)))
    }

    @Test func `if the known service is too small, another one is looked for`() {
        let small = FileUpload.Service(address: jid("small.ship.org"), largestFile: 2)
        var upload = upload(known: small)
        #expect(
            upload.begin()
                == .ask([FileUpload.Query(payload: Element("query", Namespace.discoItems), address: server)]))
        _ = upload.receive([list("small.ship.org", "upload.ship.org")])
        #expect(upload.receive([other, info(limit: "2"), info(limit: "3")]) == request)
    }

    @Test(arguments: ["-1", "99999999999999999999999", "a lot", ""])
    func `a limit that is no size is ignored`(_ limit: String) {
        var upload = upload()
        _ = upload.begin()
        _ = upload.receive([list("upload.ship.org")])
        #expect(upload.receive([other, info(limit: limit)]) == request)
    }

    // MARK: Slots

    /// Returns the step after an answer to the request for a slot.
    private func step(after answer: Result<Element?, StanzaError>) -> FileUpload.Step {
        var upload = upload(known: FileUpload.Service(address: service, largestFile: nil))
        _ = upload.begin()
        return upload.receive([answer])
    }

    private func headers(_ xml: String) -> [String] {
        guard case .put(let place) = step(after: slot(xml)) else { return ["failed"] }
        return place.headers.map { "\($0.name): \($0.value)" }
    }

    @Test func `only three header fields are passed on, without line breaks`() {
        let all =
            header("Authorization", "Basic QQ==") + header("cookie", "a=b") + header("EXPIRES", "never")
            + header("Host", "evil.example") + header("X-Evil", "1") + header("Content-Length", "9")
        #expect(headers(all) == ["Authorization: Basic QQ==", "cookie: a=b", "EXPIRES: never"])
        #expect(headers(header("Cookie", "a&#13;&#10;X-Evil: 1&#10;b")) == ["Cookie: aX-Evil: 1b"])
        #expect(headers(header("Coo&#10;kie", "a")) == ["Cookie: a"])
        #expect(headers("<upload:header>a</upload:header>") == [])
    }

    @Test func `header fields that can't be sent make the slot unusable`() {
        let invalid = FileUpload.Failure.unusableSlot("its header field Cookie is invalid")
        #expect(step(after: slot(header("Cookie", "é"))) == .failed(invalid))
        #expect(headers(header("Cookie", String(repeating: "x", count: 4_096))).count == 1)
        #expect(headers(header("Cookie", String(repeating: "x", count: 4_097))) == ["failed"])
        let many = String(repeating: header("X-Evil", "1"), count: 11)
        #expect(step(after: slot(many)) == .failed(.unusableSlot("it has 11 header fields")))
    }

    @Test(arguments: [
        "http://upload.ship.org/1", "ftp://upload.ship.org/1", "javascript:1", "//upload.ship.org", "",
        "HTTP://upload.ship.org/1", "https:/upload.ship.org", "https://upload.ship.org/1&#10;2",
        "https://upload.ship.org/ 1", "https://upload.ship.org/é",
        "https://a.org/" + String(repeating: "x", count: 2_048)
    ])
    func `both URLs of a slot have to be https, short and plain`(_ url: String) {
        for answer in [slot(put: url), slot(get: url)] {
            guard case .failed(.unusableSlot) = step(after: answer) else {
                Issue.record("\(url) was accepted")
                return
            }
        }
    }

    @Test func `an incomplete slot, and none at all`() {
        let answers = [
            result("<upload:slot/>"), result("<upload:slot><upload:put url='\(put)'/></upload:slot>"),
            result("<upload:slot><upload:get url='\(get)'/></upload:slot>"),
            result("<info:slot><upload:put url='\(put)'/><upload:get url='\(get)'/></info:slot>"), .success(nil)
        ]
        for answer in answers {
            guard case .failed(.unusableSlot) = step(after: answer) else {
                Issue.record("\(answer) was accepted")
                continue
            }
        }
    }

    @Test func `a refusal is reported with its reason`() {
        let error = StanzaError(type: "wait", condition: .resourceConstraint, text: "Quota reached")
        #expect(step(after: .failure(error)) == .failed(.refused(by: service, error)))
    }
}
