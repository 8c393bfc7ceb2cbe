extension Webhooks {
    /// An alert that fires or is resolved.
    struct Alert: Sendable {
        /// Identifies the alert among those of a webhook, while it fires and when it is resolved.
        let key: String
        /// The name, by which alerts are grouped and counted.
        let name: String
        /// What the alert is about, such as a host; nil if that isn't known.
        let place: String?
        /// Why it fires; nil if that isn't known.
        let reason: String?
        let isResolved: Bool
        /// The line for this alert alone.
        let line: String
        /// Whether it is resolved as routinely as a build that passes.
        ///
        /// That is only posted if the alert is known to fire.
        let isRoutine: Bool

        /// Creates an alert whose parts are safe for chat.
        init(
            key: String, name: String, place: String? = nil, reason: String? = nil, isResolved: Bool, line: String,
            isRoutine: Bool = false
        ) {
            self.key = key
            self.name = name
            self.place = place
            self.reason = reason
            self.isResolved = isResolved
            self.line = line
            self.isRoutine = isRoutine
        }

        /// The word that begins a line about alerts.
        static func word(isResolved: Bool) -> String { isResolved ? "resolved" : "FIRING" }
    }
}

extension Webhooks.Alert {
    /// Formats alerts: those of one name on one line, firing ones first.
    ///
    /// - Parameter limit: The maximum number of lines.
    static func lines(of alerts: [Self], limit: Int) -> [String] {
        var groups: [[Self]] = []
        var places: [String: Int] = [:]
        for alert in alerts.filter({ !$0.isResolved }) + alerts.filter(\.isResolved) {
            let key = "\(alert.isResolved) \(alert.name)"
            if let place = places[key] {
                groups[place].append(alert)
            } else {
                places[key] = groups.count
                groups.append([alert])
            }
        }
        guard groups.count > limit else { return groups.map(Self.groupLine) }
        let rest = groups.dropFirst(limit - 1).flatMap { $0 }
        let resolved = rest.count(where: \.isResolved)
        let counts = [(rest.count - resolved, "firing"), (resolved, "resolved")].filter { $0.0 > 0 }
        let states = counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let more = "and \(rest.count) more alert\(rest.count == 1 ? "" : "s"): \(states)"
        return groups.prefix(limit - 1).map(Self.groupLine) + [more]
    }

    /// Formats alerts of one name: `FIRING HighLatency (12) on web-1, web-2, web-3 and more: p99 is above 1 s`.
    private static func groupLine(of alerts: [Self]) -> String {
        guard let first = alerts.first else { return "" }
        guard alerts.count > 1 else { return first.line }
        var places: [String] = []
        for place in alerts.compactMap(\.place) where places.count < 4 && !places.contains(place) {
            places.append(place)
        }
        let shown = places.prefix(3).joined(separator: ", ")
        let rest = places.count > 3 ? " and more" : ""
        let on = places.isEmpty ? "" : " on \(shown)\(rest)"
        let isSame = alerts.allSatisfy { $0.reason == first.reason }
        let reason = isSame ? first.reason.map { ": \($0)" } ?? "" : ""
        return "\(word(isResolved: first.isResolved)) \(first.name) (\(alerts.count))\(on)\(reason)"
    }
}
