extension CampfireAdapter {
    /// The Campfire's address, the bot's identity, and what it receives.
    ///
    /// Descriptions and mirrors omit the key and the secret.
    public struct Configuration: Sendable {
        /// The Campfire's URL, without a trailing slash.
        public let url: String
        /// The bot's key, `ID-TOKEN`; a secret.
        public let key: String
        /// The secret at the end of the webhook's path, `/campfire/SECRET`; nil if there is no webhook.
        public let webhookSecret: String?
        /// The ids of the rooms to poll.
        public let rooms: [String]
        /// The time between two polls; less than a second counts as one.
        public var pollInterval = usualPollInterval
        package static let usualPollInterval = Duration.seconds(3)
        /// The time limit for a webhook response; Campfire itself gives up after 7 seconds.
        public var answerDeadline: Duration = .seconds(6)
        /// How long a text is held for its script to end, before it becomes the webhook's response.
        public var replyDelay: Duration = .milliseconds(500)
        /// The names of the options in errors.
        public var optionNames = OptionNamesInHints()

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - url: `http` or `https`, such as `https://chat.example.org`; may have a path prefix.
        ///   - webhookSecret: At least 16 letters, digits, `-` or `_`.
        ///   - rooms: The room numbers, as in the rooms' addresses.
        /// - Throws: ``ConfigurationError`` if a value is invalid.
        public init(
            url: String, key: String, webhookSecret: String? = nil, rooms: [String] = []
        ) throws(ConfigurationError) {
            // A path is appended, so user, query and fragment aren't allowed.
            let address =
                /((?i:https?):\/\/(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:\/[A-Za-z0-9._~%+,=:@-]+)*)\/*/
            guard let match = url.wholeMatch(of: address) else { throw .badURL }
            guard key.wholeMatch(of: /[0-9]+-[A-Za-z0-9_-]+/) != nil else { throw .badKey }
            if let webhookSecret, webhookSecret.wholeMatch(of: /[A-Za-z0-9_-]{16,}/) == nil { throw .badSecret }
            guard rooms.allSatisfy({ CampfireID($0) != nil }) else { throw .badRoom }
            self.url = String(match.1)
            self.key = key
            self.webhookSecret = webhookSecret
            var known: Set<String> = []
            self.rooms = rooms.filter { known.insert($0).inserted }
        }
    }

    /// The names of the options in errors that suggest a change: by default the properties' names, but users may set them
    /// otherwise, for example by environment variables.
    public struct OptionNamesInHints: Hashable, Sendable {
        /// The name of the option for the URL.
        public var url = "url"
        /// The name of the option for the key.
        public var key = "key"
        /// The name of the option for the rooms.
        public var rooms = "rooms"

        /// Uses the names of the properties.
        public init() {}
    }

    /// What is invalid in a configuration.
    ///
    /// Descriptions omit the value, which may be a secret.
    public enum ConfigurationError: Error, Hashable, CustomStringConvertible {
        /// The URL isn't valid.
        case badURL
        /// The key isn't a bot's key.
        case badKey
        /// The webhook's secret is too short, or has invalid characters.
        case badSecret
        /// A room id isn't valid.
        case badRoom

        public var description: String {
            switch self {
            case .badURL:
                "the URL must be the address of a Campfire server, such as https://chat.example.org"
            case .badKey:
                "the key must be a bot's key: the bot's number, a hyphen, and letters and digits"
            case .badSecret:
                "the webhook's secret must have at least 16 characters: letters, digits, - or _"
            case .badRoom:
                "the rooms must be ids separated by commas: the numbers in the rooms' URLs"
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
