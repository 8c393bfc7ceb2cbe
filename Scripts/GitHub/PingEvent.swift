extension GitHub {
    /// A webhook was made, or is tried.
    struct PingEvent: Decodable, Sendable {
        private let repository: Repository?

        var news: News { News(workingWebhookOf: repository) }
    }
}
