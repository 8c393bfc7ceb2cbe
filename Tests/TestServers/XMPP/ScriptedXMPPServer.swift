import Foundation

/// An XMPP server that a test plays itself, on a loopback port, without TLS.
public typealias ScriptedXMPPServer = ScriptedServer<AcceptedXMPPClient>

/// A connection that a ``ScriptedXMPPServer`` accepted.
///
/// It answers by itself what it's told to, from then on: `answerJoins()` belongs before `logIn()`, which returns when
/// the client may have gone on already.
public final class AcceptedXMPPClient: Conversation, @unchecked Sendable {
    /// The elements of the stream.
    override public class var framing: any Framing { Elements() }

    /// Answers everybody who joins a room as servers do: with who is there, with the client itself (110), and with the
    /// subject.
    ///
    /// - Parameters:
    ///   - others: the nicks of those who are in each room beside the client.
    ///   - subject: that of each room.
    public func answerJoins(others: [String] = ["alice", "bob"], subject: String = "") {
        answer { stanza in
            guard stanza.hasPrefix("<presence"), stanza.contains("http://jabber.org/protocol/muc"),
                attribute("type", of: stanza) == nil, let me = attribute("to", of: stanza)
            else { return [] }
            let room = me.prefix { $0 != "/" }
            return others.map { Self.occupant("\(room)/\($0)") } + [
                Self.occupant(me, "<status code='110'/>"),
                "<message type='groupchat' from='\(room)'><subject>\(escaped(subject))</subject></message>"
            ]
        }
    }

    /// Answers every `iq` that asks: pings and the roster, which is empty, and that it doesn't know the rest.
    public func answerRequests() {
        answerRequest("urn:xmpp:ping") { "<iq type='result' id='\($0)'/>" }
        answerRequest("jabber:iq:roster") { "<iq type='result' id='\($0)'><query xmlns='jabber:iq:roster'/></iq>" }
        let known = ["urn:xmpp:ping", "jabber:iq:roster", "<session", "urn:ietf:params:xml:ns:xmpp-bind"]
        answerRequest("") { id, stanza in
            if known.contains(where: { stanza.contains($0) }) { return "" }
            return """
                <iq type='error' id='\(id)'><error type='cancel'>\
                <service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
                """
        }
    }

    /// Says something in a room as one of its occupants.
    ///
    /// - Parameter more: what else stands in the message, such as `<delay …/>`.
    public func say(_ text: String, as nick: String, in room: String, _ more: String = "") {
        send(
            """
            <message type='groupchat' from='\(escaped("\(room)/\(nick)"))' id='\(UUID().uuidString)'>\
            <body>\(escaped(text))</body>\(more)</message>
            """)
    }

    /// Says something to the client alone.
    public func tell(_ text: String, from address: String) {
        send("<message type='chat' from='\(escaped(address))'><body>\(escaped(text))</body></message>")
    }

    /// Ends the stream with an error (RFC 6120 section 4.9.3), such as `conflict`, and then the connection.
    public func fail(_ condition: String) {
        let error = "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
        send("<stream:error>\(error)</stream:error></stream:stream>")
        close()
    }

    /// Answers every `iq` that asks something with a text in it.
    public func answerRequest(_ text: String, _ answer: @escaping @Sendable (_ id: String) -> String) {
        answerRequest(text) { id, _ in answer(id) }
    }

    private func answerRequest(_ text: String, _ make: @escaping @Sendable (_ id: String, _ iq: String) -> String) {
        answer { stanza in
            guard stanza.hasPrefix("<iq"), ["get", "set"].contains(attribute("type", of: stanza)),
                text.isEmpty || stanza.contains(text), let id = attribute("id", of: stanza)
            else { return [] }
            return [make(id, stanza)]
        }
    }

    private static func occupant(_ address: String, _ more: String = "") -> String {
        """
        <presence from='\(address)'><x xmlns='http://jabber.org/protocol/muc#user'>\
        <item affiliation='none' role='participant'/>\(more)</x></presence>
        """
    }
}
