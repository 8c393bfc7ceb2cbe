import Heybot
import Logging
import Synchronization

/// Tells rooms about their deploys: each line once, in order, and again later if a room can't be reached.
final class DeployAnnouncer: Sendable {
    private struct State {
        var announcing: Set<DeployID> = []
        /// The deploys that got more lines meanwhile.
        var more: Set<DeployID> = []
    }

    private let state = Mutex(State())

    /// Tells a deploy's room what it doesn't know yet, if this robot is in that room.
    func announce(_ id: DeployID, _ record: DeployRecord, _ robot: Robot) async {
        let isFirst = state.withLock { state in
            let isFirst = state.announcing.insert(id).inserted
            if !isFirst { state.more.insert(id) }
            return isFirst
        }
        guard isFirst else { return }
        repeat {
            do {
                try await sendLines(of: id, record, robot)
            } catch {
                robot.logger.debug("couldn't tell a room about the deploy \(id): \(error)")
            }
        } while hasMore(id)
    }

    private func hasMore(_ id: DeployID) -> Bool {
        state.withLock { state in
            if state.more.remove(id) != nil { return true }
            state.announcing.remove(id)
            return false
        }
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
