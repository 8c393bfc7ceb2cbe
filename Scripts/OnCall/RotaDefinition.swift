import Heybot
import HeybotDates

/// A rota as an admin writes it: `ada, grace weekly from monday 9:00`.
struct RotaDefinition {
    /// The time of handover if none is named: 9:00.
    static let usualMinutes = 9 * 60
    /// In bytes.
    private static let longest = 4_000

    /// The people as they were written, at least one.
    let names: [Substring]
    /// The length of a turn in days.
    let days: Int
    private let start: TimePhrase?

    /// Parses a text.
    ///
    /// - Throws: A ``Refusal`` that says what is expected.
    init(_ typed: Substring) throws(Refusal) {
        guard typed.utf8.count <= Self.longest else { throw Refusal("That's too long for a rota.") }
        let pattern =
            /(?<people>\S.*?)[, ] *(?<turn>daily|weekly|fortnightly|every (?:(?<number>[0-9]{1,3}|other) )?(?<unit>day|week)s?)(?: (?:from|at|starting) (?<start>\S.*))?/
            .ignoresCase()
        let text = String(oneLine: typed, limit: Self.longest)
        guard let match = text.wholeMatch(of: pattern) else { throw Self.expected }
        let people = match.people.replacing(" and ", with: ",").split(separator: ",")
        names = people.map { $0.unquoted }.filter { !$0.isEmpty }
        days = Self.days(match.turn.lowercased(), match.number?.lowercased(), match.unit?.lowercased())
        start = match.start.flatMap { TimePhrase($0) }
        guard !names.isEmpty, start != nil || match.start == nil else { throw Self.expected }
        guard names.count <= Rota.mostPeople else {
            throw Refusal("A rota can have at most \(Rota.mostPeople) people.")
        }
        guard 1...Rota.mostDays ~= days else { throw Refusal("A turn can last 1 to \(Rota.mostDays) days.") }
    }

    /// Returns when the first turn begins: by default at the last 9:00, so that the first person is on call at once.
    ///
    /// - Throws: A ``Refusal`` if the definition names a day that doesn't exist.
    func beginning(at now: LocalMoment) throws(Refusal) -> LocalMoment {
        guard let start else {
            let today = LocalMoment(days: now.days, minutes: Self.usualMinutes)
            return today <= now ? today : LocalMoment(days: now.days - 1, minutes: Self.usualMinutes)
        }
        guard let moment = start.moment(after: now, usual: Self.usualMinutes, includingToday: true) else {
            throw Refusal("There is no such day.")
        }
        return moment
    }

    private static let expected = Refusal(
        "Name the people and how long a turn lasts, as in: on call rota ops: ada, grace weekly from monday 9:00")

    private static func days(_ turn: String, _ number: String?, _ unit: String?) -> Int {
        switch turn {
        case "daily": return 1
        case "weekly": return 7
        case "fortnightly": return 14
        default:
            let count = number == "other" ? 2 : number.flatMap { Int($0) } ?? 1
            return count * (unit == "week" ? 7 : 1)
        }
    }
}
