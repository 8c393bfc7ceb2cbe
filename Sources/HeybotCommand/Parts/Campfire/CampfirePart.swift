#if AllParts || Campfire
    import CampfireAdapter
    import Heybot

    /// The adapter for Campfire.
    struct CampfirePart: RobotPart {
        let settings = Setting.campfire.grouped("campfire")
        let adapters: [AdapterName] = [.campfire]

        func problems(of adapter: AdapterName, in resolved: ResolvedSettings, isServing: Bool) -> [SettingsProblem] {
            resolved.settings.campfire.problems(isServing: isServing)
        }

        func adapter(_ name: AdapterName, _ settings: SettingValues, _ brain: Brain, _ http: any HTTPClient) -> (
            any Adapter
        )? {
            settings.campfire.configuration.map { CampfireAdapter($0, http: http, robotName: settings.name) }
        }
    }

    extension AdapterName {
        static let campfire = AdapterName(rawValue: "campfire")
    }

    extension SettingValues {
        var campfire: Campfire {
            get { self[part: Campfire()] }
            set { self[part: Campfire()] = newValue }
        }

        /// The settings of the Campfire adapter.
        struct Campfire: Sendable {
            var account: String?
            var token: String?
            var webhookSecret: String?
            var rooms: [String] = []
            var pollInterval = CampfireAdapter.Configuration.usualPollInterval
        }
    }

    extension SettingValues.Campfire {
        /// The adapter's configuration; nil if something is missing or invalid.
        var configuration: CampfireAdapter.Configuration? { try? made() }

        private func made() throws(CampfireAdapter.ConfigurationError) -> CampfireAdapter.Configuration? {
            guard let account, let token else { return nil }
            var configuration = try CampfireAdapter.Configuration(
                url: account, key: token, webhookSecret: webhookSecret, rooms: rooms)
            configuration.pollInterval = pollInterval
            configuration.optionNames = .settings
            return configuration
        }

        /// Missing and invalid settings.
        ///
        /// - Parameter isServing: Whether the web server is enabled, which webhooks need.
        func problems(isServing: Bool) -> [SettingsProblem] {
            var problems: [SettingsProblem] = []
            if account == nil {
                problems.append(
                    .missing(
                        "HEYBOT_CAMPFIRE_ACCOUNT", "the URL of your Campfire server, such as https://chat.example.org"))
            }
            if token == nil {
                problems.append(
                    .missing("HEYBOT_CAMPFIRE_TOKEN", "the bot's key, which Campfire shows in its list of bots"))
            }
            if webhookSecret == nil, rooms.isEmpty {
                problems.append(
                    .missing(
                        "HEYBOT_CAMPFIRE_WEBHOOK_SECRET",
                        "the robot receives messages only if this or HEYBOT_CAMPFIRE_ROOMS is set"))
            }
            if webhookSecret != nil, !isServing {
                problems.append(
                    SettingsProblem(
                        line: "HEYBOT_CAMPFIRE_WEBHOOK_SECRET needs the web server, which HEYBOT_HTTPD or -d disables",
                        fix: "enable the web server, or unset HEYBOT_CAMPFIRE_WEBHOOK_SECRET"))
            }
            // Each is checked alone, so that all problems are reported.
            let parts: [(url: String?, key: String?, secret: String?, rooms: [String])] = [
                (account, nil, nil, []), (nil, token, nil, []), (nil, nil, webhookSecret, []), (nil, nil, nil, rooms)
            ]
            for part in parts {
                do throws(CampfireAdapter.ConfigurationError) {
                    _ = try CampfireAdapter.Configuration(
                        url: part.url ?? "https://chat.example.org", key: part.key ?? "1-key",
                        webhookSecret: part.secret,
                        rooms: part.rooms)
                } catch {
                    problems.append(error.settingsProblem)
                }
            }
            return problems
        }
    }

    extension Setting {
        /// The settings of Campfire, with Hubot's names if they still apply.
        static let campfire: [Setting] = [
            Setting(
                "CAMPFIRE_ACCOUNT", key: "campfire.account", \.campfire.account, .optional(),
                "the URL of your Campfire server, such as `https://chat.example.org`"),
            Setting(
                "CAMPFIRE_TOKEN", key: "campfire.token", \.campfire.token, .optional(),
                "the bot's key in Campfire",
                isSecret: true),
            Setting(
                "CAMPFIRE_WEBHOOK_SECRET", key: "campfire.webhookSecret", \.campfire.webhookSecret, .optional(),
                "the secret at the end of the webhook's URL, `/campfire/SECRET`: at least 16 letters, digits, `-` or `_`",
                isSecret: true),
            Setting(
                "CAMPFIRE_ROOMS", key: "campfire.rooms", \.campfire.rooms, .ids,
                "the ids of rooms to poll for messages that don't mention the robot"),
            Setting(
                "CAMPFIRE_POLL_INTERVAL", key: "campfire.pollInterval", formerly: ("CAMPFIRE_POLL", "campfire.poll"),
                \.campfire.pollInterval, .seconds,
                "seconds between two polls", isAdvanced: true)
        ]
    }

    extension ValueParser where Value == [String] {
        static let ids = ValueParser(
            shape: .list, expected: "ids separated by commas", read: { commaSeparated($0) },
            show: { $0.isEmpty ? nil : $0.joined(separator: ",") })
    }

    extension CampfireAdapter.OptionNamesInHints {
        static let settings: Self = {
            var names = Self()
            names.url = "HEYBOT_CAMPFIRE_ACCOUNT"
            names.key = "HEYBOT_CAMPFIRE_TOKEN"
            names.rooms = "HEYBOT_CAMPFIRE_ROOMS"
            return names
        }()
    }

    extension CampfireAdapter.ConfigurationError {
        /// The error with the setting's name.
        var settingsProblem: SettingsProblem {
            let words =
                switch self {
                case .badURL: "ACCOUNT must be the URL of a Campfire server, such as https://chat.example.org"
                case .badKey: "TOKEN must be a bot's key: the bot's number, a hyphen, and letters and digits"
                case .badSecret: "WEBHOOK_SECRET must have at least 16 characters: letters, digits, - or _"
                case .badRoom: "ROOMS must be room ids separated by commas: the numbers in the rooms' URLs"
                }
            return SettingsProblem(line: "HEYBOT_CAMPFIRE_\(words)")
        }
    }
#endif
