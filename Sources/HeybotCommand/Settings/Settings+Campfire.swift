import CampfireAdapter

extension Settings {
    /// What is set of Campfire, as it is set.
    struct Campfire: Sendable {
        var account: String?
        var token: String?
        var webhookSecret: String?
        var rooms: [String] = []
        var pollInterval = CampfireAdapter.Configuration.usualPollInterval
    }
}

extension Settings.Campfire {
    /// What the adapter wants to know; nil if something is missing, or wrong.
    var configuration: CampfireAdapter.Configuration? { try? made() }

    private func made() throws(CampfireAdapter.ConfigurationError) -> CampfireAdapter.Configuration? {
        guard let account, let token else { return nil }
        var configuration = try CampfireAdapter.Configuration(
            url: account, key: token, webhookSecret: webhookSecret, rooms: rooms)
        configuration.pollInterval = pollInterval
        configuration.optionNames = .settings
        return configuration
    }

    /// What is missing, or wrong.
    ///
    /// - Parameter isServing: Whether there is a web server, without which no webhook can be.
    func problems(isServing: Bool) -> [SettingsProblem] {
        var problems: [SettingsProblem] = []
        if account == nil {
            problems.append(
                .missing(
                    "HEYBOT_CAMPFIRE_ACCOUNT", "the address of your Campfire, such as https://chat.example.org"))
        }
        if token == nil {
            problems.append(.missing("HEYBOT_CAMPFIRE_TOKEN", "the bot's key, which Campfire shows with its bots"))
        }
        if webhookSecret == nil, rooms.isEmpty {
            problems.append(
                .missing(
                    "HEYBOT_CAMPFIRE_WEBHOOK_SECRET",
                    "without it, and without HEYBOT_CAMPFIRE_ROOMS, the robot hears nothing"))
        }
        if webhookSecret != nil, !isServing {
            problems.append(
                SettingsProblem(
                    line: "HEYBOT_CAMPFIRE_WEBHOOK_SECRET needs the web server, which HEYBOT_HTTPD or -d leaves out",
                    cure: "unset HEYBOT_HTTPD and give no -d, or unset HEYBOT_CAMPFIRE_WEBHOOK_SECRET"))
        }
        // Each by itself, so that all are told at once.
        let parts: [(url: String?, key: String?, secret: String?, rooms: [String])] = [
            (account, nil, nil, []), (nil, token, nil, []), (nil, nil, webhookSecret, []), (nil, nil, nil, rooms)
        ]
        for part in parts {
            do throws(CampfireAdapter.ConfigurationError) {
                _ = try CampfireAdapter.Configuration(
                    url: part.url ?? "https://chat.example.org", key: part.key ?? "1-key", webhookSecret: part.secret,
                    rooms: part.rooms)
            } catch {
                problems.append(error.settingsProblem)
            }
        }
        return problems
    }
}

extension Setting {
    /// Those of Campfire, with Hubot's names if they still mean something.
    static let campfire: [Setting] = [
        Setting(
            "CAMPFIRE_ACCOUNT", key: "campfire.account", \.campfire.account, .optional(),
            "the address of your Campfire, as `https://chat.example.org`"),
        Setting(
            "CAMPFIRE_TOKEN", key: "campfire.token", \.campfire.token, .optional(), "the bot's key there",
            isSecret: true),
        Setting(
            "CAMPFIRE_WEBHOOK_SECRET", key: "campfire.webhookSecret", \.campfire.webhookSecret, .optional(),
            "what the webhook's address ends with, `/campfire/SECRET`: at least 16 letters, digits, `-` or `_`",
            isSecret: true),
        Setting(
            "CAMPFIRE_ROOMS", key: "campfire.rooms", \.campfire.rooms, .ids,
            "the ids of rooms to look at oneself, to hear what doesn't mention the robot"),
        Setting(
            "CAMPFIRE_POLL", key: "campfire.poll", \.campfire.pollInterval, .seconds,
            "how many seconds to wait before looking again")
    ]
}

extension Kind where Value == [String] {
    static let ids = Kind(
        shape: .list, expected: "ids with commas between them", read: { parts($0) },
        show: { $0.isEmpty ? nil : $0.joined(separator: ",") })
}
