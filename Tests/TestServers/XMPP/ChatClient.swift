import Foundation
import Synchronization

/// A person on XMPP, who does what a test has them do.
///
/// What waits for an answer, such as ``join(_:as:password:)``, passes over nothing: what came meanwhile can still be
/// waited for by `expect`.
public final class ChatClient: Conversation, @unchecked Sendable {
    private let ownAddress = Mutex("")

    /// The elements of the stream.
    override public class var framing: any Framing { Elements() }

    /// Connects without TLS, and answers every ping.
    public convenience init(port: Int) throws {
        try self.init(connectingTo: port)
        answerPings()
    }

    /// Connects with TLS from the first byte, by the `openssl` command, which checks the server's certificate; answers
    /// every ping.
    ///
    /// - Parameters:
    ///   - caFile: the path of the certificate to trust, in PEM.
    ///   - name: the host name that the certificate has to be for.
    public convenience init(tlsPort: Int, caFile: String, name: String = "xmpp.test") throws {
        try self.init(connectingTo: tlsPort, trusting: caFile, name: name)
        answerPings()
    }

    /// Its address with its resource, after it has logged in.
    public var address: String { ownAddress.withLock { $0 } }

    /// Logs in by PLAIN and binds a resource; sends no presence.
    ///
    /// - Throws: ``ServersError`` if the server doesn't let it.
    public func logIn(
        _ account: String, password: String = "secret", domain: String = "xmpp.test", resource: String = "desk"
    ) async throws {
        try await openStream(to: domain)
        let response = Data("\0\(account)\0\(password)".utf8).base64EncodedString()
        send("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(response)</auth>")
        let answer = try await expect { $0.hasPrefix("<success") || $0.hasPrefix("<failure") }
        guard answer.hasPrefix("<success") else { throw ServersError.failed("\(account) can't log in: \(answer)") }
        try await openStream(to: domain)
        let bound = try await ask(
            "set",
            "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>\(escaped(resource))</resource></bind>")
        guard let start = bound.range(of: "<jid>"), let end = bound.range(of: "</jid>") else {
            throw ServersError.failed("\(account) can't bind a resource: \(bound)")
        }
        ownAddress.withLock { $0 = String(bound[start.upperBound..<end.lowerBound]) }
    }

    /// Begins a stream, and returns the features that the server has now.
    @discardableResult
    public func openStream(to domain: String = "xmpp.test") async throws -> String {
        send(
            """
            <?xml version='1.0'?><stream:stream to='\(domain)' version='1.0' xml:lang='en' xmlns='jabber:client' \
            xmlns:stream='http://etherx.jabber.org/streams'>
            """)
        return try await expect("<stream:features")
    }

    /// Asks something by an `iq`, and returns the answer.
    ///
    /// - Parameters:
    ///   - type: `get` or `set`.
    ///   - payload: what is in the `iq`.
    ///   - address: whom it asks; the server if it's nil.
    /// - Throws: ``ServersError`` if there is no answer, or it's an error.
    @discardableResult
    public func ask(_ type: String, _ payload: String, of address: String? = nil) async throws -> String {
        let (id, start) = ("ask-\(UUID().uuidString)", received.count)
        let to = address.map { " to='\(escaped($0))'" } ?? ""
        send("<iq type='\(type)' id='\(id)'\(to)>\(payload)</iq>")
        let answer = try await find("the answer to \(payload)", since: start) {
            $0.hasPrefix("<iq") && attribute("id", of: $0) == id
        }
        if attribute("type", of: answer) == "error" { throw ServersError.failed("\(payload) was refused: \(answer)") }
        return answer
    }

    /// Says something to somebody; a room's occupant is `room/nick`.
    public func tell(_ address: String, _ text: String) {
        send(
            """
            <message type='chat' id='\(UUID().uuidString)' to='\(escaped(address))'><body>\(escaped(text))</body>\
            </message>
            """)
    }

    /// Asks somebody to let it see their presence, and lets them see its own, whether they have asked or will.
    ///
    /// The other has to do the same, unless it lets everybody.
    ///
    /// - Parameter address: theirs, without a resource.
    public func befriend(_ address: String) {
        let to = escaped(address)
        let consent = "<presence type='subscribed' to='\(to)'/>"
        answer { stanza in
            let isRequest = stanza.hasPrefix("<presence") && attribute("type", of: stanza) == "subscribe"
            return isRequest && attribute("from", of: stanza) == to ? [consent] : []
        }
        send("<presence type='subscribe' to='\(to)'/>", consent)
    }

    /// Says goodbye, as programs usually do.
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
