import Logging

// Another host takes over: see the guide to the protocol, "Taking over".

extension HostSession {
    var isRetiring: Bool { if case .retiring = phase { true } else { false } }

    /// Another host takes over: this one sends what it has stored, and finishes what it has begun.
    package mutating func retire(at now: Duration) -> [HostAction] {
        let previous = phase
        guard previous == .running || previous == .loaded else {
            // It has nothing that another one needs.
            isStopping = true
            return (previous == .ended ? [] : [.kill]) + runs.close() + web.close() + [.retired]
        }
        phase = .retiring(until: now + limits.retirement, hasRetired: false)
        return [.write(.retire)]
    }

    mutating func receiveFromRetiring(_ message: HostMessage, at now: Duration) -> [HostAction] {
        switch message {
        // Another host has these now.
        case .loading, .script, .listener, .unlisten, .ready, .help, .middleware, .routes: return []
        case .brain(let entries): return [.store(entries)]
        case .retired:
            guard case .retiring(let end, false) = phase else { return [] }
            phase = .retiring(until: end, hasRetired: true)
            return [.retired]
        case .send, .receive, .result, .ended, .error, .log, .datastore, .webResponse, .webBody, .busy, .pong, .unknown:
            return receive(message, at: now)
        }
    }

    /// What another host has changed in the brain.
    package mutating func learn(_ entries: [BrainEntry]) -> [HostAction] {
        if phase == .running { return RobotMessage.brain(entries).messages.map { .write($0) } }
        waitingChanges = (waitingChanges ?? []) + entries
        return []
    }

    /// The host whose place this one takes has said everything.
    package mutating func takeOver() -> [HostAction] {
        hasRobot = true
        defer { waitingChanges = nil }
        return remember(waitingChanges ?? [])
    }
}

extension RobotMessage {
    /// The bytes of entries in one message; the host refuses lines of more than 8 MiB.
    private static let brainBytes = 1 << 20
    private static let longestLine = 8 << 20

    /// Messages with entries of the brain, none of them last.
    ///
    /// - Returns: The messages, and the keys of entries that are too long for one.
    static func brain(_ entries: [BrainEntry]) -> (messages: [RobotMessage], tooLong: [String]) {
        var messages: [RobotMessage] = []
        var tooLong: [String] = []
        var (part, size): ([BrainEntry], Int) = ([], 0)
        for entry in entries {
            let bytes = entry.encodedSize
            guard bytes < longestLine - 1_000 else {
                tooLong.append(entry.key)
                continue
            }
            if size + bytes > brainBytes, !part.isEmpty {
                messages.append(.brain(part, isLast: false))
                (part, size) = ([], 0)
            }
            part.append(entry)
            size += bytes
        }
        if !part.isEmpty { messages.append(.brain(part, isLast: false)) }
        return (messages, tooLong)
    }
}
