import Heybot
import Logging
import Synchronization

/// Tells rooms about their deploys: each line once, in order, and again later if a room can't be reached.
final class DeployAnnouncer: Sendable {
    private struct State {
        var announcing: Set<DeployID> = []
        /// The deploys that got more lines meanwhile.
        var more: Set<DeployID> = []
        /// The callers that wait until these lines have been sent too.
        var waiting: [DeployID: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state = Mutex(State())

    /// Tells a deploy's room what it doesn't know yet, if this robot is in that room.
    ///
    /// If another caller is doing so already, that one sends the new lines too, and this call returns after it.
    func announce(_ id: DeployID, _ record: DeployRecord, _ robot: Robot) async {
        let isFirst = state.withLock { state in
            let isFirst = state.announcing.insert(id).inserted
            if !isFirst { state.more.insert(id) }
            return isFirst
        }
        guard isFirst else { return await waitForEnd(id) }
        repeat {
            do {
                try await sendLines(of: id, record, robot)
            } catch {
                robot.logger.debug("couldn't tell a room about the deploy \(id): \(error)")
            }
        } while hasMore(id)
    }

    private func waitForEnd(_ id: DeployID) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOver = state.withLock { state in
                guard state.announcing.contains(id) else { return true }
                state.waiting[id, default: []].append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func hasMore(_ id: DeployID) -> Bool {
        let waiting: [CheckedContinuation<Void, Never>]? = state.withLock { state in
            if state.more.remove(id) != nil { return nil }
            state.announcing.remove(id)
            return state.waiting.removeValue(forKey: id) ?? []
        }
        guard let waiting else { return true }
        for continuation in waiting { continuation.resume() }
        return false
    }

    private func sendLines(of id: DeployID, _ record: DeployRecord, _ robot: Robot) async throws {
        while let deploy = try await record.deploy(id), let line = deploy.unsent.first {
            guard DeployCoordinator.isOwn(deploy, robot) else { return }
            if robot.switches.isOn("Deploys", in: Room(id: deploy.plan.room)) {
                try await robot.messageRoom(deploy.plan.room, line)
            }
            try await record.removeSent(line, of: id)
        }
    }
}
