/// One field of a cron expression, such as `1-5` or `*/15`.
struct CronField: Hashable, Sendable {
    /// What a field counts.
    enum Kind: String, CaseIterable, Sendable {
        case minute
        case hour
        case dayOfMonth = "day of the month"
        case month
        case weekday

        var range: ClosedRange<Int> {
            switch self {
            case .minute: 0...59
            case .hour: 0...23
            case .dayOfMonth: 1...31
            case .month: 1...12
            case .weekday: 0...7
            }
        }

        /// Returns the number of a name of three letters, such as `mon`.
        fileprivate func number(named name: String) -> Int? {
            switch self {
            case .month: CivilDate.monthNames.firstIndex { $0.prefix(3).lowercased() == name }.map { $0 + 1 }
            case .weekday: Weekday.allCases.first { $0.name.prefix(3).lowercased() == name }?.rawValue
            default: nil
            }
        }
    }

    /// A bit for each number.
    private let bits: UInt64
    /// Whether the field begins with `*`.
    let beginsWithStar: Bool

    /// Parses a field.
    init(_ text: Substring, _ kind: Kind) throws(CronExpressionError) {
        var bits: UInt64 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let (numbers, step) = try Self.numbers(part, kind)
            for number in stride(from: numbers.lowerBound, through: numbers.upperBound, by: step) {
                // Both 0 and 7 are Sunday.
                bits |= 1 << UInt64(kind == .weekday ? number % 7 : number)
            }
        }
        self.bits = bits
        beginsWithStar = text.first == "*"
    }

    func contains(_ number: Int) -> Bool { 0..<64 ~= number && bits & (1 << UInt64(number)) != 0 }

    /// Parses a part of a list.
    private static func numbers(
        _ part: Substring, _ kind: Kind
    ) throws(CronExpressionError) -> (numbers: ClosedRange<Int>, step: Int) {
        let error = CronExpressionError.notUnderstood(part, kind)
        let halves = part.split(separator: "/", omittingEmptySubsequences: false)
        guard let range = halves.first, halves.count <= 2 else { throw error }
        let step = halves.count == 2 ? Int(halves[1]) : 1
        guard let step, 1...60 ~= step else { throw error }
        if range == "*" { return (kind == .weekday ? 0...6 : kind.range, step) }
        let ends = range.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = ends.first, ends.count <= 2, let start = number(first, kind) else { throw error }
        guard ends.count == 2 else { return (start...(halves.count == 2 ? kind.range.upperBound : start), step) }
        guard var end = number(ends[1], kind) else { throw error }
        // A range to Sunday, such as `fri-sun`.
        if kind == .weekday, end == 0, start > 0 { end = 7 }
        guard start <= end else { throw error }
        return (start...end, step)
    }

    private static func number(_ text: Substring, _ kind: Kind) -> Int? {
        guard 1...3 ~= text.utf8.count else { return nil }
        if let number = kind.number(named: text.lowercased()) { return number }
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Int(text) else {
            return nil
        }
        return kind.range ~= number ? number : nil
    }
}
