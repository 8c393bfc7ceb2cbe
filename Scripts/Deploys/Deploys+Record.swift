import FoundationEssentials
import Heybot

extension Deploys {
    private static let mostDeploys = 10
    private static let mostEntries = 20

    func registerRecord(_ coordinator: DeployCoordinator, on robot: inout RobotBuilder) {
        robot.respond(
            /deploys(?: (?:of |for )?(?<app>(?!(?:in|to|on) )[\w.-]{1,80})(?:\/(?<ref>\S{1,200}))?)?(?: (?:in|to|on) (?<environment>[\w.-]{1,60}))?$/,
            help: """
                deploys - List the last deploys of each app
                deploys of <app> - List the last deploys of an app
                deploys of <app>/<branch> in <environment> - List those of a branch in an environment
                """,
            example: "deploys of shop in staging"
        ) { res in
            let apps = try coordinator.apps()
            let names = try res.match.app.map { name throws(Refusal) in [try apps.app(named: String(name)).name] }
            let environment = try res.match.environment.map { name throws(Refusal) in
                try apps.environment(named: String(name))
            }
            let ref = res.match.ref.map { String($0) }
            let record = DeployRecord(brain: res.brain)
            var deploys: [TrackedDeploy] = []
            for name in names ?? apps.apps.map(\.name) {
                deploys += try await record.latest(of: name, atMost: Self.mostDeploys) { deploy in
                    (environment == nil || deploy.plan.environment == environment)
                        && (ref == nil || deploy.plan.ref == ref)
                }
            }
            let now = res.robot.date
            let lines = deploys.sorted { $0.asked > $1.asked }.prefix(Self.mostDeploys).map { $0.line(at: now) }
            try await res.send(lines.isEmpty ? "There are no such deploys yet." : lines.joined(separator: "\n"))
        }

        robot.respond(
            /audit(?: (?:of |for )?(?<app>[\w.-]{1,80}))?$/,
            help: """
                audit - Show what was asked, approved, refused, deployed and locked last
                audit <app> - Show that of an app
                """,
            example: "audit shop"
        ) { res in
            let apps = try coordinator.apps()
            let meant = try res.match.app.map { name throws(Refusal) in [try apps.app(named: String(name))] }
            let entries = try await Self.entries(of: meant ?? apps.apps, DeployRecord(brain: res.brain))
            let lines = entries.prefix(Self.mostEntries).map { "\($0.date.inUTC) \($0.text)" }
            try await res.send(lines.isEmpty ? "The record is empty." : lines.joined(separator: "\n"))
        }
    }

    /// The newest entries of the record about some apps, the newest first.
    private static func entries(of apps: [DeployApp], _ record: DeployRecord) async throws -> [TrackedDeploy.Step] {
        var entries: [TrackedDeploy.Step] = []
        for app in apps {
            for deploy in try await record.latest(of: app.name, atMost: mostEntries) {
                // In a deploy the newest step is the last.
                entries += deploy.steps.reversed().map {
                    TrackedDeploy.Step(date: $0.date, text: "\(deploy.id): \($0.text)")
                }
            }
            for refusal in try await record.refusals(of: app.name, atMost: mostEntries) {
                entries.append(TrackedDeploy.Step(date: refusal.date, text: "\(app.name): \(refusal.text)"))
            }
        }
        for environment in Set(apps.flatMap { $0.environments.map { $0.name.lowercased() } }).sorted() {
            entries += try await record.lockChanges(of: environment, atMost: mostEntries)
            let name = DeployRecord.name(of: environment)
            for refusal in try await record.refusals(of: name, atMost: mostEntries) {
                entries.append(TrackedDeploy.Step(date: refusal.date, text: "\(environment): \(refusal.text)"))
            }
        }
        // Entries of the same second stay in their order.
        let ordered = entries.enumerated().sorted {
            ($0.element.date, $1.offset) > ($1.element.date, $0.offset)
        }
        return ordered.map(\.element)
    }
}
