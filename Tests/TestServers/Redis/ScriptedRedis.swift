/// A Redis server whose replies a test scripts, on a loopback port, without TLS.
public typealias ScriptedRedis = ScriptedServer<AcceptedRedisClient>

/// A connection that a ``ScriptedRedis`` has accepted.
///
/// The class has no mutable state of its own.
public final class AcceptedRedisClient: ScriptedConnection, @unchecked Sendable {
    /// A reply (RESP 2).
    public indirect enum Reply: Hashable, Sendable {
        /// A status, such as `OK`, without line breaks.
        case status(String)
        /// An error, which begins with its kind, such as `ERR no such key`; without line breaks.
        case error(String)
        /// An integer.
        case integer(Int)
        /// A bulk string; nil for the null bulk string.
        case bulk([UInt8]?)
        /// An array; nil for the null array.
        case array([Reply]?)

        /// The status `OK`.
        public static let ok = status("OK")

        /// Creates a bulk string from a text.
        public static func text(_ text: String) -> Reply { .bulk(Array(text.utf8)) }

        /// The encoded reply.
        public var bytes: [UInt8] {
            switch self {
            case .status(let text): Array("+\(text)\r\n".utf8)
            case .error(let text): Array("-\(text)\r\n".utf8)
            case .integer(let number): Array(":\(number)\r\n".utf8)
            case .bulk(nil): Array("$-1\r\n".utf8)
            case .bulk(let bytes?): Array("$\(bytes.count)\r\n".utf8) + bytes + Array("\r\n".utf8)
            case .array(nil): Array("*-1\r\n".utf8)
            case .array(let replies?): Array("*\(replies.count)\r\n".utf8) + replies.flatMap(\.bytes)
            }
        }
    }

    /// Splits the input into commands.
    override public class var framing: any Framing { RedisCommandFraming() }

    /// Waits for the next command, and returns its words.
    ///
    /// - Throws: ``TestServerError`` if none comes in time, or if the input isn't a command.
    public func command(within limit: Duration = .testLimit) async throws -> [[UInt8]] {
        let piece = try await next(within: limit)
        guard let words = RedisCommandFraming.words(of: piece) else {
            throw TestServerError.failed("this came: \(piece)")
        }
        return words
    }

    /// Waits for the next command, and checks it; the case of its first word doesn't matter.
    ///
    /// - Throws: ``TestServerError`` if another command comes, or none in time.
    public func expectCommand(_ words: String..., within limit: Duration = .testLimit) async throws {
        let command = try await command(within: limit)
        let wanted = words.map { Array($0.utf8) }
        guard Self.name(of: command) == Self.name(of: wanted), command.dropFirst() == wanted.dropFirst() else {
            let (wanted, came) = (RedisCommandFraming.piece(wanted), RedisCommandFraming.piece(command))
            throw TestServerError.failed("\(wanted) was to come, but this came: \(came)")
        }
    }

    /// Sends a reply.
    public func reply(_ reply: Reply) { sendRaw(reply.bytes) }

    /// Replies to the commands with which clients begin until a certain command comes, and returns its words; it gets no
    /// reply.
    ///
    /// By default the server is a master with an empty INFO, and replies `OK` to everything else.
    ///
    /// - Parameters:
    ///   - name: The first word of the command, in any case.
    ///   - answers: The replies to other commands, by their first words in upper case.
    ///   - limit: The time limit for each command.
    /// - Throws: ``TestServerError`` if no command comes in time, or if the input isn't a command.
    public func welcome(
        until name: String, answers: [String: Reply] = [:], within limit: Duration = .testLimit
    ) async throws -> [[UInt8]] {
        let usual: [String: Reply] = [
            "PING": .status("PONG"), "INFO": .text(""), "ROLE": .array([.text("master"), .integer(0), .array([])])
        ]
        let answers = usual.merging(answers) { $1 }
        while true {
            let command = try await command(within: limit)
            let said = Self.name(of: command)
            if said == name.uppercased() { return command }
            reply(answers[said] ?? .ok)
        }
    }

    private static func name(of command: [[UInt8]]) -> String {
        String(decoding: command.first ?? [], as: UTF8.self).uppercased()
    }
}
