import HeybotSockets

/// One connection to a server, with what has been read of its answers.
///
/// For one task at a time.
final class Link {
    let connection: Connection
    private let reader: ReplyReader
    /// What is wrong behind the last replies.
    private var failure: ReplyReader.Broken?

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

    /// Waits for bytes, and returns the answers that are complete with them, if any are; nil if the server has closed the
    /// connection.
    nonisolated(nonsending) func replies() async throws -> [Reply]? {
        if let failure { throw failure }
        guard let bytes = try await connection.read() else { return nil }
        var replies: [Reply] = []
        do throws(ReplyReader.Broken) {
            try reader.feed(bytes)
            while let reply = try reader.next() { replies.append(reply) }
        } catch {
            if replies.isEmpty { throw error }
            failure = error
        }
        return replies
    }

    /// Asks, and waits for the answer; for the time before others may ask.
    nonisolated(nonsending) func ask(_ command: Command) async throws -> Reply {
        let lost = ConnectionError.lost(reason: "the other side has closed it")
        guard let bytes = command.encoded(), connection.send(bytes) else { throw lost }
        while let replies = try await replies() {
            if let reply = replies.first { return reply }
        }
        throw lost
    }
}
