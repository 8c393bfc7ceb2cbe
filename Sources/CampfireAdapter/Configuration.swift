extension CampfireAdapter {
    /// Where a Campfire is, who the robot is there, and what it hears.
    ///
    /// What describes it, and its mirror, leave out the key and the secret.
    public struct Configuration: Sendable {
        /// Where the Campfire is, without a slash at the end.
        public let url: String
        /// The bot's key, `ID-TOKEN`; a secret.
        public let key: String
        /// What the webhook's path ends with, `/campfire/SECRET`; nil if there is no webhook.
        public let webhookSecret: String?
        /// The ids of the rooms to poll.
        public let rooms: [String]
        /// How long to wait between two polls; less than a second counts as one.
        public var pollInterval = usualPollInterval
        package static let usualPollInterval = Duration.seconds(3)
        /// When a webhook's request is answered at the latest; Campfire gives up after 7 seconds.
        public var answerDeadline: Duration = .seconds(6)
        /// How long a text waits for the end of what said it, before it becomes the webhook's answer.
        public var patience: Duration = .milliseconds(500)
        public var optionNames = OptionNames()

        /// Takes what a bot must have.
        ///
        /// - Parameters:
        ///   - url: `http` or `https`, such as `https://chat.example.org`; the path may have a prefix.
        ///   - webhookSecret: At least 16 letters, digits, `-` or `_`.
        ///   - rooms: The numbers in the rooms' addresses.
        public init(
            url: String, key: String, webhookSecret: String? = nil, rooms: [String] = []
        ) throws(ConfigurationError) {
            // A path is put behind it, so it has no user, query or fragment.
            let address =
                /((?i:https?):\/\/(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:\/[A-Za-z0-9._~%+,=:@-]+)*)\/*/
            guard let match = url.wholeMatch(of: address) else { throw .badURL }
            guard key.wholeMatch(of: /[0-9]+-[A-Za-z0-9_-]+/) != nil else { throw .badKey }
            if let webhookSecret, webhookSecret.wholeMatch(of: /[A-Za-z0-9_-]{16,}/) == nil { throw .badSecret }
            guard rooms.allSatisfy({ Identifier($0) != nil }) else { throw .badRoom }
            self.url = String(match.1)
            self.key = key
            self.webhookSecret = webhookSecret
            var known: Set<String> = []
            self.rooms = rooms.filter { known.insert($0).inserted }
        }
    }

    /// What the options of a configuration are called when an error says which one to change: the properties' names, unless
    /// people set them by others, such as environment variables.
    public struct OptionNames: Hashable, Sendable {
        public var url = "url"
        public var key = "key"
        public var rooms = "rooms"

        /// Names the properties.
        public init() {}
    }

    /// What is wrong with a configuration; it never says what was given, which may hold a secret.
    public enum ConfigurationError: Error, Hashable, CustomStringConvertible {
        /// The address of the Campfire can't be one.
        case badURL
        /// The key can't be a bot's.
        case badKey
        /// The webhook's secret is too short, or has other characters than it may.
        case badSecret
        /// One of the rooms' ids can't be one.
        case badRoom

        public var description: String {
            switch self {
            case .badURL:
                "the URL must be the address of a Campfire, such as https://chat.example.org"
            case .badKey:
                "the key must be a bot's key: its number, a hyphen, and letters and digits"
            case .badSecret:
                "the webhook's secret must be at least 16 characters, only letters, digits, - and _"
            case .badRoom:
                "the rooms must be rooms' ids with commas between: the numbers in their addresses"
            }
        }
    }
}

extension CampfireAdapter.Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let rooms = rooms.isEmpty ? "" : ", polling \(rooms.joined(separator: ", "))"
        return "\(url)\(webhookSecret == nil ? "" : ", with a webhook")\(rooms)"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: ["url": url, "hasWebhook": webhookSecret != nil, "rooms": rooms])
    }
}
