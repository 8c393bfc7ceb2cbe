extension GitHub {
    /// The GitHub user who caused an event.
    struct Account: Decodable, Sendable {
        private let login: String

        /// The user's name for chat.
        var name: String { String(oneLine: login, limit: 50) }
    }
}
