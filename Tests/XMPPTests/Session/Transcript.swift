import HeybotSASL
import Testing

@testable import HeybotXMPP

/// Plays a written conversation between a session and a server, and checks the session's part.
///
/// The first character of a line is its kind, and lines without one continue the previous line:
/// - `<` the server sends an element, `<stream:stream>` or `</stream:stream>`,
/// - `>` the session sends this element, compared without regard to its notation,
/// - `~` the session requests TLS, and gets it at once,
/// - `!` the robot sends a message, as `target: text`,
/// - `+` this number of milliseconds passes,
/// - `^` the connection breaks, and the session goes on on another one, which is encrypted from the start,
/// - `=` the session reports an event: `room nick: text`, `address privately: text`, `room nick joined`, and so on,
/// - `?` a request is answered, `@` a time query arrives,
/// - `&` a user asks for commands, or gives one by a form,
/// - `#` a room has given a message of the session an id, or a tracked message has arrived or was refused,
/// - `*` a log entry, `.` the session is ready, `x` the end.
///
/// The queries of the services of configured rooms are answered without being written down, unless `hidesServices` is false:
/// the services are for rooms, and nothing else.
///
/// Everything that the session does must be in the transcript, in order. Namespaces have the prefixes of
/// ``TranscriptPlayer/prefixes``; `{caps}` stands for the announced features, `{1}` for the id of the session's first
/// request, and so on.
@discardableResult
func play(
    _ profile: SessionConfiguration, secure: Bool = true, bindings: [ChannelBinding] = [], _ transcript: String,
    rooms: [SessionConfiguration.Room]? = nil, waiting: [OutgoingMessage] = [],
    hidesServices: Bool = true, location: SourceLocation = #_sourceLocation
) -> Session {
    var stage = TranscriptPlayer(
        profile, secure: secure, bindings: bindings, rooms: rooms, waiting: waiting, hidesServices: hidesServices,
        location)
    stage.play(transcript)
    return stage.session
}

/// Plays a transcript with a configuration that has only an account and a nick.
@discardableResult
func play(secure: Bool = true, _ transcript: String, location: SourceLocation = #_sourceLocation) -> Session {
    play(.marvin, secure: secure, transcript, location: location)
}

extension SessionConfiguration {
    /// The configuration of most transcripts.
    static let marvin = SessionConfiguration(address: jid("marvin@ship.org"), password: "pencil", nick: "marvin")

    /// The same configuration with a room, and changes.
    static func inDev(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> SessionConfiguration {
        var profile = marvin
        profile.rooms = [SessionConfiguration.Room(jid("dev@muc.ship.org"))]
        change(&profile)
        return profile
    }
}

/// Returns an address that is known to be valid.
func jid(_ text: String) -> JID {
    guard let jid = try? JID(text) else { preconditionFailure("that isn't a valid address: \(text)") }
    return jid
}

/// A login over direct TLS, up to the presence.
let loggedIn = """
    > <stream:stream to='ship.org' from='marvin@ship.org'>
    < <stream:features><sasl:mechanisms><sasl:mechanism>PLAIN</sasl:mechanism></sasl:mechanisms></stream:features>
    > <sasl:auth mechanism='PLAIN'>AG1hcnZpbgBwZW5jaWw=</sasl:auth>
    < <sasl:success/>
    > <stream:stream to='ship.org' from='marvin@ship.org'>
    < <stream:features><bind:bind/></stream:features>
    > <iq type='set' id='bind'><bind:bind/></iq>
    < <iq type='result' id='bind'><bind:bind><bind:jid>marvin@ship.org/r1</bind:jid></bind:bind></iq>
    > <presence>{caps}</presence>

    """

/// The same without a room.
let alone =
    loggedIn + """
        * logged in as marvin@ship.org/r1, in no room
        . ready

        """

/// The join of the configured room.
let knock =
    "> <presence to='dev@muc.ship.org/marvin'><muc:x><muc:history maxstanzas='0' maxchars='0'/></muc:x>{caps}</presence>\n"

/// The own presence in that room.
let welcome = "< <presence from='dev@muc.ship.org/marvin'><user:x><user:status code='110'/></user:x></presence>\n"

/// The login and the join, with Ann in the room, who shows her address.
let inDev =
    loggedIn + knock + """
        < <presence from='dev@muc.ship.org/ann'><user:x><user:item affiliation='owner' role='moderator' jid='ann@ship.org/x'/></user:x></presence>

        """ + welcome + """
        * logged in as marvin@ship.org/r1, in dev@muc.ship.org
        . ready
        < <message from='dev@muc.ship.org/ann' type='groupchat'><subject>Old</subject></message>

        """

/// The queries of a domain's services, from the first request or a later one on.
func discovery(
    of domain: String, isOurs: Bool = false, from first: Int = 1, asksList: Bool = true,
    identity: String = "category='conference' type='text'"
) -> String {
    let service = asksList ? first + 1 : first
    let info = "<info:identity \(identity)/><info:feature var='\(Namespace.muc)'/>"
    let item = isOurs ? "<items:item jid='\(domain)'/>" : "<items:item jid='pubsub.ship.org'/>"
    return (asksList ? "> <iq type='get' id='{\(first)}' to='ship.org'><items:query/></iq>\n" : "")
        + "> <iq type='get' id='{\(service)}' to='\(domain)'><info:query/></iq>\n"
        + "< <iq type='result' id='{\(service)}' from='\(domain)'><info:query>\(info)</info:query></iq>\n"
        + (asksList
            ? "< <iq type='result' id='{\(first)}' from='ship.org'><items:query>\(item)</items:query></iq>\n" : "")
}

/// A session that plays transcripts.
struct TranscriptPlayer {
    static let nonce = "fyko+d2lbbFgONRv9qkxdawL"
    static let prefixes = [
        "stream": Namespace.streams, "stanzas": Namespace.stanzas, "errors": Namespace.streamErrors,
        "tls": Namespace.tls, "sasl": Namespace.sasl, "bind": Namespace.bind, "session": Namespace.session,
        "roster": Namespace.roster, "data": Namespace.data, "info": Namespace.discoInfo, "items": Namespace.discoItems,
        "muc": Namespace.muc, "user": Namespace.mucUser, "owner": Namespace.mucOwner, "admin": Namespace.mucAdmin,
        "version": Namespace.version,
        "caps": Namespace.caps, "ping": Namespace.ping, "time": Namespace.time, "delay": Namespace.delay,
        "direct": Namespace.conference, "sid": Namespace.stanzaID, "carbons": "urn:xmpp:carbons:2",
        "forward": "urn:xmpp:forward:0", "fallback": Namespace.fallback, "reply": "urn:xmpp:reply:0",
        "sm": Namespace.streamManagement, "correct": Namespace.correction, "omemo": Namespace.oldOMEMO,
        "retract": Namespace.retraction, "reactions": Namespace.reactions, "moderate": Namespace.moderation,
        "oldmoderate": Namespace.oldModeration, "oldretract": Namespace.oldRetraction,
        "fasten": Namespace.fastening, "oob": Namespace.outOfBand, "hints": Namespace.hints,
        "mam": Namespace.archive, "rsm": Namespace.resultSet, "states": Namespace.chatStates,
        "receipts": Namespace.receipts, "markers": Namespace.chatMarkers, "sfs": Namespace.fileSharing,
        "file": Namespace.fileMetadata, "hash": Namespace.hashes, "url": Namespace.urlData,
        "upload": Namespace.httpUpload, "commands": Namespace.commands, "pubsub": Namespace.pubsub,
        "bookmarks": Namespace.bookmarks, "blocking": Namespace.blocking, "sasl2": Namespace.sasl2,
        "bind2": Namespace.bind2, "cb": Namespace.channelBinding
    ]

    var session: Session
    var now: Duration = .zero
    private var done: [String] = []
    private let services: Set<String>
    /// The number of requests that were answered without being written down.
    private var hidden = 0
    private let bindings: [ChannelBinding]
    private let location: SourceLocation

    init(
        _ profile: SessionConfiguration, secure: Bool = true, lastMechanism: Mechanism? = nil,
        bindings: [ChannelBinding] = [], rooms: [SessionConfiguration.Room]? = nil,
        waiting: [OutgoingMessage] = [], hidesServices: Bool = true, nonce: String = Self.nonce,
        _ location: SourceLocation = #_sourceLocation
    ) {
        services = hidesServices ? Set(profile.rooms.map(\.address.domain)) : []
        session = Session(
            profile, isSecure: secure, nonce: nonce, lastMechanism: lastMechanism, rooms: rooms, waiting: waiting,
            at: .zero)
        session.bind(to: bindings)
        self.bindings = bindings
        self.location = location
        note(session.begin())
    }

    /// Calls the session like a script would, for example to send a request.
    mutating func act(_ change: (inout Session, Duration) -> [Session.Action]) { note(change(&session, now)) }

    mutating func play(_ transcript: String) {
        for line in Self.lines(transcript) {
            let words = String(line.dropFirst(2))
            switch line.first {
            case "<":
                expectNothing(before: line)
                guard let event = Self.event(words, hidden) else {
                    Issue.record("that's no XML: \(words)", sourceLocation: location)
                    continue
                }
                note(session.receive(event, at: now))
            case "!":
                expectNothing(before: line)
                let parts = words.split(separator: ": ", maxSplits: 1)
                note(session.say([OutgoingMessage(to: jid(String(parts[0])), "\(parts[1])", since: now)], at: now))
            case "+":
                expectNothing(before: line)
                pass(.milliseconds(Int(words) ?? 0))
            case "^":
                expectNothing(before: line)
                let actions = session.reopen(isSecure: true, nonce: Self.nonce, waiting: session.unsent, at: now)
                session.bind(to: bindings)
                note(actions)
            default:
                let found = done.isEmpty ? "nothing" : done.removeFirst()
                let isSame = found == line || Self.event(words, hidden).map { "> \(Self.text($0))" } == found
                #expect(isSame, "\(line)\nbut it was\n\(found)", sourceLocation: location)
                if line.first == "~" { note(session.secured()) }
            }
        }
        expectNothing(before: "the end")
    }

    private static func lines(_ transcript: String) -> [String] {
        var lines: [String] = []
        for line in transcript.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.dropFirst().first == " " {
                lines.append(String(line))
            } else if !line.isEmpty {
                lines[lines.count - 1] += line
            }
        }
        return lines
    }

    private mutating func note(_ actions: [Session.Action]) {
        for action in actions {
            let next: Element? = if case .send(let element) = action { session.recordSent(element) } else { nil }
            if let answer = answer(action) {
                hidden += 1
                note(session.receive(.element(answer), at: now))
            } else {
                done.append(Self.text(action))
            }
            if case .recordAttempts(_, let archive) = action { note(session.noteRecordedAttempts(of: archive)) }
            if let next { done.append(Self.text(.send(next))) }
        }
    }

    /// Returns the description of a service of a configured room.
    private func answer(_ action: Session.Action) -> Element? {
        guard case .send(let iq) = action, iq.name == "iq", iq["type"] == "get", let domain = iq["to"],
            services.contains(domain), iq.has("query", Namespace.discoInfo), let id = iq["id"]
        else { return nil }
        let query = Element(
            "query", Namespace.discoInfo, [:],
            Element("identity", Namespace.discoInfo, ["category": "conference", "type": "text"]),
            Element("feature", Namespace.discoInfo, ["var": Namespace.muc]))
        return Element("iq", Namespace.client, ["type": "result", "id": id, "from": domain], query)
    }

    private mutating func pass(_ time: Duration) {
        let end = now + time
        var steps = 0
        while let due = session.due, due <= end {
            now = max(now, due)
            note(session.tick(at: now))
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

    // MARK: XML

    private static let declarations = prefixes.map { " xmlns:\($0)='\($1)'" }.joined()
    private static let opening = "<stream:stream xmlns='jabber:client'\(declarations)"

    /// Returns the event that a stream reports for an element.
    ///
    /// - Parameter hidden: The number of requests that aren't counted.
    static func event(_ xml: String, _ hidden: Int = 0) -> StreamEvent? {
        var xml = xml
        if xml.contains("{") {
            xml.replace("{caps}", with: EntityCapabilities.caps.description)
            xml.replace(#/\{(\d+)\}/#) { "\(nonce.suffix(12))\((Int($0.1) ?? 0) + hidden)" }
        }
        let isOpening = xml.hasPrefix("<stream:stream")
        let stream = isOpening ? xml.replacing("<stream:stream", with: opening) : "\(opening)>\(xml)"
        var events: [StreamEvent] = []
        do { try XMLStreamParser(restartsAfter: []).feed(Array(stream.utf8)[...], into: &events) } catch { return nil }
        return events.dropFirst(isOpening ? 0 : 1).first
    }

    private static func text(_ event: StreamEvent) -> String {
        switch event {
        case .open(let header):
            "<stream:stream to='\(header.to ?? "")'\(header.from.map { " from='\($0)'" } ?? "")>"
        case .element(let element): "\(element)"
        case .skipped(let element): "skipped: \(element.reason)"
        case .close: "</stream:stream>"
        }
    }

    // MARK: Text

    private static func text(_ action: Session.Action) -> String {
        switch action {
        case .send(let element): "> \(withoutID(element))"
        case .open(let header): "> \(text(StreamEvent.open(header)))"
        case .closeStream: "> </stream:stream>"
        case .startTLS: "~ TLS"
        case .hear(let heard): "= \(text(heard))"
        case .stanzaID(let stanzaID, let id, let room): "# \(id) is \(stanzaID) in \(room)"
        case .confirmed(let id, let isRead, let sender): "# \(id) was \(isRead ? "read" : "received") by \(sender)"
        case .refused(let id, let sender): "# \(id) was refused by \(sender)"
        case .answer(let name, .success(let payload)): "? \(name): \(payload.map { "\($0)" } ?? "yes")"
        case .answer(let name, .failure(let error)): "? \(name): \(error.type) \(error)"
        case .tellTime(let iq): "@ \(iq["from"] ?? "the server")"
        case .recordAttempts(let ids, let archive): "% \(ids.joined(separator: ", ")) of \(archive)"
        case .serve(let request): "& \(request.id) \(text(request))"
        case .ready: ". ready"
        case .log(.stanzaSkipped(let from, let reason, isRepeated: true)):
            "* (again) \(LogEntry.stanzaSkipped(from: from, reason: reason, isRepeated: false))"
        case .log(let note): "* \(note)"
        case .end(let ending): "x \(ending)\(ending.isPermanent ? ", for good" : "")"
        }
    }

    private static func text(_ request: CommandRequest) -> String {
        guard request.isRun, case .text(let command) = request.event.content else {
            return "\(request.event.from) asks for commands"
        }
        return "\(request.event.from): \(command)"
    }

    /// The ids of sent messages are random.
    private static func withoutID(_ element: Element) -> Element {
        guard element.name == "message" else { return element }
        var element = element
        element["id"] = nil
        element.children.removeAll { if case .element(let child) = $0 { child.name == "origin-id" } else { false } }
        return element
    }

    private static func references(_ heard: IncomingEvent) -> String {
        let files = heard.files.map { file in " with \(text(file))" }.joined()
        return (heard.repliesTo.map { " in reply to \($0)" } ?? "") + (heard.quote.map { ", which says \($0)" } ?? "")
            + (heard.thread.map { " in thread \($0)" } ?? "") + files
    }

    private static func text(_ file: SharedFile) -> String {
        let facts = [file.name, file.type, file.size.map { "\($0)" }, file.sha256, file.summary].compactMap { $0 }
        return facts.isEmpty ? file.url : "\(file.url) (\(facts.joined(separator: ", ")))"
    }

    private static func text(_ heard: IncomingEvent) -> String {
        let place = heard.isPublic ? "" : " privately"
        let person =
            heard.room == nil
            ? heard.person == nil ? " unidentified" : ""
            : heard.person.map { " (\($0))" } ?? ""
        let who = (heard.room.map { "\($0) \(heard.name)" } ?? "\(heard.from)") + person + place
        let id =
            (heard.missedSince == nil ? "" : " missed") + (heard.stamp.map { " late, of \($0)" } ?? "")
            + (heard.replaces.map { " in place of \($0)" } ?? "") + references(heard)
        switch heard.content {
        case .text(let text): return "\(who): \(text)\(id)"
        case .joined: return "\(who) joined\(id)"
        case .left(let reason): return "\(who) left\(reason.map { ": \($0)" } ?? "")\(id)"
        case .topic(let topic): return "\(who) sets the topic: \(topic)\(id)"
        case .reaction(let message, let all, _):
            return "\(who) reacts to \(message): \(all.joined(separator: " "))\(id)"
        case .retraction(let message): return "\(who) retracts \(message)\(heard.isByRoom ? " for the room" : "")\(id)"
        case .renamed(let name): return "\(who) was \(name)\(id)"
        case .realName(let name): return "\(who) has the real name \(name)\(id)"
        }
    }
}
