import HeybotSupport
import Logging

// Another host takes over: see the guide to the protocol, "Taking over".

extension HostSession {
    var isRetiring: Bool { if case .retiring = phase { true } else { false } }

    /// Whether the host answers no new questions any more.
    var isClosing: Bool { isStopping && !isRetiring }

    /// Whether the scripts' middleware can be asked now, or soon.
    func asksMiddleware(_ kind: MiddlewareKind) -> Bool {
        guard middleware.contains(kind), !isStopping else { return false }
        // A process that can't load its scripts mustn't delay what the robot does itself.
        return isLoaded && failedLoads == 0
    }

    /// Another host takes over: this one sends what it has stored, and finishes what it has begun.
    package mutating func retire(at now: Duration) -> [HostAction] {
        let previous = phase
        let handedOver = runs.handOver() + web.handOver()
        guard previous == .running || previous == .loaded else {
            // It has nothing that another one needs.
            isStopping = true
            return (previous == .ended ? [] : [.kill]) + handedOver + runs.close() + web.close() + [.retired]
        }
        phase = .retiring(until: now + limits.retirement, hasRetired: false)
        return [.write(.retire)] + handedOver
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
    ///
    /// - Parameter batch: The number of these changes. The host may have got them with the brain, before they were stored: then
    ///   its scripts may have newer values by now.
    package mutating func learn(_ entries: [BrainEntry], ofBatch batch: Int) -> [HostAction] {
        guard batch > newestBatch else { return [] }
        if phase == .running { return RobotMessage.brain(entries).messages.map { .write($0) } }
        guard !isStopping else { return [] }
        let keys = Set(entries.map(\.key))
        // In order: an entry may have been divided into several.
        waitingChanges.removeAll { keys.contains($0.key) }
        waitingChanges += entries
        return []
    }

    /// The users that the host whose place this one takes knows.
    package mutating func adopt(_ other: HostSession) { users = other.users }

    /// The host whose place this one takes has said everything.
    ///
    /// - Parameters:
    ///   - unstored: Changes of the brain that aren't stored yet.
    ///   - newestBatch: The number of the newest changes that are among them, or stored.
    package mutating func takeOver(unstored: [BrainEntry] = [], newestBatch: Int = 0) -> [HostAction] {
        hasRobot = true
        guard phase == .loaded else { return [] }
        // The process that got the entries may have ended since.
        return hasEntries ? remember([], unstored: unstored, newestBatch: newestBatch) : [.readBrain]
    }
}

extension RobotMessage {
    /// The bytes of entries in one message; the host refuses lines of more than 64 MiB.
    private static let brainBytes = 1 << 20
    static let longestLine = 64 << 20

    /// Messages with entries of the brain, none of them last.
    ///
    /// - Returns: The messages, and the keys of entries that are too long for one.
    static func brain(
        _ entries: [BrainEntry], longestLine: Int = longestLine
    ) -> (messages: [RobotMessage], tooLong: [String]) {
        var messages: [RobotMessage] = []
        var tooLong: [String] = []
        var (part, size): ([BrainEntry], Int) = ([], 0)
        for entry in entries {
            let bytes = entry.key.utf8.count + (entry.value?.approximateSize ?? 0)
            // Escaped, a text may take several times as much.
            guard bytes < longestLine / 8 || entry.encodedSize < longestLine - 1_000 else {
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
