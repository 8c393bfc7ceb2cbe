extension GitHub {
    /// A release was published.
    struct ReleaseEvent: WebhookEventWithAction, Sendable {
        enum Action: String, Decodable, Sendable {
            case published
        }

        struct Release: Decodable, Sendable {
            let tag: String
            let name: String?
            let link: PayloadURL
            let isEarly: Bool?

            private enum CodingKeys: String, CodingKey {
                case name
                case tag = "tag_name"
                case link = "html_url"
                case isEarly = "prerelease"
            }
        }

        private let release: Release
        private let sender: Account
        private let repository: Repository

        var announcement: EventAnnouncement {
            let tag = String(oneLine: release.tag, limit: 80)
            let name = String(oneLine: release.name ?? "", limit: 120)
            let title = name.isEmpty || name == tag ? tag : "\(tag): \(name)"
            let kind = release.isEarly == true ? "pre-release" : "release"
            return EventAnnouncement(repository, .releases, "\(sender.name) published \(kind) \(title)", release.link)
        }
    }
}
