import FoundationEssentials
import Heybot

/// A message that the people of a rota get in private, again and again, until one of them acknowledges it.
struct Page: Codable, Hashable, Sendable {
    /// How often people are paged.
    struct Plan: Hashable, Sendable {
        /// The time between two attempts, in seconds.
        let interval: Double
        /// The number of attempts to reach one person before the next person's turn.
        let attempts: Int
        /// The number of times that each person's turn comes.
        static let rounds = 2
    }

    /// What to do next.
    enum Step: Hashable, Sendable {
        /// Page a person.
        ///
        /// `previous` is the person whose turn has just ended, if it is another one.
        case page(User, attempt: Int, previous: User?)
        /// Stop, because nobody has answered.
        case giveUp
    }

    /// The maximum number of characters of a text.
    static let longest = 500

    /// The number by which people refer to it.
    let number: Int
    /// The name of the rota.
    let rota: String
    let text: String
    /// Who asked for it.
    let author: User
    /// The room in which they asked.
    let room: Room
    let date: Date
    /// Whom to page, in this order.
    let people: [User]
    /// The number of attempts so far.
    private(set) var attempts: Int
    private(set) var nextAttempt: Date

    /// Creates a page whose first attempt is due.
    init(number: Int, rota: String, text: String, author: User, room: Room, date: Date, people: [User]) {
        self.number = number
        self.rota = rota
        self.text = text
        self.author = author
        self.room = room
        self.date = date
        self.people = people
        attempts = 0
        nextAttempt = date
    }

    /// Whether the next step is due.
    func isDue(at date: Date, _ plan: Plan) -> Bool {
        // The clock may have been set back.
        nextAttempt <= date || nextAttempt.timeIntervalSince(date) > plan.interval
    }

    /// Takes the next step, if it is due.
    mutating func nextStep(at date: Date, _ plan: Plan) -> Step? {
        guard isDue(at: date, plan) else { return nil }
        let count = attemptsSoFar
        let turn = count / plan.attempts
        guard !people.isEmpty, turn < people.count * Plan.rounds else { return .giveUp }
        attempts = count + 1
        nextAttempt = date.addingTimeInterval(plan.interval)
        let isHandover = count % plan.attempts == 0 && turn > 0 && people.count > 1
        return .page(
            people[turn % people.count], attempt: count % plan.attempts + 1,
            previous: isHandover ? people[(turn - 1) % people.count] : nil)
    }

    /// Returns the people who have been paged so far.
    func paged(_ plan: Plan) -> [User] {
        Array(people.prefix((attemptsSoFar + plan.attempts - 1) / plan.attempts))
    }

    /// The number of attempts so far, which may be any number in the brain.
    private var attemptsSoFar: Int { min(max(attempts, 0), 1_000_000) }

    /// Whether it is a matter of one of these users: as its author, or as one of those whom it may reach.
    func concerns(_ users: [User]) -> Bool {
        users.contains { user in ([author] + people).contains { user.proves(toBe: $0) } }
    }
}

// MARK: Texts

extension Page {
    /// The text and the author, as in `Page 3 (ops) from grace in #dev: disk full`.
    private var summary: String {
        let place = room.isPrivate ? "" : " in \(String(oneLine: room.name, limit: 100))"
        return "Page \(number) (\(rota)) from \(author.shortName)\(place): \(text)"
    }

    /// Returns what the person gets who is paged.
    func message(attempt: Int) -> String {
        "\(attempt > 1 ? "Again: " : "")\(summary) - Say \"ack \(number)\" to take it."
    }

    /// Returns what the room learns about an attempt.
    func report(_ user: User, attempt: Int, previous: User?, _ plan: Plan) -> String {
        let name = user.shortName
        if let previous { return "Page \(number): \(previous.shortName) hasn't answered, so I've paged \(name)." }
        guard attempts == 1 else {
            return "Page \(number): I've paged \(name) again (\(attempt) of \(plan.attempts))."
        }
        let minutes = Int(plan.interval / 60)
        let interval = minutes == 1 ? "minute" : "\(minutes) minutes"
        let end = "until someone says \"ack \(number)\""
        return "Page \(number): I've paged \(name), and will again every \(interval) \(end)."
    }

    /// Returns what the author of a private page learns if a person can't be reached.
    func failureReport(_ user: User) -> String { "Page \(number): I can't reach \(user.shortName)." }

    /// What the room learns if nobody has answered.
    var giveUpReport: String { "Page \(number): nobody of \(rota) has answered, so I've stopped: \(text)" }

    /// A line for the list of open pages.
    ///
    /// - Parameter time: The time of the page, formatted.
    func line(at time: String, _ plan: Plan) -> String {
        let names = paged(plan).map(\.shortName).joined(separator: ", ")
        return "\(summary) - \(time), paged: \(names.isEmpty ? "nobody yet" : names)"
    }
}
