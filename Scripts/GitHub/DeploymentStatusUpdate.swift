import Heybot

extension GitHub {
    /// Emitted when GitHub's webhook reports a status of a deployment.
    static let deploymentStatus = ScriptEvent<DeploymentStatusUpdate>("github.deployment-status")

    /// A status of a deployment.
    struct DeploymentStatusUpdate: Codable, Hashable, Sendable {
        /// `owner/name`.
        let repository: String
        /// The deployment's number.
        let deployment: Int
        let status: DeployReport
    }

    /// The part of a `deployment_status` event that scripts get.
    private struct DeploymentStatusPayload: Decodable {
        struct Deployment: Decodable {
            let id: Int
        }

        let deployment: Deployment
        let status: DeployReport
        let repository: Repository

        enum CodingKeys: String, CodingKey {
            case deployment, repository
            case status = "deployment_status"
        }
    }

    /// Passes a deployment's status on to the scripts that follow it.
    static func emitDeploymentStatus(of request: WebRequest) async {
        // If it can't be read, the announcement says so.
        guard let payload = try? request.json(DeploymentStatusPayload.self) else { return }
        await request.robot.emit(
            deploymentStatus,
            DeploymentStatusUpdate(
                repository: payload.repository.fullName, deployment: payload.deployment.id, status: payload.status))
    }
}
