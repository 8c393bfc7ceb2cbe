package import Pacing

/// Keeps one person from using the robot up, and two robots from talking with each other for ever.
///
/// So many answers are free; who wants more, or gets the same one again and again, isn't heard for a while, and each
/// time for longer.
package struct Restraint: Sendable {
    private struct Person {
        var meter: PaceMeter
        var rests: Duration?
        /// How often they had to rest in a row.
        var strikes = 0
        var lastMessage: String?
        var lastAnswer = 0
        var lastTime: Duration = .zero
        var repeats = 0
        var seen: Duration
    }

    /// So many same answers in a row are no conversation.
    private static let mostRepeats = 10
    private static let longestRest: Duration = .seconds(3_600)
    /// Between two answers of a conversation there is no more.
    private static let pause: Duration = .seconds(90)
    /// After that time all is forgotten.
    private static let memory: Duration = .seconds(600)
    private static let mostPeople = 1_000

    private let pace: Pace?
    private var people: [String: Person] = [:]

    /// - Parameter pace: How many answers at once, and how soon another; nil where nobody ever rests.
    package init(_ pace: Pace?) {
        self.pace = pace.flatMap { $0.interval > .zero ? $0 : nil }
    }

    /// Whether what somebody says may be heard.
    package func admits(_ key: String, at now: Duration) -> Bool {
        if people.isEmpty { return true }
        return people[key]?.rests.map { $0 <= now } ?? true
    }

    /// Counts an answer to somebody, what belongs to one message as one.
    ///
    /// - Returns: For how long they aren't heard from now on, where that is so.
    package mutating func answered(_ key: String, _ message: String, with text: String, at now: Duration) -> Duration? {
        guard let pace else { return nil }
        if people.count >= Self.mostPeople { people = people.filter { !isForgotten($0.value, at: now) } }
        if people.count >= Self.mostPeople { people = [:] }
        var person = people[key] ?? Person(meter: PaceMeter(pace), seen: now)
        if isForgotten(person, at: now) { person = Person(meter: PaceMeter(pace), seen: now) }
        defer { people[key] = person }
        person.seen = now
        guard person.lastMessage != message else { return nil }
        person.lastMessage = message
        // Robots answer each other at once; a person may well ask the same again tomorrow.
        let answer = text.hashValue
        let isRepeated = person.lastAnswer == answer && now - person.lastTime < Self.pause
        person.repeats = isRepeated ? person.repeats + 1 : 1
        (person.lastAnswer, person.lastTime) = (answer, now)
        if let rests = person.rests, now - rests >= Self.memory { person.strikes = 0 }
        person.meter.count(at: now)
        let isUsedUp = !person.meter.isReady(at: now)
        guard isUsedUp || person.repeats >= Self.mostRepeats, person.rests.map({ $0 <= now }) ?? true else {
            return nil
        }
        let rest = min(pace.interval * max(pace.burst / 2, 1) * (1 << min(person.strikes, 20)), Self.longestRest)
        person.strikes += 1
        person.repeats = 0
        person.rests = now + rest
        return rest
    }

    private func isForgotten(_ person: Person, at now: Duration) -> Bool {
        now - max(person.seen, person.rests ?? .zero) >= Self.memory
    }
}
