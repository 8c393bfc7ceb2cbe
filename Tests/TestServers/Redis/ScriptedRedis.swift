/// A Redis server that a test plays itself, on a loopback port, without TLS.
public typealias ScriptedRedis = ScriptedServer<AcceptedRedisClient>

/// A client whose connection a ``ScriptedRedis`` accepted.
///
/// It may be shared: it has nothing of its own that changes.
public final class AcceptedRedisClient: Conversation, @unchecked Sendable {
    /// What a server answers (RESP2).
    public indirect enum Reply: Hashable, Sendable {
        /// A status, such as `OK`, without line breaks.
        case status(String)
        /// An error, which begins with its kind: `ERR no such key`; without line breaks.
        case error(String)
        /// A number.
        case integer(Int)
        /// Bytes; nil for what isn't there.
        case bulk([UInt8]?)
        /// Others; nil for what isn't there.
        case array([Reply]?)

        /// The status of what was done.
        public static let ok = status("OK")

        /// A text, as bytes.
        public static func text(_ text: String) -> Reply { .bulk(Array(text.utf8)) }

        /// As it's sent.
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

    /// The commands, each whole.
    override public class var framing: any Framing { RedisCommands() }

    /// Waits for the next command, and returns its words.
    ///
    /// - Throws: ``ServersError`` if none comes in time, and where what comes is none.
    public func command(within limit: Duration = .testLimit) async throws -> [[UInt8]] {
        let piece = try await next(within: limit)
        guard let words = RedisCommands.words(of: piece) else { throw ServersError.failed("this came: \(piece)") }
        return words
    }

    /// Waits for the next command, which has to be this one; in its first word case doesn't count.
    ///
    /// - Throws: ``ServersError`` if another comes, or none in time.
    public func expectCommand(_ words: String..., within limit: Duration = .testLimit) async throws {
        let command = try await command(within: limit)
        let wanted = words.map { Array($0.utf8) }
        guard Self.name(of: command) == Self.name(of: wanted), command.dropFirst() == wanted.dropFirst() else {
            let (wanted, came) = (RedisCommands.piece(wanted), RedisCommands.piece(command))
            throw ServersError.failed("\(wanted) was to come, but this came: \(came)")
        }
    }

    /// Sends an answer.
    public func reply(_ reply: Reply) { sendRaw(reply.bytes) }

    /// Answers what clients say at their beginning until a command comes, and returns that one's words; it isn't
    /// answered.
    ///
    /// If nothing else is said the server is a master, whose INFO is empty, and everything is `OK` to it.
    ///
    /// - Parameters:
    ///   - name: the command's first word, in either case.
    ///   - answers: what it answers to other commands, by their first words in upper case.
    ///   - limit: how long it waits for each command.
    /// - Throws: ``ServersError`` if no command comes in time, and where what comes is none.
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
