/// Tracks open batches: groups of messages that belong together (IRCv3 batch).
struct BatchTracker: Sendable {
    private var batchTypes: [String: String] = [:]
    private static let maxBatches = 100

    /// Handles a `BATCH` message, which opens or closes a batch.
    mutating func receive(_ message: IRCMessage) {
        guard let first = message.parameters.first else { return }
        let name = String(first.dropFirst())
        if first.hasPrefix("+"), batchTypes.count < Self.maxBatches {
            // A nested batch counts as its outer batch, whose type says more, if there is one.
            let outer = batchType(of: message)
            batchTypes[name] =
                outer.isEmpty || outer == "?" ? message.parameters.dropFirst().first?.lowercased() ?? "" : outer
        } else if first.hasPrefix("-") {
            batchTypes[name] = nil
        }
    }

    /// Whether the message is a replay of an earlier one, such as chat history or a bouncer's playback.
    func isReplayed(_ message: IRCMessage) -> Bool {
        switch batchType(of: message) {
        // A message of a batch that wasn't opened is ignored, to be safe.
        case "?": true
        case "chathistory", "draft/chathistory", "znc.in/playback", "playback", "znc.in/batch/playback": true
        default: false
        }
    }

    /// Whether the message is part of a netsplit or the rejoin after one.
    func isSplit(_ message: IRCMessage) -> Bool {
        let batchType = batchType(of: message)
        return batchType == "netsplit" || batchType == "netjoin"
    }

    private func batchType(of message: IRCMessage) -> String {
        if message.tags.isEmpty { return "" }
        return message.tags["batch"].map { batchTypes[$0] ?? "?" } ?? ""
    }
}
