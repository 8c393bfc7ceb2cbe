import Foundation

/// A scripted IRC server on a loopback port.
public typealias ScriptedIRCServer = ScriptedServer<AcceptedIRCClient>

/// A connection that a ``ScriptedIRCServer`` accepted.
public final class AcceptedIRCClient: ScriptedConnection, @unchecked Sendable {
    /// Answers every JOIN like a real server, with the JOIN itself and the list of members.
    ///
    /// - Parameters:
    ///   - prefix: The client's prefix, as others see it.
    ///   - others: The other members of each channel, with their status symbols.
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

extension ScriptedConnection {
    /// All lines received so far, without line breaks.
    public var lines: [String] { received }
}
