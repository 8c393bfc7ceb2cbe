/// How often something recurs: `every weekday at 9:30`, `every first monday`, `every 90 minutes`, or a cron expression.
///
/// It is a value: the next time depends on nothing but the rule, the time and the time zone.
package enum Recurrence: Hashable, Codable, Sendable {
    /// Every so many seconds, counted from a time in seconds since 1970.
    case elapsed(seconds: Int, from: Int)
    /// On days, at minutes since midnight.
    case calendar(DayRule, minutes: [Int])
    /// As a cron expression says.
    case cron(CronExpression)

    /// Returns the next time after another, in seconds since 1970; nil if there is none in the next hundred years.
    ///
    /// If clocks show the moment twice, because they are set back, it is the first time. If they skip it, because they are set
    /// forward, it is as long after the change as the moment is after the beginning of what is skipped (RFC 5545).
    package func next(after time: Int, in zone: TimeZoneData) -> Int? {
        switch self {
        case .elapsed(let seconds, let from):
            let length = min(max(seconds, 1), Self.mostSeconds)
            let (time, from) = (TimeZoneData.bounded(time), TimeZoneData.bounded(from))
            return max(from, from + ((time - from).dividedDown(by: length) + 1) * length)
        case .calendar(let rule, let minutes):
            let schedule = DailySchedule(
                minutes: Set(minutes).filter { 0..<1_440 ~= $0 }.sorted(), followsClock: false, includes: rule.includes)
            return schedule.next(after: time, in: zone)
        case .cron(let expression):
            let schedule = DailySchedule(
                minutes: expression.minutesOfDay, followsClock: expression.followsClock, includes: expression.includes)
            return schedule.next(after: time, in: zone)
        }
    }

    /// The longest interval: some 30 years.
    private static let mostSeconds = 1_000_000_000
}
