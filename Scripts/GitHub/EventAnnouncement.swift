import Heybot

extension GitHub {
    /// An announcement about an event, for rooms.
    struct EventAnnouncement: Sendable {
        /// The maximum number of characters in a line.
        private static let longest = 500

        /// The event's repository; nil if it has none.
        let repository: Repository?
        /// The text, in one or two lines.
        let text: String
        /// The kind of event; nil for a ping.
        let kind: SubscribableEvent?
        /// The id by which duplicates are detected, if it isn't the delivery's.
        let id: String?

        var isPing: Bool { kind == nil }

        /// Creates an announcement about a repository: a line with a link at its end, and an optional second line.
        init(
            _ repository: Repository, _ kind: SubscribableEvent, _ words: String, _ link: PayloadURL? = nil,
            more: String? = nil,
            id: String? = nil
        ) {
            let end = link.map { $0.text.isEmpty ? "" : " \($0.text)" } ?? ""
            let first = String(oneLine: "\(repository.label) \(words)", limit: Self.longest - end.count) + end
            let second = more.map { String(oneLine: "\(repository.label) \($0)", limit: Self.longest) }
            self.repository = repository
            text = [first, second].compactMap { $0 }.joined(separator: "\n")
            self.kind = kind
            self.id = id
        }

        /// Creates an announcement that a webhook works.
        ///
        /// It may belong to a repository or to an organization.
        init(workingWebhookOf repository: Repository?) {
            self.repository = repository
            text = [repository?.label, "GitHub's webhook works. Its events will be posted here."]
                .compactMap { $0 }.joined(separator: " ")
            kind = nil
            id = nil
        }
    }
}
