import Heybot
import Logging

extension Webhooks {
    /// Stores the summaries that a robot hasn't posted when it stops, so that the next start posts them.
    struct PendingSummaries: Sendable {
        let gates: StormGates

        /// Loads the summaries for the rooms of a robot's networks.
        ///
        /// - Returns: The webhooks for which a timer must be set.
        func load(_ robot: Robot) async -> [WebhookName] {
            let directory = WebhookDirectory(brain: robot.brain)
            var due: [WebhookName] = []
            do {
                for name in try await directory.pendingNames() {
                    // Another robot with this brain may be the one that is in the room.
                    guard let webhook = try await directory.webhook(name),
                        robot.adapters.contains(where: { $0.name == webhook.room.adapter })
                    else { continue }
                    let lines = try await directory.takePending(of: name)
                    guard !lines.isEmpty else { continue }
                    let isNew = gates.use(name) { $0.resume(lines, at: robot.date) }
                    if isNew { due.append(name) }
                }
            } catch {
                robot.logger.warning("couldn't load what webhooks hadn't posted before the restart: \(error)")
            }
            return due
        }

        /// Stores what isn't posted, because the robot stops.
        func store(_ robot: Robot) async {
            let directory = WebhookDirectory(brain: robot.brain)
            do {
                for (name, lines) in gates.pendingLines(at: robot.date) {
                    // Otherwise a webhook that gets a revoked one's name later would post them in another room.
                    guard try await directory.webhook(name) != nil else { continue }
                    try await directory.store(pending: lines, of: name)
                }
            } catch {
                robot.logger.warning("couldn't store what a webhook hadn't posted before the stop: \(error)")
            }
        }
    }
}
