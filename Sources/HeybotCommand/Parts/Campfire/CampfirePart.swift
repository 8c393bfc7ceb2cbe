#if AllParts || Campfire
    import CampfireAdapter
    import Heybot

    /// The adapter for Campfire.
    struct CampfirePart: RobotPart {
        let settings = Setting.campfire.grouped("campfire").ofOneNetwork([
            "CAMPFIRE_ACCOUNT", "CAMPFIRE_TOKEN", "CAMPFIRE_WEBHOOK_SECRET", "CAMPFIRE_ROOMS"
        ])
        let adapters: [AdapterName] = [.campfire]

        func problems(of network: Network, in resolved: ResolvedSettings, isServing: Bool) -> [SettingsProblem] {
            resolved.settings.values(of: network).campfire.problems(of: network, isServing: isServing)
        }

        func adapter(_ network: Network, _ settings: SettingValues, _ brain: Brain, _ http: any HTTPClient) -> (
            any Adapter
        )? {
            settings.campfire.configuration(of: network).map {
                CampfireAdapter($0, http: http, name: network.name, robotName: settings.name)
            }
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

        /// The names of the servers, if there are several.
        var campfireNetworks: [String] {
            get { networkNames[.campfire] ?? [] }
            set { networkNames[.campfire] = newValue }
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
        func configuration(of network: Network) -> CampfireAdapter.Configuration? { try? made(network) }

        private func made(_ network: Network) throws(CampfireAdapter.ConfigurationError) -> CampfireAdapter
            .Configuration?
        {
            guard let account, let token else { return nil }
            var configuration = try CampfireAdapter.Configuration(
                url: account, key: token, webhookSecret: webhookSecret, rooms: rooms)
            configuration.pollInterval = pollInterval
            configuration.optionNames = .settings(of: network)
            return configuration
        }

        /// Missing and invalid settings.
        ///
        /// - Parameters:
        ///   - network: The network, for the settings' names.
        ///   - isServing: Whether the web server is enabled, which webhooks need.
        func problems(of network: Network, isServing: Bool) -> [SettingsProblem] {
            let name = network.variable
            var problems: [SettingsProblem] = []
            if account == nil {
                problems.append(
                    .missing(
                        name("ACCOUNT"), "the URL of your Campfire server, such as https://chat.example.org"))
            }
            if token == nil {
                problems.append(
                    .missing(name("TOKEN"), "the bot's key, which Campfire shows in its list of bots"))
            }
            if webhookSecret == nil, rooms.isEmpty {
                problems.append(
                    .missing(
                        name("WEBHOOK_SECRET"),
                        "the robot receives messages only if this or \(name("ROOMS")) is set"))
            }
            if webhookSecret != nil, !isServing {
                problems.append(
                    SettingsProblem(
                        line: "\(name("WEBHOOK_SECRET")) needs the web server, which HEYBOT_HTTPD or -d disables",
                        fix: "enable the web server, or unset \(name("WEBHOOK_SECRET"))"))
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
                    problems.append(error.settingsProblem(network))
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
                "CAMPFIRE_NETWORKS", key: "campfire.networks", \.campfireNetworks, .networks(of: .campfire),
                "names of several servers, such as `work,family`; each has its own settings, such as "
                    + "`HEYBOT_CAMPFIRE_WORK_ACCOUNT`, and the other settings apply to all of them",
                fallback: "one server, `campfire`"),
            Setting(
                "CAMPFIRE_TOKEN", key: "campfire.token", \.campfire.token, .optional(),
                "the bot's key in Campfire",
                isSecret: true),
            Setting(
                "CAMPFIRE_WEBHOOK_SECRET", key: "campfire.webhookSecret", \.campfire.webhookSecret, .optional(),
                "the secret at the end of the webhook's URL, `/campfire/SECRET` (`/campfire/work/SECRET` for the server `work`): at least 16 letters, digits, `-` or `_`",
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
        /// The settings' names for the adapter's options, for errors that say what to change.
        static func settings(of network: Network) -> Self {
            var names = Self()
            names.url = network.variable("ACCOUNT")
            names.key = network.variable("TOKEN")
            names.rooms = network.variable("ROOMS")
            return names
        }
    }

    extension CampfireAdapter.ConfigurationError {
        /// The error with the setting's name.
        func settingsProblem(_ network: Network) -> SettingsProblem {
            let (name, expected) =
                switch self {
                case .badURL: ("ACCOUNT", "the URL of a Campfire server, such as https://chat.example.org")
                case .badKey: ("TOKEN", "a bot's key: the bot's number, a hyphen, and letters and digits")
                case .badSecret: ("WEBHOOK_SECRET", "at least 16 characters: letters, digits, - or _")
                case .badRoom: ("ROOMS", "room ids separated by commas: the numbers in the rooms' URLs")
                }
            let verb = if case .badSecret = self { "must have" } else { "must be" }
            return SettingsProblem(line: "\(network.variable(name)) \(verb) \(expected)")
        }
    }
#endif
