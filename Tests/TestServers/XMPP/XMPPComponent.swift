import Foundation
import HeybotSupport

/// A server component (XEP-0114), which sends messages from any address at its domain over a single connection.
public final class XMPPComponent: ScriptedConnection, @unchecked Sendable {
    /// Splits the stream into elements.
    override public class var framing: any Framing { XMLElementFraming() }

    static let secret = "strangers"

    /// Logs in as a component.
    ///
    /// - Throws: ``TestServerError`` if the server refuses it.
    func logIn(as domain: String) async throws {
        send(
            """
            <?xml version='1.0'?><stream:stream to='\(domain)' xmlns='jabber:component:accept' \
            xmlns:stream='http://etherx.jabber.org/streams'>
            """)
        let header = try await expect("<stream:stream")
        guard let id = attribute("id", of: header) else { throw TestServerError.failed("no id: \(header)") }
        let digest = CryptographicHash.sha1.hash((id + Self.secret).utf8)
        send("<handshake>\(digest.map { String(format: "%02x", $0) }.joined())</handshake>")
        try await expect("<handshake")
    }

    /// Sends a direct message from each of these addresses, all in one write.
    public func tell(_ address: String, _ text: String, from people: [String]) {
        let to = escaped(address)
        let body = "<body>\(escaped(text))</body>"
        let messages = people.enumerated().map { number, person in
            "<message type='chat' id='\(number)' from='\(escaped(person))' to='\(to)'>\(body)</message>"
        }
        sendRaw(messages.joined().utf8)
    }
}

extension XMPPServer {
    /// The domain of ``component()``.
    public var componentDomain: String { "strangers.\(domain)" }

    /// Connects a component, if the server was started with one.
    ///
    /// - Throws: ``TestServerError`` if the server refuses it.
    public func component() async throws -> XMPPComponent {
        guard let componentPort else { throw TestServerError.failed("the server was started without a component") }
        let strangers = try XMPPComponent(connectingTo: componentPort)
        try await strangers.logIn(as: componentDomain)
        return strangers
    }
}
