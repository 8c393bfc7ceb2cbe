import Foundation

/// An IRC server that a test plays itself, on a loopback port.
public typealias ScriptedIRCServer = ScriptedServer<AcceptedIRCClient>

/// A connection that a ``ScriptedIRCServer`` accepted.
public final class AcceptedIRCClient: Conversation, @unchecked Sendable {
    /// Answers every JOIN as servers do: with the JOIN itself, and with who is there.
    ///
    /// - Parameters:
    ///   - prefix: who the client is, as others see it.
    ///   - others: who is in each channel beside the client, with what they are before their names.
    public func answerJoins(of prefix: String = "heybot!heybot@host.test", others: [String] = ["@alice", "bob"]) {
        let nick = prefix.prefix { $0 != "!" }
        answer { line in
            let words = line.split(separator: " ")
            guard words.count > 1, words[0].uppercased() == "JOIN" else { return [] }
            return words[1].split(separator: ",").flatMap { channel in
                [
                    ":\(prefix) JOIN \(channel)",
                    ":irc.test 353 \(nick) = \(channel) :\(([String(nick)] + others).joined(separator: " "))",
                    ":irc.test 366 \(nick) \(channel) :End of /NAMES list."
                ]
            }
        }
    }

    /// Answers every PING.
    public func answerPings() {
        answer { line in
            guard line.uppercased().hasPrefix("PING ") else { return [] }
            return [":irc.test PONG irc.test \(line.dropFirst(5))"]
        }
    }
}

extension Conversation {
    /// All lines that came, from the first, without what ends them.
    public var lines: [String] { received }
}
