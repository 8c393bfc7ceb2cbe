import HeybotTesting
import TestServers

@testable import HeybotXMPP

/// Random input from a server, sensible or not.
struct RandomStanzas {
    /// The requests of the session, and their addressees.
    private var questions: [(id: String, to: String?)] = []
    /// The number of answers since the stream was last opened.
    private var answers = 0
    /// Whether the session has asked to be resumed, and has got no answer.
    private var isResuming = false
    private let hasStreamManagement: Bool

    /// - Parameter hasStreamManagement: Whether the server has stream management (XEP-0198).
    init(hasStreamManagement: Bool) { self.hasStreamManagement = hasStreamManagement }

    private static let people = [
        "ann@ship.org/x", "bob@b.org/x", "bob@b.org", "marvin@ship.org", "marvin@ship.org/r1", "ship.org",
        "muc.ship.org",
        "dev@muc.ship.org", "dev@muc.ship.org/marvin", "dev@muc.ship.org/marvin_", "dev@muc.ship.org/ann",
        "dev@muc.ship.org/bob", "tea@muc.ship.org/marvin", "tea@muc.ship.org", "tea@muc.ship.org/ann", "new@muc.b.org",
        "new@muc.b.org/marvin", "new@muc.b.org/eve", "@", "", "x@y@z/\u{7}"
    ]
    private static let conditions = [
        "conflict", "not-acceptable", "item-not-found", "service-unavailable", "forbidden", "not-authorized", "gone",
        "remote-server-timeout", "text"
    ]
    private static let codes = [110, 110, 110, 201, 210, 301, 303, 303, 307, 321, 332, 333, 100, 0]
    private static let archived = """
        <mam:result queryid='missed-1' id='a1'><forward:forwarded><delay:delay stamp='2026-01-01T00:00:00Z'/>\
        <message from='bob@b.org/x'><body>Hi</body></message></forward:forwarded></mam:result>
        """
    private static let pieces = [
        "<user:x><user:item jid='ann@ship.org/x' nick='marvin' role='none'/></user:x>",
        "<user:x><user:item nick='marvin_'/><user:status code='303'/></user:x>",
        "<user:x><user:item nick='\u{e9}'/><user:status code='303'/></user:x>", "<user:x><user:destroy/></user:x>",
        "<user:x><user:invite from='bob@b.org'/></user:x>", "<direct:x jid='new@muc.b.org' password='p'/>",
        "<direct:x jid='bob@b.org'/>", "<body>Hi</body>", "<body>/me waves</body>", "<body/>", "<subject>Tea</subject>",
        "<info:query><info:identity category='conference' type='text'/><info:feature var='http://jabber.org/protocol/muc'/></info:query>",
        "<items:query><items:item jid='muc.b.org'/><items:item jid='muc.ship.org'/></items:query>",
        "<subject/>", "<delay:delay stamp='x'/>", "<sid:stanza-id by='dev@muc.ship.org' id='1'/>", "<ping:ping/>",
        "<version:query/>", "<info:query/>", "<info:query node='x'/>", "<items:query/>", "<time:time/>",
        "<roster:query/>",
        "<items:query node='http://jabber.org/protocol/commands'/>", "<commands:command node='help'/>",
        "<commands:command node='help' sessionid='x' action='complete'><data:x type='submit'/></commands:command>",
        "<pubsub:pubsub><pubsub:items><pubsub:item id='new@muc.b.org'><bookmarks:conference autojoin='1'/></pubsub:item></pubsub:items></pubsub:pubsub>",
        "<info:query><info:feature var='http://jabber.org/protocol/pubsub#publish-options'/>"
            + "<info:feature var='http://jabber.org/protocol/pubsub#config-node-max'/></info:query>",
        "<error type='cancel'/>", "words", "<x/>", "<status>Bye</status>",
        "<bind:bind><bind:jid>marvin@ship.org/r1</bind:jid></bind:bind>",
        archived, "<mam:fin><rsm:set><rsm:last>a1</rsm:last></rsm:set></mam:fin>", "<mam:fin complete='true'/>",
        // Over a limit.
        "<x" + (0..<65).map { " a\($0)=''" }.joined() + "/>"
    ]
    private static let streams = [
        "<tls:proceed/>", "<tls:failure/>", "<sasl:success/>", "<sasl:challenge/>",
        "<sasl:challenge>cj0=</sasl:challenge>",
        "<sasl:failure><sasl:not-authorized/></sasl:failure>", "<sasl:failure/>", "<stream:features/>",
        "<stream:features><tls:starttls/></stream:features>",
        "<stream:error><errors:see-other-host>b.org:1</errors:see-other-host></stream:error>", "<stream:error/>",
        "</stream:stream>", "<stream:stream version='1.0'>", "<x/>"
    ]

    /// Remembers the requests of the session.
    mutating func learn(_ actions: [Session.Action]) {
        for case .open in actions { (answers, isResuming) = (0, false) }
        for case .send(let element) in actions where element.name == "resume" { isResuming = true }
        for case .send(let element) in actions where element.name == "iq" && element["type"] != "result" {
            if let id = element["id"] { questions.append((id, element["to"])) }
        }
        questions = questions.suffix(20)
    }

    mutating func next(in session: Session, _ random: inout SeededGenerator) -> StreamEvent? {
        if case .negotiating = session.phase {
            return TranscriptPlayer.event(random.below(30) == 0 ? random.pick(Self.streams) : helpful(session, &random))
        }
        if random.below(1_000) == 0 { return TranscriptPlayer.event(random.pick(Self.streams)) }
        if hasStreamManagement, random.below(10) == 0 { return TranscriptPlayer.event(count(session, &random)) }
        if random.below(10) == 0 { return welcome(&random) }
        if random.below(10) == 0 { return word(&random) }
        return TranscriptPlayer.event(stanza(&random))
    }

    /// An answer that advances the login.
    private mutating func helpful(_ session: Session, _ random: inout SeededGenerator) -> String {
        let state = session.negotiation.state
        answers += 1
        if state.contains(.authenticated) {
            if answers == 1 {
                let offer = hasStreamManagement ? "<sm:sm/>" : ""
                return "<stream:features>\(offer)<bind:bind/><session:session/></stream:features>"
            }
            if isResuming {
                isResuming = false
                let handled = session.streamManagement.acknowledged
                return random.below(4) == 0 ? "<sm:failed/>" : "<sm:resumed previd='s1' h='\(handled)'/>"
            }
            if state.contains(.bound) { return "<iq type='result' id='session'/>" }
            return "<iq type='result' id='bind'><bind:bind><bind:jid>marvin@ship.org/r1</bind:jid></bind:bind></iq>"
        }
        if state.contains(.secure) {
            return answers == 1
                ? "<stream:features><sasl:mechanisms><sasl:mechanism>PLAIN</sasl:mechanism></sasl:mechanisms></stream:features>"
                : "<sasl:success/>"
        }
        return answers == 1 ? "<stream:features><tls:starttls/></stream:features>" : "<tls:proceed/>"
    }

    /// An element of stream management.
    private func count(_ session: Session, _ random: inout SeededGenerator) -> String {
        let management = session.streamManagement
        switch random.below(10) {
        case 0: return "<sm:r/>"
        case 1, 2, 3: return "<sm:enabled id='s1' resume='true' max='300'/>"
        case 4: return random.pick(["<sm:failed/>", "<sm:a/>", "<sm:a h='x'/>", "<sm:x/>"])
        // Sometimes one too many.
        case 5 where random.below(10) == 0:
            return "<sm:a h='\(Int(management.acknowledged) + management.unacknowledgedStanzas.count + 1)'/>"
        default:
            let more = random.below(management.unacknowledgedStanzas.count + 1)
            return "<sm:a h='\(Int(management.acknowledged) + more)'/>"
        }
    }

    private func word(_ random: inout SeededGenerator) -> StreamEvent? {
        let from = random.pick(["dev@muc.ship.org/ann", "tea@muc.ship.org/bob", "bob@b.org/x", "new@muc.b.org/eve"])
        let type = random.pick(["groupchat", "chat"])
        return TranscriptPlayer.event("<message type='\(type)' from='\(from)'><body>Hi</body></message>")
    }

    private func welcome(_ random: inout SeededGenerator) -> StreamEvent? {
        let room = random.pick(["dev@muc.ship.org", "tea@muc.ship.org", "new@muc.b.org"])
        return TranscriptPlayer.event(
            "<presence from='\(room)/marvin'><user:x><user:status code='110'/></user:x></presence>")
    }

    private mutating func stanza(_ random: inout SeededGenerator) -> String {
        let name = random.pick(["message", "message", "presence", "presence", "presence", "iq", "iq", "strange"])
        let type = random.pick([
            "", "", "groupchat", "groupchat", "chat", "error", "unavailable", "unavailable", "result", "get", "set",
            "subscribe", "unsubscribe", "headline", "?"
        ])
        var (id, from) = ("\(random.below(9))", random.below(30) == 0 ? nil : random.pick(Self.people))
        if name == "iq", random.below(2) == 0, let question = questions.last {
            id = question.id
            if random.below(3) != 0 { from = question.to }
        }
        var inside = (0..<random.below(3)).map { _ in random.pick(Self.pieces) }.joined()
        if type == "error" {
            inside += "<error type='cancel'><stanzas:\(random.pick(Self.conditions))/></error>"
        }
        if name == "presence", random.below(2) == 0 {
            let codes = (0..<random.below(3)).map { _ in "<user:status code='\(random.pick(Self.codes))'/>" }.joined()
            inside += "<user:x><user:item nick='\(random.pick(["marvin", "ann", "zoe"]))'/>\(codes)</user:x>"
        }
        return "<\(name) id='\(id)'" + (type.isEmpty ? "" : " type='\(type)'") + (from.map { " from='\($0)'" } ?? "")
            + ">\(inside)</\(name)>"
    }
}
