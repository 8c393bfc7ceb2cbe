import HeybotSockets

/// A connection to a server, with its reply parser.
///
/// Only for use by one task at a time.
final class RESPConnection {
    let transport: Connection
    private let reader: ReplyReader
    /// The error that follows the last replies.
    private var failure: ReplyReader.ProtocolError?

    private init(_ transport: Connection, _ reader: ReplyReader) {
        self.transport = transport
        self.reader = reader
    }

    deinit { transport.close() }

    /// Connects to a server.
    static func open(_ endpoint: Endpoint, _ tls: TLSOptions?, within time: Duration) async throws -> RESPConnection {
        let transport = try await Connection.open(
            endpoint, tls: tls, connectWithin: time, handshakeTimeout: time,
            // A command is written by the thread that sends it, unless others were sent just before.
            limits: .init(
                unread: 262_144, unsent: 2 * RedisCommand.longest, writeInterval: .microseconds(20)))
        return RESPConnection(transport, try ReplyReader())
    }

    /// Waits for data, and returns the replies that it completes, if any; nil if the server has closed the connection.
    nonisolated(nonsending) func replies() async throws -> [Reply]? {
        if let failure { throw failure }
        guard let bytes = try await transport.read() else { return nil }
        var replies: [Reply] = []
        do throws(ReplyReader.ProtocolError) {
            try reader.feed(bytes)
            while let reply = try reader.next() { replies.append(reply) }
        } catch {
            if replies.isEmpty { throw error }
            failure = error
        }
        return replies
    }

    /// Sends a command and waits for its reply; only before other callers use the connection.
    nonisolated(nonsending) func ask(_ command: RedisCommand) async throws -> Reply {
        let lost = ConnectionError.lost(reason: "closed by peer")
        guard let bytes = command.encoded(), transport.send(bytes) else { throw lost }
        while let replies = try await replies() {
            if let reply = replies.first { return reply }
        }
        throw lost
    }
}
