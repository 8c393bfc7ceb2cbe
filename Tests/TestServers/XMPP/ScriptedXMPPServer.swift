import Foundation
import Synchronization

/// An XMPP server whose behavior a test scripts, on a loopback port, without TLS.
public typealias ScriptedXMPPServer = ScriptedServer<AcceptedXMPPClient>

/// A connection that a ``ScriptedXMPPServer`` has accepted.
///
/// Automatic answers apply from their call on: call `answerJoins()` before `logIn()`, because the client may continue before
/// that returns.
public final class AcceptedXMPPClient: ScriptedConnection, @unchecked Sendable {
    /// Splits the stream into elements.
    override public class var framing: any Framing { XMLElementFraming() }

    /// Answers every join as servers do: with the occupants, the client's own presence (110), and the subject.
    ///
    /// - Parameters:
    ///   - others: The nicks of the other occupants of each room.
    ///   - subject: The subject of each room.
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

    /// Answers every IQ request: pings, the roster, which is empty, and others with `service-unavailable`.
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

    /// Agrees to stream management (XEP-0198), and acknowledges the client's stanzas.
    ///
    /// - Parameter count: The number of stanzas that were handled before, in a session that is resumed.
    public func acknowledgeStanzas(after count: Int? = nil) {
        let handled = Mutex(count)
        answer { stanza in
            handled.withLock { handled in
                if stanza.hasPrefix("<enable") {
                    handled = 0
                    return ["<enabled xmlns='urn:xmpp:sm:3' id='session-1' resume='true'/>"]
                }
                guard let known = handled else { return [] }
                if Self.isStanza(stanza) { handled = known + 1 }
                return stanza.hasPrefix("<r ") ? ["<a xmlns='urn:xmpp:sm:3' h='\(known)'/>"] : []
            }
        }
    }

    /// The number of stanzas that the client has sent since it asked for stream management.
    public var stanzaCount: Int { received.drop { !$0.hasPrefix("<enable") }.count { Self.isStanza($0) } }

    private static func isStanza(_ element: String) -> Bool {
        ["<message", "<presence", "<iq"].contains { element.hasPrefix($0) }
    }

    /// Sends a message to a room from one of its occupants.
    ///
    /// - Parameter more: Further children of the message, such as `<delay …/>`.
    public func say(_ text: String, as nick: String, in room: String, _ more: String = "") {
        send(
            """
            <message type='groupchat' from='\(escaped("\(room)/\(nick)"))' id='\(UUID().uuidString)'>\
            <body>\(escaped(text))</body>\(more)</message>
            """)
    }

    /// Sends a direct message to the client.
    public func tell(_ text: String, from address: String) {
        send("<message type='chat' from='\(escaped(address))'><body>\(escaped(text))</body></message>")
    }

    /// Ends the stream with an error (RFC 6120 section 4.9.3), such as `conflict`, and closes the connection.
    public func fail(_ condition: String) {
        let error = "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
        send("<stream:error>\(error)</stream:error></stream:stream>")
        close()
    }

    /// Answers every IQ request that contains a text.
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
