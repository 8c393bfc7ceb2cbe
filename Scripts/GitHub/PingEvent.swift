extension GitHub {
    /// A webhook was created or tested.
    struct PingEvent: Decodable, Sendable {
        private let repository: Repository?

        var notification: Notification { Notification(workingWebhookOf: repository) }
    }
}
