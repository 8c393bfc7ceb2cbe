import Heybot

extension GitHub {
    /// What rooms are told of an event.
    struct News: Sendable {
        /// How many characters a line may have.
        private static let longest = 500

        /// Nil where the event is about no repository.
        let repository: Repository?
        /// A line, or two.
        let text: String
        /// Whether it tells no more than that the webhook works.
        let isPing: Bool

        /// Tells that of a repository: a line of words with a link behind, and another line where there is more.
        init(_ repository: Repository, _ words: String, _ link: Link? = nil, more: String? = nil) {
            let end = link.map { $0.text.isEmpty ? "" : " \($0.text)" } ?? ""
            let first = String(oneLine: "\(repository.label) \(words)", limit: Self.longest - end.count) + end
            let second = more.map { String(oneLine: "\(repository.label) \($0)", limit: Self.longest) }
            self.repository = repository
            text = [first, second].compactMap { $0 }.joined(separator: "\n")
            isPing = false
        }

        /// Tells that a webhook works, which may be one of a repository or of a whole organization.
        init(workingWebhookOf repository: Repository?) {
            self.repository = repository
            text = [repository?.label, "GitHub's webhook works: you will hear of it here."]
                .compactMap { $0 }.joined(separator: " ")
            isPing = true
        }

        /// Reads what a request tells; nil where that is nothing that rooms are told.
        ///
        /// - Throws: ``WebRefusal`` where the payload isn't what the event has.
        static func read(_ event: String, _ request: WebRequest) throws(WebRefusal) -> News? {
            switch event {
            case "push": try payload(PushEvent.self, request).news
            case "pull_request": try acted(PullRequestEvent.self, request)?.news
            case "issues": try acted(IssuesEvent.self, request)?.news
            case "release": try acted(ReleaseEvent.self, request)?.news
            case "ping": try payload(PingEvent.self, request).news
            default: nil
            }
        }

        /// The payload of an event with an action; nil where rooms aren't told of that one.
        private static func acted<Event: ActedEvent>(
            _ type: Event.Type, _ request: WebRequest
        ) throws(WebRefusal) -> Event? {
            let action = try payload(AnyAction.self, request).action
            return Event.Action(rawValue: action) == nil ? nil : try payload(type, request)
        }

        private static func payload<Payload: Decodable>(
            _ type: Payload.Type, _ request: WebRequest
        ) throws(WebRefusal) -> Payload {
            // What GitHub sends unless it is told otherwise.
            if request.headers["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true {
                throw WebRefusal(415, "Set the webhook's content type to application/json.")
            }
            return try request.json(type)
        }
    }
}
