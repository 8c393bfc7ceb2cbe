import FoundationEssentials
import Heybot
import Logging
import Synchronization

/// Delivers what is said in a room to other rooms, in order, as fast as their networks accept it.
final class RelayDelivery: Sendable {
    private struct State {
        /// The other rooms that get what is said in a room, by room.
        var targets: [Room.ID: [Room.ID]] = [:]
        var outboxes: [Room.ID: RelayOutbox] = [:]
        /// The users who came and left, by room, since the timer that reports them was set.
        var presence: [Room.ID: PresenceChanges] = [:]
        /// When dropped texts were last reported in a room, in seconds of the robot's clock.
        var reports: [Room.ID: Double] = [:]
    }

    /// While this many messages wait in a network's queue, texts wait here, where they can share messages.
    private static let mostQueued = 10
    private static let pause: Duration = .milliseconds(500)
    private static let presenceInterval: Duration = .minutes(1)
    /// In seconds, from the first dropped text to the report, and from one report to the next.
    private static let reportTimes = (delay: 15.0, interval: 600.0)

    private let script: String
    /// Whether any room is relayed; read for each message.
    private let hasTargets = Atomic(false)
    private let state = Mutex(State())

    /// - Parameter script: The name of the script.
    init(for script: String) { self.script = script }

    // MARK: What is relayed

    /// Replaces the rooms that are relayed, and drops the texts that wait for other rooms.
    func setTargets(_ targets: [Room.ID: [Room.ID]]) {
        hasTargets.store(!targets.isEmpty, ordering: .relaxed)
        state.withLock { state in
            state.targets = targets
            state.presence = state.presence.filter { targets[$0.key] != nil }
            state.reports = state.reports.filter { targets[$0.key] != nil }
            for (room, outbox) in state.outboxes {
                var outbox = outbox
                outbox.keep(from: Set(targets[room] ?? []))
                state.outboxes[room] = targets[room] == nil && outbox.isIdle ? nil : outbox
            }
        }
    }

    /// The rooms that get what is said in a room; empty if it is said to some members only.
    private func targets(of room: Room) -> [Room.ID] {
        guard !room.isPrivate else { return [] }
        let targets = state.withLock { $0.targets[room.id] ?? [] }
        // On IRC, as in @#dev.
        let hasStatus = room.name.first.map { "~&@%+!".contains($0) } ?? false
        return hasStatus && room.name.utf8.count > room.id.value.utf8.count ? [] : targets
    }

    /// Takes a message that the robot has received.
    ///
    /// - Returns: The work to do; nil for none.
    func take(_ message: Message, _ robot: Robot) -> (@Sendable () async throws -> Void)? {
        guard hasTargets.load(ordering: .relaxed) else { return nil }
        let targets = targets(of: message.room)
        guard !targets.isEmpty, !message.isLate else { return nil }
        switch message.content {
        case .enter, .leave:
            let came = message.content == .enter
            notePresence(of: message.user, came: came, in: message.room.id, robot)
            return nil
        case .text, .topic, .reaction, .retraction, .profile:
            guard let text = RelayedText(message), !isEcho(text, targets) else { return nil }
            let waiting = add(text, to: targets, robot)
            guard !waiting.isEmpty else { return nil }
            return { [self] in
                for target in waiting { await deliver(in: target, robot) }
            }
        }
    }

    /// Whether a bridge of another kind has brought back what was relayed to one of the other rooms, without the mark.
    private func isEcho(_ text: RelayedText, _ targets: [Room.ID]) -> Bool {
        guard let line = text.lines.first else { return false }
        return state.withLock { state -> Bool in
            for target in targets {
                if let outbox = state.outboxes[target], outbox.hasShown(line) { return true }
            }
            return false
        }
    }

    /// Takes what the robot has said in a room.
    ///
    /// - Parameter isEdit: Whether it replaces what the robot said before.
    func take(_ utterance: Utterance, to envelope: Envelope, isEdit: Bool, _ robot: Robot) {
        guard hasTargets.load(ordering: .relaxed) else { return }
        var room = envelope.room
        if !room.isPrivate {
            // A script may write the room's name in another case.
            room = Room(id: robot.foldedID(of: room.id), name: room.name)
        }
        let targets = targets(of: room)
        guard !targets.isEmpty, let text = text(of: utterance, to: envelope, isEdit: isEdit, in: room.id, robot)
        else { return }
        let waiting = add(text, to: targets, robot)
        guard !waiting.isEmpty else { return }
        // The caller must not wait for other networks.
        run(robot) { delivery, robot in
            for target in waiting { await delivery.deliver(in: target, robot) }
        }
    }

    private func text(
        of utterance: Utterance, to envelope: Envelope, isEdit: Bool, in room: Room.ID, _ robot: Robot
    ) -> RelayedText? {
        let words: String
        var isAction = false
        switch utterance {
        case .topic: return nil
        case .text(let text): words = text
        case .reply(let text): words = envelope.plainReply(text)
        // Only the adapter knows the link.
        case .attachment(let attachment): words = attachment.plainText ?? attachment.name
        case .emote(let text):
            words = text
            isAction = true
        }
        let author = User.ID(adapter: room.adapter, value: robot.name)
        return RelayedText(words, by: robot.name, author, in: room, isAction: isAction, isCorrection: isEdit)
    }

    /// Puts a text into the outboxes of rooms.
    ///
    /// - Returns: The rooms in which the caller has to deliver it.
    private func add(_ text: RelayedText, to targets: [Room.ID], _ robot: Robot) -> [Room.ID] {
        let now = robot.date.timeIntervalSinceReferenceDate
        return targets.filter { target in
            guard robot.adapters.contains(where: { $0.name == target.adapter }) else { return false }
            let texts = longestLine(in: target, robot).map { text.separateLines(longest: $0) } ?? [text]
            let mustDeliver = change(target) { (outbox: inout RelayOutbox) -> Bool in
                var isDue = false
                for text in texts {
                    if outbox.add(text, at: now) { isDue = true }
                }
                return isDue
            }
            reportLater(target, robot)
            return mustDeliver
        }
    }

    /// The most bytes of a line if each line is a message of its own on the network; or else nil.
    private func longestLine(in target: Room.ID, _ robot: Robot) -> Int? {
        guard robot.adapter(of: Room(id: target), as: (any AnswerPaging).self) != nil else { return nil }
        return RelayedText.longestLine(in: target)
    }

    // MARK: Delivering

    /// Delivers the texts that wait for a room, unless another task does.
    private func deliver(in target: Room.ID, _ robot: Robot) async {
        guard change(target, { $0.begin() }) else { return }
        let room = Room(id: target)
        let queue = robot.adapter(of: room, as: (any OutboundQueueing).self)
        let longestLine = longestLine(in: target, robot)
        while true {
            if queue.map(Self.isBusy) ?? false || Task.isCancelled {
                if change(target, { $0.pause() }) { resume(target, robot) }
                break
            }
            let now = robot.date.timeIntervalSinceReferenceDate
            guard let text = change(target, { $0.next(longestLine: longestLine, at: now) }) else { break }
            do {
                guard robot.switches.isOn(script, in: room) else { continue }
                try await robot.deliverUnobserved(.text(text.shown), to: Envelope(room: room))
            } catch {
                robot.logger.debug("couldn't relay to \(target): \(error)")
                change(target) { $0.drop(text) }
            }
        }
        reportLater(target, robot)
    }

    /// Whether texts have to wait for a network.
    ///
    /// What is said during an outage waits here, and not in the adapter, where it would take the place of other
    /// messages.
    private static func isBusy(_ adapter: any OutboundQueueing) -> Bool {
        guard case .up = adapter.status else { return true }
        return adapter.queuedMessages >= mostQueued
    }

    /// Continues to deliver after a pause.
    private func resume(_ target: Room.ID, _ robot: Robot) {
        later(Self.pause, robot) { delivery, robot in
            delivery.change(target) { $0.endPause() }
            await delivery.deliver(in: target, robot)
        }
    }

    /// Reports dropped texts soon, if there are any, in the rooms where they were said, but not often.
    private func reportLater(_ target: Room.ID, _ robot: Robot) {
        guard change(target, { $0.beginReport() }) else { return }
        let now = robot.date.timeIntervalSinceReferenceDate
        let (delay, interval) = Self.reportTimes
        let last = state.withLock { $0.reports[target] }
        let wait = last.map { min(max(interval - (now - $0), delay), interval) } ?? delay
        later(.milliseconds(Int(wait * 1_000)), robot) { delivery, robot in
            await delivery.reportDropped(in: target, robot)
        }
    }

    private func reportDropped(in target: Room.ID, _ robot: Robot) async {
        let now = robot.date.timeIntervalSinceReferenceDate
        let dropped = state.withLock { state -> [Room.ID: Int] in
            state.reports[target] = now
            return state.outboxes[target]?.takeDropped() ?? [:]
        }
        for (source, count) in dropped {
            let name = String(oneLine: robot.displayName(of: target), limit: 100)
            let texts = count == 1 ? "1 line from here wasn't" : "\(count) lines from here weren't"
            let report = "I couldn't relay everything to \(name): \(texts) shown there."
            try? await robot.deliverUnobserved(.text(report), to: Envelope(room: Room(id: source)))
        }
    }

    /// Changes the outbox of a room.
    @discardableResult
    private func change<Result: Sendable>(_ room: Room.ID, _ body: (inout RelayOutbox) -> Result) -> Result {
        state.withLock { body(&$0.outboxes[room, default: RelayOutbox()]) }
    }

    // MARK: Who comes and leaves

    private func notePresence(of user: User, came: Bool, in room: Room.ID, _ robot: Robot) {
        let isNew = state.withLock { state in
            let isNew = state.presence[room] == nil
            state.presence[room, default: PresenceChanges()].add(user, came: came)
            return isNew
        }
        guard isNew else { return }
        later(Self.presenceInterval, robot) { delivery, robot in await delivery.showPresence(in: room, robot) }
    }

    private func showPresence(in room: Room.ID, _ robot: Robot) async {
        let (changes, targets) = state.withLock { state in
            (state.presence.removeValue(forKey: room), state.targets[room] ?? [])
        }
        guard let text = changes?.text(in: room), robot.switches.isOn(script, in: Room(id: room)) else { return }
        for target in add(text, to: targets, robot) { await deliver(in: target, robot) }
    }

    /// Runs something later, if the robot still runs.
    private func later(
        _ delay: Duration, _ robot: Robot, _ work: @escaping @Sendable (RelayDelivery, Robot) async -> Void
    ) {
        robot.timers.after(delay) { [weak robot, weak self] in
            guard let robot, let self else { return }
            run(robot, work)
        }
    }

    /// Runs something in a task of its own.
    private func run(_ robot: Robot, _ work: @escaping @Sendable (RelayDelivery, Robot) async -> Void) {
        robot.inFlight.begin()
        Task {
            await work(self, robot)
            robot.inFlight.end()
        }
    }
}
