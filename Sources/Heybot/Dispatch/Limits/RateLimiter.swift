import HeybotSupport

/// Keeps one person from using the robot up, and two robots from talking with each other forever.
///
/// So many commands are free, answered or not. Somebody who wants more, for whom many lines wait to be said already, or who
/// gets the same answer again and again, isn't heard for a while, each time for longer.
struct RateLimiter: Sendable {
    private struct Person {
        var meter: PaceMeter
        var rests: Duration?
        /// How often they had to rest in a row.
        var strikes = 0
        /// The latest messages that were counted.
        var counted: [String] = []
        /// The latest message that was answered.
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
    private static let mostCounted = 20
    /// The lines that may wait for somebody when another answer for them comes.
    private static let mostLines = 20

    private let pace: Pace
    private var people: [String: Person] = [:]

    /// - Parameter pace: How many commands at once, and how soon another.
    init(_ pace: Pace) { self.pace = pace }

    /// Whether what somebody says may be heard.
    func admits(_ key: String, at now: Duration) -> Bool {
        if people.isEmpty { return true }
        return people[key]?.rests.map { $0 <= now } ?? true
    }

    /// Counts a command of somebody as it is handed to the robot.
    ///
    /// - Parameters:
    ///   - key: Who it is.
    ///   - message: What the message is called.
    /// - Returns: For how long they aren't heard from now on; nil if they are.
    mutating func asked(_ key: String, _ message: String, at now: Duration) -> Duration? {
        let pace = pace
        return change(key, at: now) { person in
            // Some ids are the sender's choice: the same one again is another command all the same.
            person.counted.removeAll { $0 == message }
            if person.lastMessage == message { person.lastMessage = nil }
            Self.count(message, &person, at: now)
            return Self.rest(person.meter.isReady(at: now) ? nil : pace, &person, at: now)
        }
    }

    /// Counts an answer to somebody, what belongs to one message as one; a message that was counted as a command costs
    /// nothing more.
    ///
    /// - Parameter lines: How many lines waited to be said to them before this answer.
    /// - Returns: For how long they aren't heard from now on; nil if they are.
    mutating func answered(
        _ key: String, _ message: String, with text: String, lines: Int = 0, at now: Duration
    ) -> Duration? {
        let pace = pace
        return change(key, at: now) { person in
            guard person.lastMessage != message else { return nil }
            person.lastMessage = message
            // Robots answer each other at once; a person may well ask the same again tomorrow.
            let answer = text.hashValue
            let isRepeated = person.lastAnswer == answer && now - person.lastTime < Self.pause
            person.repeats = isRepeated ? person.repeats + 1 : 1
            (person.lastAnswer, person.lastTime) = (answer, now)
            Self.count(message, &person, at: now)
            let isTooMuch =
                !person.meter.isReady(at: now) || person.repeats >= Self.mostRepeats || lines >= Self.mostLines
            return Self.rest(isTooMuch ? pace : nil, &person, at: now)
        }
    }

    private mutating func change(
        _ key: String, at now: Duration, _ change: (inout Person) -> Duration?
    ) -> Duration? {
        if people.count >= Self.mostPeople { people = people.filter { !isForgotten($0.value, at: now) } }
        // Those who rest go on doing so, however many come.
        if people.count >= Self.mostPeople { people = people.filter { ($0.value.rests ?? .zero) > now } }
        if people.count >= 2 * Self.mostPeople { people = [:] }
        var person = people[key] ?? Person(meter: PaceMeter(pace), seen: now)
        if isForgotten(person, at: now) { person = Person(meter: PaceMeter(pace), seen: now) }
        defer { people[key] = person }
        person.seen = now
        return change(&person)
    }

    /// Counts a message once.
    private static func count(_ message: String, _ person: inout Person, at now: Duration) {
        if person.counted.contains(message) { return }
        if person.counted.count >= Self.mostCounted { person.counted.removeFirst() }
        person.counted.append(message)
        person.meter.count(at: now)
    }

    /// Has them rest, unless they do.
    private static func rest(_ pace: Pace?, _ person: inout Person, at now: Duration) -> Duration? {
        guard let pace, person.rests.map({ $0 <= now }) ?? true else { return nil }
        if let rests = person.rests, now - rests >= Self.memory { person.strikes = 0 }
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
