import Sockets

/// One connection to a server, with what has been read of its answers.
///
/// For one task at a time.
final class Link {
    let connection: Connection
    private let reader: ReplyReader

    private init(_ connection: Connection, _ reader: ReplyReader) {
        self.connection = connection
        self.reader = reader
    }

    deinit { connection.close() }

    /// Connects.
    static func open(_ endpoint: Endpoint, _ tls: TLS?, within time: Duration) async throws -> Link {
        let connection = try await Connection.open(
            endpoint, tls: tls, connectWithin: time, handshakeWithin: time,
            limits: .init(unread: 262_144, unsent: 2 * Command.longest))
        return Link(connection, try ReplyReader())
    }

    /// Waits for answers, and returns all that have come; nil where the server has closed the connection.
    nonisolated(nonsending) func replies() async throws -> [Reply]? {
        var replies: [Reply] = []
        repeat {
            guard let bytes = try await connection.read() else { return nil }
            try reader.feed(bytes)
            while let reply = try reader.next() { replies.append(reply) }
        } while replies.isEmpty
        return replies
    }

    /// Asks, and waits for the answer; for the time before others may ask.
    nonisolated(nonsending) func ask(_ command: Command) async throws -> Reply {
        guard let bytes = command.encoded(), connection.send(bytes) else { throw ConnectionError.closed }
        guard let reply = try await replies()?.first else {
            throw ConnectionError.lost(reason: "the other side has closed it")
        }
        return reply
    }
}
