import DequeModule
import Heybot

// What an earlier worker has left in a partition.

extension LinkWorkerSession {
    /// The number of messages for which there is room.
    var room: Int { max(limits.window - open.count, 0) }

    /// What was in a partition was read.
    mutating func tookOver(_ number: Int, token: Int, _ legacy: LinkDatabase.Legacy) -> [Action] {
        guard owned[number]?.token == token else { return [] }
        owned[number]?.phase = .reading(after: isStopping ? "0-0" : legacy.last)
        if isStopping { return leave() }
        var actions = skip(legacy.unreadable, number, token)
        if !legacy.claims.isEmpty {
            actions.append(.apologize(Array(legacy.claims.values)))
            actions += legacy.claims.map { id, claim in
                .note(claim, id: id, isOpen: false, partition: number, token: token)
            }
        }
        for entry in legacy.entries {
            if isKnown(entry.id, number) { continue }
            let script =
                legacy.culprits[entry.message.id.description]
                ?? legacy.culprits[Self.uniqueID(of: entry, number).description]
            if script != nil || entry.attempts > limits.attempts {
                actions.append(.giveUp(entry.message, script: script))
                actions.append(finish(entry.id, number, token))
            } else {
                owned[number]?.legacy.append(entry)
            }
        }
        let heard = admitLegacy()
        return actions + (heard.isEmpty ? [] : [.hear(heard)])
    }

    /// Takes what earlier workers have left, as far as there is room.
    mutating func admitLegacy() -> [Message] {
        var heard: [Message] = []
        for (number, partition) in owned where !partition.legacy.isEmpty && !isStopping {
            while open.count < limits.window, let entry = owned[number]?.legacy.popFirst() {
                if !isKnown(entry.id, number), let message = add(entry, number, partition.token) {
                    heard.append(message)
                }
            }
        }
        return heard
    }
}
