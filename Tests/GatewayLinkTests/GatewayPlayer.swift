import Foundation
import GatewayLink
import Heybot
import Testing

/// Plays a transcript of a gateway's session, and checks that the session does exactly these things, in order.
///
/// The first character of a line shows its kind:
/// - `$` an event: `start`, `hear #a al hi`, `swap`, `ending` (the robot is asked to stop), `stop`, `end 1 signal 9`,
///   `crash 1 Oops 2` (a worker, a script, a message's number), `performed 1`, `refused 1`,
/// - `<` a frame of a worker: `1 hello`, `1 ready`, `1 done 1 2`, `1 call 7 2/0 hi` (the call, the message's number and the index)
///   or `1 call 7 2/0 #b hi`, `1 call 7 2/0 seen hi` (of an observer), `1 call 8 - users`, `1 claim #a al`, `1 release #a al`,
///   `1 pong 1`, `1 drained`, `1 stop`,
/// - `>` a frame to a worker, abbreviated,
/// - `+` a delay in milliseconds,
/// - `.` something that the session wants done, `*` a log entry.
@discardableResult
func play(
    _ transcript: String, limits: GatewaySession.Limits = GatewaySession.Limits(), versions: LinkVersions = .own,
    location: SourceLocation = #_sourceLocation
) -> GatewaySession {
    let facts = [AdapterFacts(name: "irc", status: .starting)]
    var player = GatewayPlayer(GatewaySession(facts, limits: limits, versions: versions), location)
    player.play(transcript)
    return player.session
}

/// What the transcripts begin with: a worker that is ready.
let readyWorker = """
    $ start
    . start 1
    < 1 hello
    > 1 welcome
    < 1 ready

    """

/// Plays a transcript with a session.
struct GatewayPlayer {
    var session: GatewaySession
    private var now: Duration = .zero
    private var done: [String] = []
    private var heard = 0
    private let location: SourceLocation

    init(_ session: GatewaySession, _ location: SourceLocation) {
        (self.session, self.location) = (session, location)
    }

    mutating func play(_ transcript: String) {
        for (number, line) in transcript.split(separator: "\n").enumerated() {
            let line = line.drop { $0 == " " }
            let words = line.dropFirst(2).split(separator: " ").map { String($0) }
            switch line.first {
            case "$", "<", "+":
                expectNothing(before: "\(number + 1): \(line)")
                if line.first == "$" { handle(words) }
                if line.first == "<" { receive(words) }
                if line.first == "+" { pass(.milliseconds(Int(words[0]) ?? 0)) }
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

    // MARK: Events

    private mutating func handle(_ words: [String]) {
        let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
        switch words[0] {
        case "start": record(session.start(at: now))
        case "swap": record(session.swap(at: now))
        case "ending": record(session.prepareToStop(at: now))
        case "stop": record(session.stop(at: now))
        case "hear":
            heard += 1
            let (given, actions) = session.heard(
                Self.message(heard, words[1], words[2], words.dropFirst(3).joined(separator: " ")), at: now)
            #expect(given == heard, sourceLocation: location)
            record(actions)
        case "end":
            let reason = words.dropFirst(2).joined(separator: " ")
            let status = words[2] == "status" ? Int(words[3]) : nil
            record(session.ended(number, WorkerEnd(reason, status: status), at: now, chance: 1))
        case "crash":
            let message = words.count > 3 ? Message.ID(adapter: "irc", value: "m\(words[3])") : nil
            let crash = WorkerCrash(
                signal: "SIGILL", script: words[2], listener: "\(words[2])-1", message: message,
                date: Date(timeIntervalSinceReferenceDate: 5))
            record(session.ended(number, WorkerEnd("signal 4", crash: crash), at: now, chance: 1))
        case "performed": record(session.performed(number, CallOutcome()))
        case "refused":
            record(session.performed(number, CallOutcome(failure: .init(code: "notInRoom", reason: "no"))))
        default: Issue.record("there is no event \(words[0])", sourceLocation: location)
        }
    }

    private mutating func receive(_ words: [String]) {
        let generation = Int(words[0]) ?? 0
        let number = words.count > 2 ? Int(words[2]) ?? 0 : 0
        let frame: WorkerFrame
        switch words[1] {
        case "hello": frame = .hello(.own, process: 100 + generation)
        case "ready": frame = .ready
        case "done": frame = .done(words.dropFirst(2).compactMap { Int($0) })
        case "call": frame = .call(Self.call(number, words))
        case "claim": frame = .claim(Claim(Self.message(0, words[2], words[3], "")))
        case "release": frame = .release(Claim(Self.message(0, words[2], words[3], "")))
        case "pong": frame = .pong(number)
        case "drained": frame = .drained
        case "stop": frame = .stop
        default: frame = .unknown(words[1])
        }
        record(session.received(frame, from: generation, at: now))
    }

    private static func call(_ number: Int, _ words: [String]) -> AdapterCall {
        let isElsewhere = words.count > 4 && words[4].hasPrefix("#")
        let room = Room(id: .init(adapter: "irc", value: isElsewhere ? words[4] : "#a"))
        let text = words.dropFirst(isElsewhere ? 5 : 4).joined(separator: " ")
        let operation: AdapterOperation =
            switch text {
            case "users": .users(room)
            case "typing": .showTyping(true, Envelope(room: room))
            default: .deliver(.text(text), Envelope(room: room))
            }
        let place = words[3].split(separator: "/").map { Int($0) }
        var call = AdapterCall(
            call: number, adapter: "irc", number: place[0], index: place.count > 1 ? place[1] : nil,
            operation: operation)
        if text.hasPrefix("seen "), let message = place[0] {
            (call.observed, call.observer) = (Message.ID(adapter: "irc", value: "m\(message)"), "Log")
        }
        return call
    }

    private static func message(_ number: Int, _ room: String, _ user: String, _ text: String) -> Message {
        Message(
            id: .init(adapter: "irc", value: "m\(number)"),
            user: User(id: .init(adapter: "irc", value: user), name: user),
            room: Room(id: .init(adapter: "irc", value: room)), content: .text(text),
            time: Date(timeIntervalSinceReferenceDate: 5))
    }

    /// Lets time pass, and does what becomes due meanwhile.
    private mutating func pass(_ time: Duration) {
        let end = now + time
        while let due = session.nextTick, due <= end {
            now = max(due, now)
            record(session.tick(at: now))
            // A deadline that stays would be due forever.
            guard session.nextTick != due else {
                Issue.record("the deadline \(due) stays", sourceLocation: location)
                break
            }
        }
        now = end
    }

    // MARK: Actions

    private mutating func record(_ actions: [GatewayAction]) { done += actions.map { Self.words($0) } }

    private static func words(_ action: GatewayAction) -> String {
        switch action {
        case .start(let generation): return ". start \(generation)"
        case .send(let frame, let generation): return "> \(generation) \(words(frame))"
        case .kill(let generation): return ". kill \(generation)"
        case .perform(let call, let token):
            let what =
                switch call.operation {
                case .deliver(let utterance, _): utterance.content
                case .showTyping: "typing"
                default: "users"
                }
            return ". perform \(token.map { "\($0)" } ?? "-") \(what)"
        case .finish(let number): return ". finish \(number)"
        case .tell(let envelope, let text):
            return ". tell \(envelope.room.id.value) \(envelope.user?.name ?? "-") \(text.prefix(24))"
        case .tellAdmins(let text): return ". admins \(text.prefix(32))"
        case .answer(let number, _): return ". answer \(number)"
        case .resume: return ". resume"
        case .log(let level, let text, let script): return "* \(level) \(script ?? "-") \(text)"
        case .stopRobot: return ". stop the robot"
        case .stopped(let status): return ". stopped \(status.map { "\($0)" } ?? "-")"
        }
    }

    private static func words(_ frame: GatewayFrame) -> String {
        switch frame {
        case .welcome(let welcome):
            let scripts = (welcome.crashes ?? [:]).keys.sorted()
            return scripts.isEmpty ? "welcome" : "welcome without \(scripts.joined(separator: ","))"
        case .message(let message):
            let again = message.attempt > 1 ? " again \(message.attempt)" : ""
            return "message \(message.number)\(again)"
        case .result(let call, let outcome): return "result \(call)\(outcome.failure.map { " \($0.reason)" } ?? "")"
        case .adapters: return "adapters"
        case .reload: return "reload"
        case .endTimers: return "end timers"
        case .drain(let keepsQuestions): return keepsQuestions ? "drain" : "drain at once"
        case .ping(let number): return "ping \(number)"
        case .report(let number): return "report \(number)"
        case .commands(let number, let user, _): return "commands \(number) \(user.name)"
        case .unknown(let type): return type
        }
    }
}
