/// Which message one of the robot's own messages answers, as the id of the own message tells.
///
/// The sender of a message chooses its id, and archives keep it. So a robot that takes over from a killed one finds out which
/// commands that one has answered.
package enum AnsweredMessage: Hashable, Sendable {
    /// None, as for a reminder.
    case nothing
    /// The message with this stanza id (XEP-0359).
    case message(String)
    /// The id doesn't say: the server has given the answered message no id, or another program has sent the answer.
    case unknown

    private static let mark: Unicode.Scalar = "~"
    /// In bytes.
    private static let longestID = 128

    /// - Parameter stanzaID: The stanza id of the answered message; nil if it has none.
    package init(_ stanzaID: String?) {
        let id = stanzaID.flatMap { $0.utf8.count <= Self.longestID ? $0 : nil }
        self = id.map { .message($0) } ?? .unknown
    }

    /// Reads the id of one of the robot's own messages.
    init(toldBy id: String?) {
        // Not by characters: the server's id may begin with a mark that combines with `~`.
        guard let id, let mark = id.unicodeScalars.firstIndex(of: Self.mark) else {
            self = .unknown
            return
        }
        let answered = id[id.unicodeScalars.index(after: mark)...]
        self = answered.isEmpty ? .nothing : .message(String(answered))
    }

    /// Returns the id of an own message that tells what the message answers.
    ///
    /// - Parameter id: An id without `~`.
    package func telling(in id: String) -> String {
        switch self {
        case .nothing: "\(id)\(Self.mark)"
        case .message(let answered): "\(id)\(Self.mark)\(answered)"
        case .unknown: id
        }
    }
}
