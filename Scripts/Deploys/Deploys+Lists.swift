import FoundationEssentials
import Heybot

// What is deployed now, and who may deploy.

extension Deploys {
    private static let mostLines = 20

    func registerLists(_ coordinator: DeployCoordinator, on robot: inout RobotBuilder) {
        robot.respond(
            /deploy status(?: (?:of|for) (?<app>[\w.-]{1,80}))?$/,
            help: """
                deploy status - List the deploys under way
                deploy status of <app> - List an app's deploys under way
                """,
            example: "deploy status"
        ) { res in
            let app = try res.match.app.map { name throws(Refusal) in
                try coordinator.apps().app(named: String(name)).name
            }
            let record = DeployRecord(brain: res.brain)
            var deploys: [TrackedDeploy] = []
            for state in try await record.allEnvironments().values {
                for open in state.open where app == nil || open.id.app == app {
                    if let deploy = try await record.deploy(open.id), !deploy.isOver { deploys.append(deploy) }
                }
            }
            let now = res.robot.date
            let lines = deploys.sorted { $0.asked < $1.asked }.map { $0.line(at: now) }
            try await res.send(lines.isEmpty ? "Nothing is being deployed." : Self.list(lines))
        }

        robot.respond(
            /what(?:['’]s| is) deployed(?: (?:in|to|on) (?<environment>[\w.-]{1,60}))?$/,
            help: """
                what's deployed - List what is live in each environment
                what's deployed in <environment> - List what is live in an environment
                """,
            example: "what's deployed in staging"
        ) { res in
            let only = try res.match.environment.map { name throws(Refusal) in
                try coordinator.apps().environment(named: String(name))
            }
            let states = try await DeployRecord(brain: res.brain).allEnvironments()
            let now = res.robot.date
            let lines = states.sorted { $0.key < $1.key }.compactMap { name, state -> String? in
                guard only.map({ $0.lowercased() == name }) ?? true, !state.live.isEmpty else { return nil }
                let apps = state.live.values.sorted { $0.id.app < $1.id.app }.map { live in
                    "\(live.id.app)/\(live.version) by \(live.user) \(live.date.ago(at: now))"
                }
                let lock = state.lock.map { " (locked by \($0.line(at: now)))" } ?? ""
                return "\(name)\(lock): \(DeployApps.list(apps))"
            }
            try await res.send(lines.isEmpty ? "I haven't deployed anything there yet." : Self.list(lines))
        }

        robot.respond(
            /where can I deploy (?<app>[\w.-]{1,80})$/,
            help: "where can I deploy <app> - List an app's environments, and who may deploy there",
            example: "where can I deploy shop"
        ) { res in
            let app = try coordinator.apps().app(named: String(res.match.app))
            try await res.send(Self.list(app.environments.map { Self.line(of: $0, res.robot) }))
        }

        robot.respond(/deployers$/, help: "deployers - List who may deploy", example: "deployers") { res in
            let apps = try coordinator.apps().apps
            var places: [String: [String]] = [:]
            for app in apps {
                for environment in app.environments {
                    let roles = DeployCoordinator.access(to: environment, res.robot).roles ?? ["everyone"]
                    for role in roles { places[role, default: []].append("\(app.name) to \(environment.name)") }
                }
            }
            let people = res.robot.rolesAndIgnoredUsers
            let lines = places.sorted { $0.key < $1.key }.map { role, places in
                let names = people.filter { $0.roles.contains(role) }.map { String(oneLine: $0.user.name, limit: 60) }
                let who = role == "everyone" ? "" : ": \(names.isEmpty ? "nobody" : DeployApps.list(names))"
                return "\(role)\(who) (\(DeployApps.list(places)))"
            }
            try await res.send(Self.list(lines + ["My admins may deploy everything."]))
        }
    }

    /// Such as `production: deployer, in #ops, confirmed, approved by ops`.
    private static func line(of environment: DeployApp.Environment, _ robot: Robot) -> String {
        var parts = ["\(DeployCoordinator.access(to: environment, robot))"]
        if environment.confirms { parts.append("asks first") }
        if let approval = environment.approval { parts.append("needs the approval of \(approval.role)") }
        return "\(environment.name): \(parts.joined(separator: ", "))"
    }

    /// The first of some lines.
    static func list(_ lines: [String]) -> String {
        var shown = Array(lines.prefix(mostLines))
        if lines.count > mostLines { shown.append("… and \(lines.count - mostLines) more") }
        return shown.joined(separator: "\n")
    }
}

extension TrackedDeploy {
    /// Such as `shop 17: main (3fa9c2b) to production for ada, running, 3 min ago`.
    func line(at now: Date) -> String {
        let what =
            switch state {
            case .asked: "waits for an answer"
            case .starting: "starting"
            case .waiting: "accepted"
            case .running: "running"
            case .succeeded: "succeeded"
            case .failed: "failed"
            case .inactive: "inactive"
            case .notStarted: "not started"
            case .refused: "refused"
            case .unknown: "unknown"
            }
        let kind = plan.isRollback ? "rollback to " : plan.task == "deploy" ? "" : "\(plan.task) of "
        return "\(id): \(kind)\(version) to \(plan.place) for \(plan.userName), \(what) \(changed.ago(at: now))\(link)"
    }
}
