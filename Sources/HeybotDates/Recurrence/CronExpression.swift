/// A cron expression of five fields, such as `30 9 * * 1-5`: minute, hour, day of the month, month and weekday.
///
/// Each field is `*`, or a list of numbers and ranges, which may have a step, as in `*/15` or `9-17/2`. Months and weekdays may be
/// names of three letters. If both the day of the month and the weekday are limited, either is enough. It is encoded as text.
package struct CronExpression: Hashable, Sendable {
    private let minute, hour, dayOfMonth, month, weekday: CronField
    /// The expression as text, with single spaces.
    package let description: String

    /// In bytes.
    private static let longest = 200

    /// Parses an expression, or a name for one, such as `@daily`.
    package init(_ text: some StringProtocol) throws(CronExpressionError) {
        guard text.utf8.count <= Self.longest else { throw CronExpressionError.tooLong }
        let typed = text.lowercased()
        let fields = (Self.names[typed] ?? typed).split { $0.isWhitespace }
        guard fields.count == 5 else { throw CronExpressionError.wrongCount(fields.count) }
        minute = try CronField(fields[0], .minute)
        hour = try CronField(fields[1], .hour)
        dayOfMonth = try CronField(fields[2], .dayOfMonth)
        month = try CronField(fields[3], .month)
        weekday = try CronField(fields[4], .weekday)
        description = fields.joined(separator: " ")
        guard hasDay else { throw CronExpressionError.noSuchDay(description) }
    }

    /// Whether a day is one of those that the expression means.
    package func includes(_ date: CivilDate) -> Bool {
        guard month.contains(date.month) else { return false }
        let isDay = dayOfMonth.contains(date.day)
        let isWeekday = weekday.contains(date.weekday.rawValue)
        let isEitherEnough = !dayOfMonth.beginsWithStar && !weekday.beginsWithStar
        return isEitherEnough ? isDay || isWeekday : isDay && isWeekday
    }

    /// The minutes since midnight, in order.
    package var minutesOfDay: [Int] {
        (0..<24).filter { hour.contains($0) }.flatMap { hour in
            (0..<60).filter { minute.contains($0) }.map { hour * 60 + $0 }
        }
    }

    /// Whether it is meant for each hour or minute that passes, so that clocks that are set forward or back don't matter.
    package var followsClock: Bool { minute.beginsWithStar || hour.beginsWithStar }

    /// Whether any month has one of the days.
    ///
    /// In a leap year, each month has all days that it can have.
    private var hasDay: Bool {
        guard weekday.beginsWithStar else { return true }
        return (1...12).contains { number in
            let days = CivilDate(year: 2_000, month: number, day: 1).daysInMonth
            return month.contains(number) && (1...days).contains { dayOfMonth.contains($0) }
        }
    }

    private static let names = [
        "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *"
    ]
}

extension CronExpression: Codable, CustomStringConvertible {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do throws(CronExpressionError) {
            self = try CronExpression(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The reason why a text is no cron expression.
package enum CronExpressionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text has more than 200 bytes.
    case tooLong
    /// A number of fields other than five.
    case wrongCount(Int)
    /// A field that isn't understood.
    case wrongField(String, kind: String, expected: String)
    /// A day that no month has.
    case noSuchDay(String)

    static func notUnderstood(_ text: Substring, _ kind: CronField.Kind) -> CronExpressionError {
        let shown = text.prefix(20).filter { $0.isLetter || $0.isNumber || "*/-+,.#?@".contains($0) }
        let names = kind == .month ? ", or jan to dec" : kind == .weekday ? ", or sun to sat" : ""
        let expected = "\(kind.range.lowerBound) to \(kind.range.upperBound)\(names)"
        return .wrongField(String(shown), kind: kind.rawValue, expected: expected)
    }

    /// The reason and the fix, in one line.
    package var description: String {
        switch self {
        case .tooLong: "A cron expression can have at most 200 bytes."
        case .wrongCount(let count):
            "A cron expression has five fields, not \(count): minute, hour, day, month and weekday, as in 30 9 * * 1-5."
        case .wrongField(let text, let kind, let expected):
            "I don't understand \"\(text)\" as the \(kind) of a cron expression: say \(expected), *, a list or a range."
        case .noSuchDay(let text): "No month has the day of the cron expression \(text)."
        }
    }
}
