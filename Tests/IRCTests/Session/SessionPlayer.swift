import Testing

@testable import HeybotIRC

/// Plays a transcript of a session with a server, and checks that the session performs exactly these actions, in order.
///
/// The first character of a line shows its kind:
/// - `<` a message from the server,
/// - `>` a message from the session,
/// - `+` a delay in milliseconds,
/// - `=` an event: `#room nick: text`, `nick: text` in private, `#room nick joined`, and so on; `⏎` is a line break,
/// - `#` the server has received or refused a tracked message,
/// - `?` the outcome of a change of a channel,
/// - `*` a log entry, `.` the session is ready, `x` the session has ended.
@discardableResult
func play(
    _ profile: SessionConfiguration, _ transcript: String, waiting: [OutgoingMessage] = [],
    location: SourceLocation = #_sourceLocation
) -> Session {
    var stage = SessionPlayer(
        Session(profile, nonce: "fyko+d2lbbFgONRv9qkxdawL", waiting: waiting, at: .zero), location)
    stage.begin()
    stage.play(transcript)
    return stage.session
}

/// The same with a configuration that has only a nick.
@discardableResult
func play(_ transcript: String, location: SourceLocation = #_sourceLocation) -> Session {
    play(SessionConfiguration(nick: "marvin"), transcript, location: location)
}

/// Plays a transcript with a session.
struct SessionPlayer {
    var session: Session
    var now: Duration = .zero
    private var done: [String] = []
    private let location: SourceLocation

    init(_ session: Session, _ location: SourceLocation = #_sourceLocation) {
        self.session = session
        self.location = location
    }

    mutating func begin() { record(session.begin(at: now)) }

    mutating func play(_ transcript: String) {
        for (number, line) in transcript.split(separator: "\n").enumerated() {
            let line = line.drop { $0 == " " }
            let words = String(line.dropFirst(2))
            switch line.first {
            case "<":
                expectNothing(before: "\(number + 1): \(line)")
                guard let message = IRCMessage(words) else { continue }
                record(session.receive(message, at: now))
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

    mutating func say(_ chats: OutgoingMessage...) { record(session.say(chats, at: now)) }

    mutating func record(_ actions: [Session.Action]) { done += actions.map(Self.text) }

    private mutating func pass(_ time: Duration) {
        let end = now + time
        var steps = 0
        while let due = session.due, due <= end {
            now = max(now, due)
            record(session.tick(at: now))
            steps += 1
            guard steps < 1_000 else {
                Issue.record("it wants its time again and again", sourceLocation: location)
                break
            }
        }
        now = end
    }

    private func expectNothing(before line: String) {
        #expect(done == [], "before \(line)", sourceLocation: location)
    }

    private static func text(_ action: Session.Action) -> String {
        switch action {
        case .send(let line): "> \(line)"
        case .hear(let heard): "= \(text(heard))"
        case .tellTime(let nick): "* \(nick) wants to know the time"
        case .confirmed(let id, let isDelivered): "# \(id) \(isDelivered ? "arrived" : "was refused")"
        case .moderated(let name, let refusal): "? \(name): \(refusal.map { "\($0)" } ?? "done")"
        case .absent(let name, .found(let user)): "? \(name): \(user.account ?? "no account") at \(user.host)"
        case .absent(let name, .nobody): "? \(name): nobody"
        case .absent(let name, .unknown): "? \(name): unknown"
        case .ready: ". settled"
        case .log(let note): "* \(note)"
        case .end(let ending): "x \(ending)"
        case .reconnectEncrypted(let port): "x TLS on port \(port)"
        case .requireEncryption(let seconds): "* TLS for \(seconds) s"
        }
    }

    private static func reply(_ heard: IncomingEvent) -> String {
        let own = heard.robotText.map { ", the robot's \($0)" } ?? ""
        return heard.repliesTo.map { " in reply to \($0)" + own } ?? ""
    }

    private static func text(_ heard: IncomingEvent) -> String {
        let account =
            switch heard.account {
            case .name(let name): " (\(name))"
            case .none: " (no account)"
            case .unknown: ""
            }
        let who = (heard.channel.map { $0 + " " } ?? "") + heard.source.nick + account
        let time =
            (heard.time.map { " at \($0)" } ?? "") + (heard.id.map { " as \($0)" } ?? "")
            + (heard.isMissed ? " (missed)" : "") + (heard.isAction ? " (action)" : "")
            + Self.reply(heard)
        switch heard.content {
        case .text(let text): return "\(who): \(text.replacing("\n", with: "⏎"))\(time)"
        case .joined: return "\(who) joined\(time)"
        case .left(let reason): return "\(who) left\(reason.map { ": \($0)" } ?? "")\(time)"
        case .topic(let topic): return "\(who) sets the topic: \(topic)\(time)"
        case .reaction(let message, let added, let removed):
            let changes = added.map { "+\($0)" } + removed.map { "-\($0)" }
            return "\(who) reacts to \(message): \(changes.joined(separator: " "))\(time)"
        case .retraction(let message): return "\(who) retracts \(message)\(time)"
        case .renamed(let name): return "\(who) was \(name)\(time)"
        case .realName(let name): return "\(who) has the real name \(name)\(time)"
        }
    }
}
