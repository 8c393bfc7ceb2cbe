/// The batches under way: messages that belong together (IRCv3 batch).
struct Batches: Sendable {
    private var kinds: [String: String] = [:]
    private static let most = 100

    /// Takes the parameters of a `BATCH`, as they came.
    mutating func receive(_ message: IRCMessage) {
        guard let first = message.parameters.first else { return }
        let name = String(first.dropFirst())
        if first.hasPrefix("+"), kinds.count < Self.most {
            // A batch in a batch is what the outer one is, if that says more.
            let outer = kind(of: message)
            kinds[name] =
                outer.isEmpty || outer == "?" ? message.parameters.dropFirst().first?.lowercased() ?? "" : outer
        } else if first.hasPrefix("-") {
            kinds[name] = nil
        }
    }

    /// Whether the message was said earlier and is only told again.
    func isReplayed(_ message: IRCMessage) -> Bool {
        switch kind(of: message) {
        // Of a batch that we know nothing of, nothing is to be done either.
        case "?": true
        case "chathistory", "draft/chathistory", "znc.in/playback", "playback", "znc.in/batch/playback": true
        default: false
        }
    }

    /// Whether somebody comes or goes with half the network.
    func isSplit(_ message: IRCMessage) -> Bool {
        let kind = kind(of: message)
        return kind == "netsplit" || kind == "netjoin"
    }

    private func kind(of message: IRCMessage) -> String {
        if message.tags.isEmpty { return "" }
        return message.tags["batch"].map { kinds[$0] ?? "?" } ?? ""
    }
}
