import Heybot

/// A command, and the listener that answers it.
struct Offer: Sendable {
    let listener: Listener
    let line: HelpLine
}

extension Robot {
    /// What somebody may use in a room, in registration order.
    func offers(to user: User, in room: Room, without hidden: HiddenCommands) -> [Offer] {
        let (switches, isAdmin) = (switches, isAdmin(user))
        return
            listeners
            .filter { ($0.access == .everyone || isAdmin) && switches.isOn($0.script, in: room) }
            .flatMap { listener in listener.help.map { Offer(listener: listener, line: $0) } }
            .filter { !hidden.include($0.line.usage) }
    }
}

/// Commands that help doesn't tell, though they work.
struct HiddenCommands: Sendable {
    private let names: Set<String>

    /// Reads names with commas between them, each the words that a command begins with.
    init(_ list: String = "") {
        names = Set(list.split(separator: ",").map { HelpText.head(of: String($0)) }.filter { !$0.isEmpty })
    }

    func include(_ usage: String) -> Bool { names.contains(HelpText.head(of: usage)) }
}
