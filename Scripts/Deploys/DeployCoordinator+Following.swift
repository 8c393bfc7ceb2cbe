import FoundationEssentials
import Heybot
import Logging

extension DeployCoordinator {
    /// The time between two requests to GitHub about one deploy, in seconds, if it reports by a webhook too.
    private static let slowInterval = 60.0
    /// The greatest number of deploys that GitHub is asked about at a time.
    private static let mostAtATime = 20
    /// The time in which GitHub shows a deployment that it has created, in seconds.
    private static let patience = 120.0
    /// The time after which the lease of a deploy that this robot follows is renewed, in seconds.
    private static let renewal = 60.0
    /// The time in which news about an unknown deploy are still expected, and its room is still told, in seconds.
    private static let longestMemory = 86_400.0

    /// Looks at all open deploys: tells what rooms don't know yet, asks GitHub for news, and gives up what was abandoned.
    func follow(_ robot: Robot) async {
        let record = DeployRecord(brain: robot.brain)
        do {
            try await showWork(record, robot)
            var onGitHub: [TrackedDeploy] = []
            for (name, state) in try await record.allEnvironments() {
                for open in state.open {
                    guard let deploy = try await record.deploy(open.id) else {
                        try await forget(open.id, in: name, record, robot)
                        continue
                    }
                    guard Self.isOwn(deploy, robot) else {
                        // Its robot may have another name or other networks now.
                        if age(of: deploy, robot) > Self.longestMemory {
                            try await record.update(name) { $0.remove(deploy.id) }
                        }
                        continue
                    }
                    let now = robot.date
                    if open.isRunning, open.silence(at: now) >= Self.renewal {
                        try await record.update(name) { $0.renew(open.id, at: now) }
                    }
                    try await look(at: deploy, in: name, record, robot)
                    if Self.isOnGitHub(deploy) { onGitHub.append(deploy) }
                }
            }
            await poll(onGitHub, robot)
        } catch {
            // The store is unavailable, which the robot reports itself.
            robot.logger.debug("couldn't look at the open deploys: \(error)")
        }
    }

    /// Removes a deploy that was never recorded, because its process was killed just then.
    private func forget(_ id: DeployID, in environment: String, _ record: DeployRecord, _ robot: Robot) async throws {
        // It may be about to be recorded.
        guard try await record.latest(of: id.app, atMost: 1, among: 1).first.map({ $0.id.number > id.number }) ?? false
        else { return }
        try await record.update(environment) { $0.remove(id) }
    }

    private static func isOnGitHub(_ deploy: TrackedDeploy) -> Bool {
        guard deploy.plan.target == .github else { return false }
        return [.starting, .waiting, .running].contains(deploy.state)
    }

    /// Looks at a deploy, without asking GitHub.
    private func look(
        at deploy: TrackedDeploy, in environment: String, _ record: DeployRecord, _ robot: Robot
    ) async throws {
        await announcer.announce(deploy.id, record, robot)
        let (age, minutes) = (age(of: deploy, robot), timeout(of: deploy))
        let isOverdue = age > Double(minutes * 60)
        switch deploy.state {
        case .asked:
            if try await isAbandoned(deploy, record, robot) { try await apply(.interrupted, to: deploy.id, robot) }
        case .starting where deploy.plan.target != .github, .running where deploy.plan.target == .command:
            if try await isAbandoned(deploy, record, robot) {
                let reason = "I was restarted meanwhile. Look there before you deploy again."
                try await apply(.lost(reason), to: deploy.id, robot)
            }
        case .starting:
            if isOverdue, try await isAbandoned(deploy, record, robot) {
                try await apply(.lost("I couldn't find out whether it has begun."), to: deploy.id, robot)
            }
        case .waiting, .running:
            if isOverdue {
                try await apply(.lost("Nothing was reported for \(minutes) min."), to: deploy.id, robot)
            }
        case .unknown, .succeeded, .failed, .inactive, .notStarted, .refused:
            try await record.update(environment) { state in
                // Its process may have been killed before it could do that.
                state.settle(deploy)
                // No more news are expected, or its room can't be reached.
                if age > Self.longestMemory { state.remove(deploy.id) }
            }
        }
    }

    /// The time since the last news, in seconds.
    private func age(of deploy: TrackedDeploy, _ robot: Robot) -> Double {
        // Absolute, since the clock may have been set back.
        abs(robot.date.timeIntervalSince(deploy.changed))
    }

    private func timeout(of deploy: TrackedDeploy) -> Int {
        let app = try? apps().app(named: deploy.plan.app)
        return (try? app?.environment(named: deploy.plan.environment))?.timeout ?? 30
    }

    // MARK: Asking GitHub

    private func poll(_ deploys: [TrackedDeploy], _ robot: Robot) async {
        let interval = settings.hasGitHubWebhook ? Self.slowInterval : 0
        let chosen = polls.choose(
            deploys.map(\.id), atMost: Self.mostAtATime, every: interval, at: robot.date)
        guard !chosen.isEmpty else { return }
        let apps = try? self.apps()
        await withTaskGroup(of: Void.self) { group in
            for deploy in deploys where chosen.contains(deploy.id) {
                let app = try? apps?.app(named: deploy.plan.app)
                group.addTask { await self.poll(deploy, app, robot) }
            }
        }
    }

    /// Asks GitHub about one deploy.
    private func poll(_ deploy: TrackedDeploy, _ app: DeployApp?, _ robot: Robot) async {
        guard let repository = deploy.plan.repository, let client = try? github(repository, app, robot),
            polls.limit(of: client.service, at: robot.date) == nil
        else { return }
        do {
            if deploy.state == .starting {
                try await find(deploy, client, robot)
            } else if let id = deploy.remoteID {
                let reports = try await client.statuses(of: id, at: robot.date)
                for report in reports where (report.id ?? .max) > (deploy.lastStatus ?? 0) {
                    try await apply(.reported(report), to: deploy.id, robot)
                }
            }
        } catch let error as GitHubError {
            await handle(error, deploy, client, robot)
        } catch {
            robot.logger.debug("couldn't ask GitHub about the deploy \(deploy.id): \(error)")
        }
    }

    private func handle(
        _ error: GitHubError, _ deploy: TrackedDeploy, _ client: GitHubDeployments, _ robot: Robot
    ) async {
        switch error.kind {
        case .limited(let until): polls.limit(client.service, until: until)
        case .unauthorized, .forbidden, .notFound:
            do {
                try await apply(.lost(error.reason()), to: deploy.id, robot)
            } catch {
                robot.logger.debug("couldn't record that the deploy \(deploy.id) is lost: \(error)")
            }
        case .conflict, .checks, .invalid, .unavailable:
            robot.logger.debug("GitHub says nothing about the deploy \(deploy.id): \(error.message)")
        }
    }

    /// Looks for a deploy whose process ended, or got no answer, while GitHub was asked.
    private func find(_ deploy: TrackedDeploy, _ client: GitHubDeployments, _ robot: Robot) async throws {
        let record = DeployRecord(brain: robot.brain)
        guard try await isAbandoned(deploy, record, robot) else { return }
        let found = try await client.find(deploy.mark, in: deploy.plan.environment, at: robot.date)
        if let found {
            try await apply(.accepted(remoteID: found.id, sha: found.sha), to: deploy.id, robot)
        } else if age(of: deploy, robot) > Self.patience {
            try await apply(.missing, to: deploy.id, robot)
        }
    }
}
