extension GitHub {
    /// A deployment succeeded or failed.
    struct DeploymentStatusEvent: WebhookEventWithAction, Sendable {
        enum Action: String, Decodable, Sendable { case created }

        private struct Status: Decodable, Sendable {
            let state: String
            let environment: String?
            let link: PayloadURL?

            enum CodingKeys: String, CodingKey {
                case state, environment
                case link = "target_url"
            }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                state = try container.decode(String.self, forKey: .state)
                environment = try container.decodeIfPresent(String.self, forKey: .environment)
                // It is an empty string if there is none.
                link = (try? container.decodeIfPresent(PayloadURL.self, forKey: .link)) ?? nil
            }
        }

        private struct Deployment: Decodable, Sendable {
            let ref: String
            let environment: String?
        }

        private let status: Status
        private let deployment: Deployment
        private let sender: Account
        private let repository: Repository

        private enum CodingKeys: String, CodingKey {
            case deployment, sender, repository
            case status = "deployment_status"
        }

        var announcement: EventAnnouncement? {
            let what = String(oneLine: deployment.ref, limit: 80)
            let place = String(oneLine: status.environment ?? deployment.environment ?? "", limit: 80)
            let to = place.isEmpty ? "" : " to \(place)"
            switch status.state {
            case "success":
                return EventAnnouncement(repository, .deployments, "\(sender.name) deployed \(what)\(to)", status.link)
            case "failure", "error":
                return EventAnnouncement(repository, .deployments, "the deployment of \(what)\(to) failed", status.link)
            default: return nil
            }
        }
    }
}
