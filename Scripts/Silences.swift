import FoundationEssentials
public import Heybot

/// Silences alerts in Alertmanager, lists its silences, and ends them.
public struct Silences: Script {
    static let address = ScriptSetting(
        url: "ALERTMANAGER_URL", "base URL of the Alertmanager whose alerts can be silenced from chat")
    static let login = ScriptSetting(
        "ALERTMANAGER_LOGIN", "the login at the Alertmanager, if it needs one: `user:password`, or a token",
        isSecret: true)
    /// The users who may silence alerts, besides the admins.
    private static let operators = Access.role("operator")
    private static let mostListed = 10

    public init() {}

    public var topic: ScriptTopic { .work }
    public var settings: [any AnyScriptSetting] { [Self.address, Self.login] }

    public func register(on robot: inout RobotBuilder) {
        let address = robot.value(of: Self.address)
        let login = robot.value(of: Self.login)
        if address == nil { robot.reportMissingSetting("HEYBOT_ALERTMANAGER_URL") }

        @Sendable func client<Match>(_ res: Response<Match>) throws(Refusal) -> AlertmanagerClient {
            guard let address else {
                throw Refusal("I don't know your Alertmanager yet: set HEYBOT_ALERTMANAGER_URL to its URL.")
            }
            return AlertmanagerClient(address: address, login: login, http: res.http)
        }

        robot.respond(
            /silence (?<alert>\S.*?) for (?<time>[0-9][a-z0-9 ]{0,30})$/,
            help: """
                silence <alert> for <time> - Silence an alert, for a time such as 30m, 2h or 1 day
                silence <alert> on <place> for <time> - Silence it in one place, such as a host
                """,
            example: "silence HighLatency for 2h", allow: Self.operators
        ) { res in
            let alertmanager = try client(res)
            guard let time = TimeSpan(res.match.time) else {
                throw Refusal("For how long? Say a time such as 30m, 2h or 1 day, up to \(TimeSpan.longest).")
            }
            let subject = try await Self.subject(named: res.match.alert, alertmanager)
            let (user, room) = (res.message.user, res.message.room)
            let place = room.isPrivate ? "a direct message" : res.robot.displayName(of: room.id)
            let now = res.robot.date
            try await alertmanager.silence(
                subject.matchers, from: now, until: now.addingTimeInterval(time.seconds),
                by: "\(user.name) (\(user.id))", comment: "silenced from \(place) by \(user.name)")
            let firing = subject.count == 1 ? "1 alert is" : "\(subject.count) alerts are"
            let state = subject.count == 0 ? "It isn't firing now." : "\(firing) firing now."
            try await res.reply("\(subject.name) is silenced for \(time). \(state)")
        }

        robot.respond(
            /(?:unsilence|stop silencing) (?<alert>\S.*)$/,
            help: "unsilence <alert> - End the silences of an alert", example: "unsilence HighLatency",
            allow: Self.operators
        ) { res in
            let alertmanager = try client(res)
            let name = String(oneLine: res.match.alert, limit: 200)
            let matching = try await alertmanager.silences().filter { $0.isFor(name) }
            guard !matching.isEmpty else { throw Refusal("\(name) isn't silenced.") }
            for silence in matching { try await alertmanager.expire(silence) }
            try await res.reply("\(name) is no longer silenced.")
        }

        robot.respond(
            /silences$/, help: "silences - List the alerts that are silenced, and by whom", example: "silences"
        ) { res in
            let silences = try await client(res).silences()
            guard !silences.isEmpty else { throw Refusal("No alert is silenced.") }
            let rest = silences.count - Self.mostListed
            let lines = silences.prefix(Self.mostListed).map(\.line) + (rest > 0 ? ["and \(rest) more"] : [])
            try await res.send(lines.joined(separator: "\n"))
        }
    }

    /// What is to be silenced.
    private struct Subject {
        /// The alert's name, and the place if one was given.
        let name: String
        let matchers: [AlertmanagerClient.Matcher]
        /// The number of alerts that fire.
        let count: Int
    }

    /// Finds the alerts that a command names: `HighLatency`, or `HighLatency on web-1`.
    private static func subject(
        named typed: Substring, _ alertmanager: AlertmanagerClient
    ) async throws -> Subject {
        let name = String(oneLine: typed, limit: 200)
        let alerts = try await alertmanager.alerts(named: name)
        // Names contain " on " too, so the whole text comes first.
        if alerts.isEmpty, let on = name.ranges(of: " on ").last {
            let (short, place) = (String(name[..<on.lowerBound]), name[on.upperBound...].lowercased())
            let others = try await alertmanager.alerts(named: short)
            let places = others.compactMap { $0.label(withValue: place) }
            if let first = others.first, let label = places.first {
                let count = places.count { $0 == label }
                return Subject(
                    name: "\(String(oneLine: first.name, limit: 200)) on \(String(oneLine: label.value, limit: 80))",
                    matchers: [.init("alertname", first.name), .init(label.name, label.value)], count: count)
            }
            guard others.isEmpty else { throw Refusal("\(short) isn't firing on \(place).") }
        }
        // An alert that doesn't fire can be silenced in advance, by its exact name.
        let exact = alerts.first?.name ?? name
        return Subject(
            name: String(oneLine: exact, limit: 200), matchers: [.init("alertname", exact)], count: alerts.count)
    }
}
