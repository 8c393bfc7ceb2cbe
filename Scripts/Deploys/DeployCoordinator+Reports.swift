import FoundationEssentials
import Heybot

extension DeployCoordinator {
    /// Takes what GitHub's webhook reports.
    func receive(_ update: GitHub.DeploymentStatusUpdate, _ robot: Robot) async throws {
        let record = DeployRecord(brain: robot.brain)
        for state in try await record.allEnvironments().values {
            for open in state.open {
                guard let deploy = try await record.deploy(open.id), deploy.remoteID == update.deployment,
                    deploy.plan.repository == update.repository.lowercased()
                else { continue }
                try await apply(.reported(update.status), to: deploy.id, robot)
            }
        }
    }

    /// What a program that deploys reports, beside the status.
    private struct ReportedDeploy: Decodable {
        let deploy: Int
    }

    /// Takes what a program that deploys reports, if it proves that it knows the webhook's secret.
    ///
    /// - Throws: ``WebRefusal``
    func receive(_ request: WebRequest) async throws {
        // The number is in the body, so that a signature can't be used for another deploy.
        let number = try request.json(ReportedDeploy.self).deploy
        let report = try request.json(DeployReport.self)
        // The same answer to whatever is wrong: strangers can't find out which apps and deploys there are.
        let refusal = WebRefusal(401, "The token is wrong.")
        guard let app = try? apps().app(named: request.parameters.app) else { throw refusal }
        let id = DeployID(app: app.name, number: number)
        guard let deploy = try await DeployRecord(brain: request.brain).deploy(id), deploy.plan.target == .webhook,
            case .webhook(_, let secret)? = (try? app.environment(named: deploy.plan.environment))?.target
        else { throw refusal }
        let isSigned = request.headers["X-Hub-Signature-256"] != nil
        try request.verify(isSigned ? .signature(secret) : .token(secret))
        guard report.deployState != nil else {
            throw WebRefusal(400, "The state must be \(DeployReport.states).")
        }
        try await apply(.reported(report), to: deploy.id, request.robot)
    }
}
