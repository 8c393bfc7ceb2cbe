import FoundationEssentials
import Heybot

/// A fake Campfire without sockets: it handles the bot's requests, and calls its webhook.
final class FakeCampfire: HTTPClient {
    static let url = "https://chat.example.org/team"
    static let key = "7-kR3x9mP8qL2n"
    static let secret = "hooked-on-campfire_16"
    /// The direct room of Ada and the bot, which has no name.
    static let direct = "77"

    private static func name(of room: String) -> String { room == direct ? "null" : "\"Room \(room)\"" }

    /// A message of the bot, in order of arrival.
    struct Arrival: Hashable, Sendable {
        enum Way: Hashable, Sendable { case answer, post }
        let room: String
        /// What users see: the displayed HTML, or a file's name and type.
        let shown: String
        let way: Way
    }

    /// The outcome of a request.
    enum Outcome: Sendable {
        case status(Int, HTTPHeaders = [:])
        case failure(HTTPError.Code)
        /// An error that no client should throw.
        case oddity(String)
        /// The message is posted, but the response has this status.
        case said(Int)
        /// The request is held until it is released.
        case held(ObservedValue<Bool>)
    }

    /// How bots can read rooms.
    enum Form: Sendable { case object, array, none }

    struct Line: Sendable {
        let id: Int
        let user: Int
        let name: String
        let isBot: Bool
        let text: String
    }

    struct State: Sendable {
        var rooms: [String: [Line]] = ["1": [], "2": [], direct: []]
        var lastID = 100
        var arrivals: [Arrival] = []
        var files: [(name: String, type: String, bytes: [UInt8])] = []
        var requests: [HTTPRequest] = []
        var outcomes: [Outcome] = []
        var readOutcomes: [Outcome] = []
        var reads = 0
        var form = Form.object
    }

    let state = ObservedValue(State())
    let time: TestTime

    init(_ time: TestTime) {
        self.time = time
    }

    var arrivals: [Arrival] { state.value.arrivals }
    /// The bot's messages as users in a room see them.
    func shown(in room: String = "1") -> [String] { arrivals.filter { $0.room == room }.map(\.shown) }
    func waitForArrivals(_ count: Int) async { await state.wait { $0.arrivals.count >= count } }
    func waitForRequests(_ count: Int) async { await state.wait { $0.requests.count >= count } }
    func waitForReads(_ count: Int) async { await state.wait { $0.reads >= count } }

    /// Sets the outcomes of the next posts.
    func next(_ outcomes: Outcome...) { state.change { $0.outcomes += outcomes } }
    /// Sets the outcomes of the next reads.
    func nextReads(_ outcomes: Outcome...) { state.change { $0.readOutcomes += outcomes } }

    // MARK: What the bot sends

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let isPost = request.method == .post
        let outcome: Outcome? = state.change { state in
            state.requests.append(request)
            if !isPost { state.reads += 1 }
            if isPost { return state.outcomes.isEmpty ? nil : state.outcomes.removeFirst() }
            return state.readOutcomes.isEmpty ? nil : state.readOutcomes.removeFirst()
        }
        switch outcome {
        case .status(let status, let headers): return HTTPResponse(url: request.url, status: status, headers: headers)
        case .failure(let code): throw HTTPError(code, host: request.host)
        case .oddity(let text): throw Oddity(description: text)
        case .held(let gate): await gate.wait { $0 }
        case .said(let status):
            _ = take(request, String(request.url.split(separator: "/").dropLast(2).last ?? ""))
            return HTTPResponse(url: request.url, status: status)
        case nil: break
        }
        try Task.checkCancellation()
        let parts = request.url.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        guard request.url.hasPrefix("\(Self.url)/rooms/"), parts.count == 8, parts[7] == "messages" else {
            return HTTPResponse(url: request.url, status: 404)
        }
        // An unknown key redirects to the login page, and the request follows no redirects.
        guard parts[6] == Self.key else { throw HTTPError(.redirects, host: request.host) }
        let room = String(parts[5])
        guard state.value.rooms[room] != nil else { return HTTPResponse(url: request.url, status: 404) }
        return isPost ? take(request, room) : read(request, room)
    }

    struct Oddity: Error, CustomStringConvertible { let description: String }

    private func take(_ request: HTTPRequest, _ room: String) -> HTTPResponse {
        guard let body = request.body, !body.bytes.isEmpty else { return HTTPResponse(url: request.url, status: 422) }
        if body.type.hasPrefix("multipart/form-data") {
            guard let file = Self.file(in: body) else { return HTTPResponse(url: request.url, status: 422) }
            state.change { state in
                state.files.append(file)
                state.arrivals.append(Arrival(room: room, shown: "\(file.name) (\(file.type))", way: .post))
            }
        } else {
            add(Self.shown(body.bytes), room, .post)
        }
        let location = "\(Self.url)/rooms/\(room)/messages/\(state.value.lastID)"
        return HTTPResponse(url: request.url, status: 201, headers: ["Location": location])
    }

    private func add(_ text: String, _ room: String, _ way: Arrival.Way) {
        state.change { state in
            state.arrivals.append(Arrival(room: room, shown: text, way: way))
            state.lastID += 1
            state.rooms[room, default: []].append(
                Line(id: state.lastID, user: 7, name: "Marvin", isBot: true, text: text))
        }
    }

    /// Displays HTML like a browser, as far as the tests need it.
    static func shown(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "<"):
                let tag = rest.prefix { $0 != UInt8(ascii: ">") }
                if tag.elementsEqual("br".utf8) { text.append(UInt8(ascii: "\n")) }
                rest = rest.dropFirst(tag.count + 1)
            case UInt8(ascii: "&"):
                let entity = rest.prefix { $0 != UInt8(ascii: ";") }
                let known = ["lt": "<", "gt": ">", "amp": "&"][String(decoding: entity, as: UTF8.self)]
                text += (known ?? "&").utf8
                if known != nil { rest = rest.dropFirst(entity.count + 1) }
            // Lines are joined.
            case UInt8(ascii: "\n"): text.append(UInt8(ascii: " "))
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The file in a form's field `attachment`.
    private static func file(in body: HTTPRequestBody) -> (name: String, type: String, bytes: [UInt8])? {
        guard let equals = body.type.firstRange(of: "boundary=") else { return nil }
        let boundary = Array("--\(body.type[equals.upperBound...])".utf8)
        // The boundary must occur only at the beginning and at the end.
        let parts = body.bytes.split(separator: boundary, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, parts[2].elementsEqual("--\r\n".utf8),
            parts[1].starts(with: "\r\n".utf8), parts[1].suffix(2).elementsEqual("\r\n".utf8),
            let gap = parts[1].firstRange(of: "\r\n\r\n".utf8)
        else { return nil }
        let head = String(decoding: parts[1][..<gap.lowerBound].dropFirst(2), as: UTF8.self)
            .split(separator: "\r\n").map(String.init)
        let start = "Content-Disposition: form-data; name=\"attachment\"; filename=\""
        guard head.count == 2, head[0].hasPrefix(start), head[0].hasSuffix("\""), head[1].hasPrefix("Content-Type: ")
        else { return nil }
        let name = head[0].dropFirst(start.count).dropLast()
        guard !name.utf8.contains(UInt8(ascii: "\"")), !name.utf8.contains(UInt8(ascii: "\\")) else { return nil }
        return (String(name), String(head[1].dropFirst(14)), Array(parts[1][gap.upperBound...].dropLast(2)))
    }

    private func read(_ request: HTTPRequest, _ room: String) -> HTTPResponse {
        let state = state.value
        let before = request.url.split(separator: "?before=").dropFirst().first.flatMap { Int($0) } ?? .max
        let lines = (state.rooms[room] ?? []).filter { $0.id < before }
        let page = lines.suffix(40)
        let hasMore = lines.count > page.count
        let body: String
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        switch state.form {
        case .none:
            return HTTPResponse(url: request.url, status: 404)
        case .object:
            let entries = page.map {
                """
                {"id":\($0.id),"body":{"plain":\(Self.json($0.text)),"html":""},"created_at":"2026-01-01T00:00:00Z",\
                "creator":{"id":\($0.user),"name":\(Self.json($0.name)),"is_bot":\($0.isBot)}}
                """
            }
            body = """
                {"room":{"id":\(room),"name":\(Self.name(of: room))},"messages":[\(entries.joined(separator: ","))],\
                "pagination":\(lines.isEmpty ? "{}" : "{\"has_more\":\(hasMore)}")}
                """
        case .array:
            let entries = page.map {
                """
                {"id":\($0.id),"created_at":"2026-01-01T00:00:00Z","body":{"plain_text":\(Self.json($0.text)),"html":""},\
                "creator":{"id":\($0.user),"name":\(Self.json($0.name)),"role":"\($0.isBot ? "bot" : "member")"},\
                "room":{"id":\(room)}}
                """
            }
            body = "[\(entries.joined(separator: ","))]"
            if hasMore { headers["Link"] = "<\(Self.url)/rooms/\(room)/\(Self.key)/messages?before=1>; rel=\"next\"" }
        }
        return HTTPResponse(url: request.url, status: 200, headers: headers, body: Array(body.utf8))
    }

    // MARK: What people do

    /// Adds a user's message without a mention, and returns its id.
    @discardableResult
    func say(_ text: String, in room: String = "1", user: Int = 1, name: String = "Ada", isBot: Bool = false) -> Int {
        state.change { state in
            state.lastID += 1
            state.rooms[room, default: []].append(
                Line(id: state.lastID, user: user, name: name, isBot: isBot, text: text))
            return state.lastID
        }
    }

    /// Adds a user's message with a mention, calls the webhook, and returns its response; nil if it timed out.
    @discardableResult
    func mention(_ text: String, in room: String = "1", at server: InMemoryHTTPServer) async -> WebResponse? {
        let id = say("@Marvin \(text)", in: room)
        return await call(server, Self.message(text, in: room, id: id), room)
    }

    /// Calls the webhook, and posts its response like Campfire does.
    @discardableResult
    func call(_ server: InMemoryHTTPServer, _ body: String, _ room: String = "1") async -> WebResponse? {
        let (answers, continuation) = AsyncStream<WebResponse?>.makeStream()
        let calling = Task { continuation.yield(await server.post("/campfire/\(Self.secret)", body.utf8)) }
        let timing = Task { [time] in
            try await time.sleep(.seconds(7))
            continuation.yield(nil)
        }
        defer {
            calling.cancel()
            timing.cancel()
        }
        for await answer in answers {
            guard let answer else {
                add("Failed to respond within 7 seconds", room, .answer)
                return nil
            }
            let type = answer.headers["Content-Type"]?.prefix { $0 != ";" }
            switch (answer.status, type) {
            case (200, "text/plain"), (200, "text/html"): add(Self.shown(answer.body), room, .answer)
            case (_, let type?): add("attachment of \(type)", room, .answer)
            case (_, nil): break
            }
            return answer
        }
        return nil
    }

    /// The webhook's body for a message.
    static func message(_ text: String, in room: String = "1", id: Int, name: String = "Ada") -> String {
        """
        {"type":"message","user":{"id":1,"name":\(json(name))},\
        "room":{"id":\(room),"name":\(Self.name(of: room)),"path":"/rooms/\(room)/\(key)/messages"},\
        "message":{"id":\(id),"body":{"html":"","plain":\(json(text))},"path":"/rooms/\(room)/@\(id)"}}
        """
    }

    /// The webhook's body for a button.
    static func action(_ value: String, id: String, isSelected: Bool = true) -> String {
        """
        {"type":"action","id":"\(id)","room":{"id":1,"name":"Room 1","path":"/rooms/1/\(key)/messages"},\
        "user":{"id":1,"name":"Ada"},"message":{"id":5,"path":"/rooms/1/@5"},\
        "action":{"value":\(json(value)),"selected":\(isSelected)}}
        """
    }

    static func json(_ text: String) -> String {
        (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}
