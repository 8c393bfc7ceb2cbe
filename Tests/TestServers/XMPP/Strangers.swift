import Crypto
import Foundation

/// A component of a server (XEP-0114), by which anybody at its domain says something: as many people as a test wants, on one
/// connection.
public final class Strangers: Conversation, @unchecked Sendable {
    /// The elements of the stream.
    override public class var framing: any Framing { Elements() }

    static let secret = "strangers"

    /// Logs in as a component.
    ///
    /// - Throws: ``ServersError`` if the server doesn't let it in.
    func logIn(as domain: String) async throws {
        send(
            """
            <?xml version='1.0'?><stream:stream to='\(domain)' xmlns='jabber:component:accept' \
            xmlns:stream='http://etherx.jabber.org/streams'>
            """)
        let header = try await expect("<stream:stream")
        guard let id = attribute("id", of: header) else { throw ServersError.failed("no id: \(header)") }
        let digest = Insecure.SHA1.hash(data: Data((id + Self.secret).utf8))
        send("<handshake>\(digest.map { String(format: "%02x", $0) }.joined())</handshake>")
        try await expect("<handshake")
    }

    /// Has each of these people say something to somebody, all in one write.
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
    /// The domain of those whom ``strangers()`` speaks for.
    public var strangersDomain: String { "strangers.\(domain)" }

    /// Those who are at a domain of their own, if it was started with them.
    ///
    /// - Throws: ``ServersError`` if the server doesn't let them in.
    public func strangers() async throws -> Strangers {
        guard let componentPort else { throw ServersError.failed("the server has no strangers") }
        let strangers = try Strangers(connectingTo: componentPort)
        try await strangers.logIn(as: strangersDomain)
        return strangers
    }
}
