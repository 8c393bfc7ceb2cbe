import Heybot

extension Deploys {
    /// The longest reason for a lock, in characters.
    private static let longestReason = 200

    func registerLocks(_ coordinator: DeployCoordinator, on robot: inout RobotBuilder) {
        robot.respond(
            /lock (?<environment>[\w.-]{1,60}) (?<reason>\S.*)$/,
            help: "lock <environment> <reason> - Let nobody deploy to an environment until it is unlocked",
            example: "lock staging we are measuring"
        ) { res in
            let name = try coordinator.apps().environment(named: String(res.match.environment))
            let record = DeployRecord(brain: res.brain)
            let reason = String(oneLine: res.match.reason, limit: Self.longestReason)
            let (user, now) = (res.message.user, res.robot.date)
            guard !reason.isEmpty else { throw Refusal("Why? Write a reason.") }
            let running: [String] = try await Self.recordingRefusals("lock", name, res) {
                try Self.checkMayLock(name, coordinator, res)
                return try await record.updateLock(of: name) { state in
                    try state.setLock(on: name, by: user, reason, at: now)
                    return state.open.filter(\.isRunning).map(\.id.description)
                }
            }
            let rest = running.isEmpty ? "" : " Still under way: \(running.joined(separator: ", "))."
            try await res.reply("\(name) is locked.\(rest)")
        }

        robot.respond(
            /unlock (?<environment>[\w.-]{1,60})$/,
            help: "unlock <environment> - Let users deploy to an environment again", example: "unlock staging"
        ) { res in
            let name = try coordinator.apps().environment(named: String(res.match.environment))
            let record = DeployRecord(brain: res.brain)
            let (user, now) = (res.message.user, res.robot.date)
            let lock = try await record.environment(name).lock
            try await Self.recordingRefusals("unlock", name, res) { try Self.checkMayLock(name, coordinator, res) }
            if let lock, lock.user.id != user.id {
                try await res.confirm("\(name) was locked by \(lock.line(at: now)). Unlock it?")
            }
            // The user's role may have changed meanwhile, and so may the lock.
            try await Self.recordingRefusals("unlock", name, res) {
                try Self.checkMayLock(name, coordinator, res)
                try await record.updateLock(of: name) { state in
                    guard state.lock == lock else { throw Refusal("That lock has just changed: see \"locks\".") }
                    try state.removeLock(from: name, by: user, at: now)
                }
            }
            try await res.reply("\(name) is unlocked.")
        }

        robot.respond(/locks$/, help: "locks - List the environments that are locked", example: "locks") { res in
            let states = try await DeployRecord(brain: res.brain).allEnvironments()
            let now = res.robot.date
            let lines = states.sorted { $0.key < $1.key }.compactMap { name, state in
                state.lock.map { "\(name): \($0.line(at: now))" }
            }
            try await res.send(lines.isEmpty ? "No environment is locked." : lines.joined(separator: "\n"))
        }
    }

    /// Only users who may deploy some app to an environment may lock and unlock it.
    private static func checkMayLock<Match: Sendable>(
        _ name: String, _ coordinator: DeployCoordinator, _ res: Response<Match>
    ) throws(Refusal) {
        let apps = try coordinator.apps().apps
        let roles = res.robot.roles(of: res.message.user)
        let accesses = apps.flatMap(\.environments).filter { $0.name.lowercased() == name.lowercased() }
            .map { DeployCoordinator.access(to: $0, res.robot).rooms(nil) }
        let refusals = accesses.map {
            $0.refusal(ofUserWith: roles, in: res.message.room, on: res.robot.adapters)
        }
        guard let refusal = refusals.first, !refusals.contains(nil) else { return }
        throw Refusal(refusal ?? "You may not do that.")
    }

    /// Records who may not lock or unlock an environment, and why.
    private static func recordingRefusals<Match: Sendable, Result>(
        _ verb: String, _ name: String, _ res: Response<Match>, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let refusal as Refusal {
            let user = String(oneLine: res.message.user.name, limit: 60)
            let text = "\(user) may not \(verb) it: \(refusal.userMessage)"
            try await DeployRecord(brain: res.brain)
                .refuse(DeployRecord.name(of: name), text, at: res.robot.date)
            throw refusal
        }
    }
}
