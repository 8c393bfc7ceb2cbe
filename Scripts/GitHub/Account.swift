extension GitHub {
    /// Whoever did what a payload is about.
    struct Account: Decodable, Sendable {
        private let login: String

        /// What to call them.
        var name: String { String(oneLine: login, limit: 50) }
    }
}
