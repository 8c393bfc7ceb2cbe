import FoundationEssentials
import Heybot
import HeybotDates

/// The rest of a command that puts a person on call for a while, such as `for ops until friday 9:00`.
struct OverrideRequest {
    private enum End {
        case at(TimePhrase)
        case afterHours(Int)
        case afterDays(Int)
    }

    /// The maximum time from now until the end.
    private static let mostSeconds = 366 * 86_400.0
    /// In bytes.
    private static let longest = 400

    /// The name of the rota; nil if the command names none.
    let rota: Substring?
    private let start: TimePhrase?
    private let end: End

    /// Parses a text.
    ///
    /// - Throws: A ``Refusal`` that says what is expected.
    init(_ typed: Substring) throws(Refusal) {
        guard typed.utf8.count <= Self.longest else { throw Self.expected }
        let pattern =
            /(?:(?:for|in) (?<rota>[\w-]{1,40}) ?)?(?:from (?<start>\S.*?) )?(?:(?:until|till|to) (?<end>\S.*)|for (?<number>[0-9]{1,3}) (?<unit>hour|day|week)s?)/
            .ignoresCase()
        let text = String(oneLine: typed, limit: Self.longest)
        guard let match = text.wholeMatch(of: pattern) else { throw Self.expected }
        rota = match.rota
        start = match.start.flatMap { TimePhrase($0) }
        guard start != nil || match.start == nil else { throw Self.expected }
        if let phrase = match.end {
            guard let time = TimePhrase(phrase) else { throw Self.expected }
            end = .at(time)
        } else {
            let number = match.number.flatMap { Int($0) } ?? 0
            switch match.unit?.lowercased() {
            case "hour": end = .afterHours(number)
            case "week": end = .afterDays(number * 7)
            default: end = .afterDays(number)
            }
        }
    }

    /// Returns the time in which the person is on call.
    ///
    /// - Parameter usual: The time of day, in minutes, of a day without one.
    /// - Throws: A ``Refusal`` if that time is over, too long, or not a time.
    func period(at now: Date, in zone: IANATimeZone, usual: Int) throws(Refusal) -> (start: Date, end: Date) {
        var first = now
        if let start {
            guard let moment = start.moment(after: zone.moment(at: now), usual: usual, includingToday: true) else {
                throw Self.noSuchDay
            }
            first = max(zone.date(of: moment), now)
        }
        let shown = zone.moment(at: first)
        let last: Date
        switch end {
        case .afterHours(let hours): last = first.addingTimeInterval(Double(hours) * 3_600)
        case .afterDays(let days): last = zone.date(of: LocalMoment(days: shown.days + days, minutes: shown.minutes))
        case .at(let phrase):
            guard let moment = phrase.moment(after: shown, usual: usual) else { throw Self.noSuchDay }
            last = zone.date(of: moment)
        }
        guard last > first else { throw Refusal("That time is over.") }
        guard last.timeIntervalSince(now) <= Self.mostSeconds else {
            throw Refusal("I can plan at most a year ahead.")
        }
        return (first, last)
    }

    private static let noSuchDay = Refusal("There is no such day.")

    private static let expected = Refusal("Until when? Say it as in: ada is on call for ops until friday 9:00")
}
