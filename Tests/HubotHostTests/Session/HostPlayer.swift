import HeybotSupport
import Logging
import Testing

@testable import HubotHost

/// Plays a transcript of a session with a script host, and checks that the session does exactly these things, in order.
///
/// The first character of a line shows its kind:
/// - `<` a line from the host,
/// - `>` a message to the host, abbreviated,
/// - `+` a delay in milliseconds,
/// - `$` an event: `started`, `exited status 1`, `robot`, `brain karma`, `ask a.js 0 hi`, `hold a.js 0 hi`, `middleware receive hi`,
///   `resume 1`, `abandon 1`, `cancel 1`, `end 5`, `saw ada`, `stop`, `printed some text`,
/// - `*` a log entry, `.` something that the session wants done, `=` a run's result.
@discardableResult
func play(
    _ transcript: String, scripts: [String] = ["a.js", "b.coffee"], limits: HostSession.Limits = HostSession.Limits(),
    location: SourceLocation = #_sourceLocation
) -> HostSession {
    let files = scripts.map { ScriptFile(id: $0, path: "/bot/\($0)") }
    let start = RobotMessage.Start(
        name: "marvin", alias: nil, version: "1", adapters: ["irc"], logLevel: "info", loadTime: 30_000,
        scripts: files, external: nil, modules: [], cache: nil, brain: true)
    var player = HostPlayer(HostSession(start, limits: limits), location)
    player.play(transcript)
    return player.session
}

/// Plays a transcript with a session.
struct HostPlayer {
    var session: HostSession
    private var now: Duration = .zero
    private var done: [String] = []
    private let location: SourceLocation

    init(_ session: HostSession, _ location: SourceLocation) {
        (self.session, self.location) = (session, location)
    }

    mutating func play(_ transcript: String) {
        for (number, line) in transcript.split(separator: "\n").enumerated() {
            let line = line.drop { $0 == " " }
            let words = String(line.dropFirst(2))
            switch line.first {
            case "<":
                expectNothing(before: "\(number + 1): \(line)")
                record(session.receive(HostOutputLine(.line(Array(words.utf8))), at: now))
            case "$":
                expectNothing(before: "\(number + 1): \(line)")
                handle(words.split(separator: " ", maxSplits: 3).map(String.init))
            case "+":
                expectNothing(before: "\(number + 1): \(line)")
                pass(.milliseconds(Int(words) ?? 0))
            default:
                let found = done.isEmpty ? "nothing" : done.removeFirst()
                #expect(found == line, "line \(number + 1)", sourceLocation: location)
            }
        }
        expectNothing(before: "the end")
    }

    private mutating func expectNothing(before line: String) {
        #expect(done == [], "before line \(line)", sourceLocation: location)
        done = []
    }

    /// Lets time pass, and calls the session at its deadlines.
    private mutating func pass(_ time: Duration) {
        let end = now + time
        while let due = session.nextDeadline, due <= end {
            now = max(due, now)
            let actions = session.tick(at: now)
            record(actions)
            // A killed host says nothing more, and has no deadline that moves.
            if actions.contains(.kill) { break }
        }
        now = end
    }

    private mutating func handle(_ words: [String]) {
        switch words[0] {
        case "started": record(session.started(at: now))
        case "exited":
            let (actions, wait) = session.exited(words.dropFirst().joined(separator: " "), at: now, chance: 1)
            record(actions)
            done.append(wait.map { ". restart in \($0)" } ?? ". no restart")
        case "missing": record(session.failedToStart("node isn't there"))
        case "robot": record(session.robotStarted())
        case "brain": record(session.remember([BrainEntry("[\"\(words[1])\"]", .integer(1))]))
        case "ask", "hold":
            let key = ListenerKey(words[1], Int(words[2]) ?? 0)
            let (run, actions) = session.ask(
                key, about: message(words[3]), hold: words[0] == "hold", expectsAnswer: words[3] != "idle")
            done.append("= run \(run)")
            record(actions)
        case "middleware":
            let kind = MiddlewareKind(rawValue: words[1]) ?? .receive
            let (run, actions) = session.ask(MiddlewareQuestion(kind, message(words[2])))
            done.append("= run \(run)")
            record(actions)
        case "resume": record(session.resume(Int(words[1]) ?? 0, continues: true))
        case "abandon": record(session.resume(Int(words[1]) ?? 0, continues: false))
        case "cancel": record(session.cancel(Int(words[1]) ?? 0))
        case "end": record(session.end(Int(words[1]) ?? 0))
        case "saw": record(session.saw(WireUser(id: words[1], name: words[1], adapter: "irc")))
        case "printed": record(session.printed(Array(words.dropFirst().joined(separator: " ").utf8), at: now))
        case "stop": record(session.stop())
        case "request":
            let head = WebRequestHead(method: "GET", url: words[1], headers: [], client: nil)
            let body = [UInt8](repeating: 65, count: words.count > 2 ? Int(words[2]) ?? 0 : 0)
            guard let (id, actions) = session.request(head, body: body) else { return done.append("= refused") }
            done.append("= request \(id)")
            record(actions)
        case "close": record(session.close(request: Int(words[1]) ?? 0))
        case "retire": record(session.retire(at: now))
        case "snapshot":
            // With a number, another entry is the newest change, which isn't stored yet.
            let unstored = words.count > 2 ? [BrainEntry("[\"unstored\"]", .integer(1))] : []
            record(
                session.remember(
                    [BrainEntry("[\"\(words[1])\"]", .integer(1))], unstored: unstored,
                    newestBatch: number(words, 2) ?? 0,
                    isLast: false))
        case "learn":
            record(session.learn([BrainEntry("[\"\(words[1])\"]", .integer(2))], ofBatch: number(words, 2) ?? 1))
        case "take": record(session.takeOver())
        default: Issue.record("there is no event \(words[0])", sourceLocation: location)
        }
    }

    private func number(_ words: [String], _ index: Int) -> Int? { words.count > index ? Int(words[index]) : nil }

    private func message(_ text: String) -> WireMessage { WireMessage(number: 5, kind: "text", text: text) }

    private mutating func record(_ actions: [HostAction]) {
        for action in actions { done.append(Self.line(of: action)) }
    }

    private static func line(of action: HostAction) -> String {
        switch action {
        case .write(let message): "> \(words(of: message))"
        case .writeLater(let message): "> later \(words(of: message))"
        case .kill: ". kill"
        case .log(let level, let text, let script): "* \(level) \(script.map { "\($0): " } ?? "")\(text)"
        case .loaded: ". loaded"
        case .readBrain: ". read the brain"
        case .answer(let result): "= answer \(words(of: result))"
        case .ended(let run): "= ended \(run)"
        case .lost(let run, let hasMatched): "= lost \(run)\(hasMatched ? " after a match" : "")"
        case .handedOver(let run): "= handed over \(run)"
        case .tell(let run, let text): "= tell \(run) \(text)"
        case .forget(let run): "= forget \(run)"
        case .send(let request): ". send \(request.strings.joined(separator: "|")) of run \(request.run ?? 0)"
        case .receive(let request): ". receive \(request.message.text ?? "")"
        case .store(let entries):
            ". store \(entries.map { "\($0.key)\($0.value == nil ? " gone" : "")" }.joined(separator: ", "))"
        case .useDatastore(let request): ". \(request.operation) \(request.table) \(request.key)"
        case .answerRequest(let id, .answered(let answer)):
            "= web \(id) \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        case .answerRequest(let id, let outcome): "= web \(id) \(outcome)"
        case .countFailure(let script, let isTimeout): ". count \(isTimeout ? "timeout" : "error") of \(script)"
        case .retired: ". retired"
        }
    }

    private static func words(of result: RunResult) -> String {
        let flags = [
            (result.matched.map { $0 ? "matched" : "no match" }), result.held == true ? "held" : nil,
            result.finished == true ? "finished" : nil, result.continue.map { $0 ? "continue" : "stop" }, result.text,
            result.error
        ]
        return "\(result.run) \(flags.compactMap { $0 }.joined(separator: ", "))"
    }

    private static func words(of message: RobotMessage) -> String {
        switch message {
        case .start(let start): "start \(start.scripts.map(\.id).joined(separator: " "))"
        case .message(let run, let listener, let message, let hold):
            "message \(run) listener \(listener) \(message.text ?? "")\(hold ? " hold" : "")"
        case .resume(let run, let continues): "resume \(run) \(continues)"
        case .cancel(let run): "cancel \(run)"
        case .end(let number): "end \(number)"
        case .middleware(let run, let question): "middleware \(run) \(question.kind) \(question.message.text ?? "")"
        case .response(let request, let error, _): "response \(request) \(error ?? "done")"
        case .users(let users): "users \(users.map(\.id).joined(separator: " "))"
        case .brain(let entries, let isLast):
            "brain \(entries.map(\.key).joined(separator: " "))\(isLast ? "last" : "")"
        case .ping(let id): "ping \(id)"
        case .webRequest(let head, let body):
            "web request \(body.id) \(head.url)\(length(of: body))\(body.last == false ? " …" : "")"
        case .webBody(let body): "web body \(body.id)\(length(of: body))\(body.last == false ? " …" : "")"
        case .webClosed(let id): "web closed \(id)"
        case .retire: "retire"
        case .stop: "stop"
        }
    }
}

private func length(of part: WebBodyPart) -> String {
    part.bytes.map { $0.isEmpty ? "" : " \($0.count) bytes" } ?? " ?"
}

/// The beginning of most transcripts: a host with a listener of each of two scripts.
let loading = """
    $ started
    > start a.js b.coffee
    < {"type":"loading","script":"a.js"}
    < {"type":"listener","id":1,"script":"a.js","ordinal":0,"kind":"respond","pattern":"hi","flags":"i"}
    < {"type":"script","id":"a.js","commands":["hubot hi - Greets"]}
    < {"type":"loading","script":"b.coffee"}
    < {"type":"listener","id":2,"script":"b.coffee","ordinal":0,"kind":"hear","pattern":"x","flags":""}
    < {"type":"script","id":"b.coffee","commands":[]}

    """

/// A host that answers questions.
let running =
    loading + """
        < {"type":"ready","protocol":1,"language":"Node 20","scripts":2,"listeners":2}
        . loaded
        $ robot
        . read the brain
        $ brain karma
        > brain ["karma"]
        > brain last

        """
