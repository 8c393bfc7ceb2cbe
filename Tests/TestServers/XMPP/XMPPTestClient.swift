import Foundation
import Synchronization

/// A person's XMPP client, which a test controls.
///
/// Methods that wait for an answer, such as ``join(_:as:password:)``, don't consume other stanzas: `expect` still finds them.
public final class XMPPTestClient: ScriptedConnection, @unchecked Sendable {
    private let ownAddress = Mutex("")

    /// Splits the stream into elements.
    override public class var framing: any Framing { XMLElementFraming() }

    /// Connects without TLS, and answers pings.
    public convenience init(port: Int) throws {
        try self.init(connectingTo: port)
        answerPings()
    }

    /// Connects with direct TLS, through the `openssl` command, which verifies the server's certificate; answers pings.
    ///
    /// - Parameters:
    ///   - caFile: The path of the trusted certificate, in PEM.
    ///   - name: The host name that the certificate has to be valid for.
    public convenience init(tlsPort: Int, caFile: String, name: String = "xmpp.test") throws {
        try self.init(connectingTo: tlsPort, trusting: caFile, name: name)
        answerPings()
    }

    /// The full address after the login.
    public var address: String { ownAddress.withLock { $0 } }

    /// Logs in with PLAIN and binds a resource; sends no presence.
    ///
    /// - Throws: ``TestServerError`` if the server refuses it.
    public func logIn(
        _ account: String, password: String = "secret", domain: String = "xmpp.test", resource: String = "desk"
    ) async throws {
        try await openStream(to: domain)
        let response = Data("\0\(account)\0\(password)".utf8).base64EncodedString()
        send("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(response)</auth>")
        let answer = try await expect { $0.hasPrefix("<success") || $0.hasPrefix("<failure") }
        guard answer.hasPrefix("<success") else { throw TestServerError.failed("\(account) can't log in: \(answer)") }
        try await openStream(to: domain)
        let bound = try await ask(
            "set",
            "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>\(escaped(resource))</resource></bind>")
        guard let start = bound.range(of: "<jid>"), let end = bound.range(of: "</jid>") else {
            throw TestServerError.failed("\(account) can't bind a resource: \(bound)")
        }
        ownAddress.withLock { $0 = String(bound[start.upperBound..<end.lowerBound]) }
    }

    /// Opens a stream, and returns the server's stream features.
    @discardableResult
    public func openStream(to domain: String = "xmpp.test") async throws -> String {
        send(
            """
            <?xml version='1.0'?><stream:stream to='\(domain)' version='1.0' xml:lang='en' xmlns='jabber:client' \
            xmlns:stream='http://etherx.jabber.org/streams'>
            """)
        return try await expect("<stream:features")
    }

    /// Sends an IQ request, and returns the response.
    ///
    /// - Parameters:
    ///   - type: `get` or `set`.
    ///   - payload: The child element of the request.
    ///   - address: The addressee; nil for the server.
    /// - Throws: ``TestServerError`` if there is no response, or it is an error.
    @discardableResult
    public func ask(_ type: String, _ payload: String, of address: String? = nil) async throws -> String {
        let (id, start) = ("ask-\(UUID().uuidString)", received.count)
        let to = address.map { " to='\(escaped($0))'" } ?? ""
        send("<iq type='\(type)' id='\(id)'\(to)>\(payload)</iq>")
        let answer = try await find("the answer to \(payload)", since: start) {
            $0.hasPrefix("<iq") && attribute("id", of: $0) == id
        }
        if attribute("type", of: answer) == "error" {
            throw TestServerError.failed("\(payload) was refused: \(answer)")
        }
        return answer
    }

    /// Sends a direct message; an occupant of a room is `room/nick`.
    public func tell(_ address: String, _ text: String) {
        send(
            """
            <message type='chat' id='\(UUID().uuidString)' to='\(escaped(address))'><body>\(escaped(text))</body>\
            </message>
            """)
    }

    /// Requests a subscription to a contact's presence, and approves the contact's request, whether it came already or will
    /// come.
    ///
    /// The contact has to do the same, unless it approves every request.
    ///
    /// - Parameter address: The contact's bare address.
    public func exchangeSubscriptions(with address: String) {
        let to = escaped(address)
        let consent = "<presence type='subscribed' to='\(to)'/>"
        answer { stanza in
            let isRequest = stanza.hasPrefix("<presence") && attribute("type", of: stanza) == "subscribe"
            return isRequest && attribute("from", of: stanza) == to ? [consent] : []
        }
        send("<presence type='subscribe' to='\(to)'/>", consent)
    }

    /// Sends unavailable presence and closes the stream.
    public func logOut() {
        send("<presence type='unavailable'/>", "</stream:stream>")
    }

    private func answerPings() {
        answer { stanza in
            guard stanza.hasPrefix("<iq"), stanza.contains("urn:xmpp:ping"), attribute("type", of: stanza) == "get",
                let id = attribute("id", of: stanza)
            else { return [] }
            let to = attribute("from", of: stanza).map { " to='\($0)'" } ?? ""
            return ["<iq type='result' id='\(id)'\(to)/>"]
        }
    }
}
