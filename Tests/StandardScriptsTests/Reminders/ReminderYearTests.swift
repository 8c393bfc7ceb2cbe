import Foundation
import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import StandardScripts

private let python = "/usr/bin/python3"
private let canCompare = ["/usr/share/zoneinfo/Europe/Berlin", python].allSatisfy(
    FileManager.default.isReadableFile(atPath:))

/// A simulated year of reminders, at the times that Python's `zoneinfo` computes: 200 in each zone, 10,000 with
/// `bin/test --soak`.
///
/// The clock begins on 1 January 2001, at 0:00 UTC.
@Suite(.timeLimit(.minutes(55))) struct ReminderYearTests {
    private static let count = Soak.rounds(200, soak: 10_000)
    /// The number of reminders for one minute.
    private static let countAtOnce = 4
    /// The number of reminders of one person, of which 50 are allowed.
    private static let countPerPerson = 40
    private static let weekly = "Reminder from weekly: the week ends"

    @Test(
        .enabled(if: canCompare),
        arguments: [
            "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/St_Johns", "America/Sao_Paulo",
            "America/Santiago", "Asia/Tehran", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Chatham"
        ])
    func `in each time zone, each reminder comes once, at its second`(_ zone: String) async throws {
        let year = try await Self.year(in: zone)
        let robot = TestRobot(
            name: "hubot", settings: ["TIME_ZONE": zone], limits: .forBusyMachine, Reminders())
        let answer = await robot.hears(
            "hubot remind us every sunday at 02:30 that the week ends", from: "weekly", in: "#weekly")
        #expect(answer.first?.content.hasPrefix("OK, ") == true, "\(zone): \(answer)")
        var due: [Int: [String]] = [:]
        for time in year.sundays { due[time, default: []].append(Self.weekly) }
        for number in 0..<Self.count {
            let moment = year.moments[number / Self.countAtOnce]
            let (text, user) = (Self.word(number), "u\(number / Self.countPerPerson)")
            let answers = await robot.hears("hubot remind me \(moment.words) to \(text)", from: user, in: "#\(user)")
            try #require(answers.first?.content.hasPrefix("OK, ") == true, "\(zone), \(moment.words): \(answers)")
            due[moment.time, default: []].append("Reminder: \(text)")
        }
        #expect(due.values.map(\.count).reduce(0, +) == Self.count + year.sundays.count)

        var said = robot.lines.count
        for time in due.keys.sorted() {
            // What comes at another time than Python's is among these lines too.
            let offset = Duration.seconds(time - 978_307_200)
            await robot.jump(to: offset - .seconds(1))
            #expect(robot.lines.count == said, "\(zone), before \(time): \(robot.lines.dropFirst(said))")
            said = robot.lines.count
            _ = await robot.advance(by: offset + .milliseconds(500) - robot.clock.now.offset)
            let lines = robot.lines.dropFirst(said).map(\.utterance.content)
            #expect(lines.sorted() == due[time]?.sorted(), "\(zone), at \(time)")
            said = robot.lines.count
        }
        await robot.jump(to: .hours(24 * 366))
        #expect(robot.lines.count == said)
        // Only the one that recurs is left.
        var left: [String] = []
        for try await timer in robot.robot.scheduledTimers(of: ReminderBook.due) { left.append(timer.payload.text) }
        #expect(left == ["the week ends"])
        #expect(robot.loggedProblems == [])
    }

    // MARK: Python's times

    /// The times of a year, in seconds since 1970.
    private struct Year {
        /// What users write, and when that is.
        var moments: [(words: String, time: Int)] = []
        /// The Sundays at 2:30.
        var sundays: [Int] = []
    }

    private static func year(in zone: String) async throws -> Year {
        let words = [python, "-c", program, zone, "\(count / countAtOnce)"]
        let output = try await ChildProcess.run(words, in: try ScratchFolder())
        var year = Year()
        for line in output.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            let time = try #require(parts.first.flatMap { Int($0) }, "\(line)")
            let words = String(try #require(parts.last))
            if words == "sunday" { year.sundays.append(time) } else { year.moments.append((words, time)) }
        }
        try #require(year.moments.count == count / countAtOnce && year.sundays.count == 52)
        return year
    }

    /// Prints lines such as `985480200 on 25 March 2001 at 02:30`: half of the times are near those at which clocks change.
    private static let program = """
        import datetime, random, sys, zoneinfo

        name, count = sys.argv[1], int(sys.argv[2])
        zone, dice, minute = zoneinfo.ZoneInfo(name), random.Random(name), datetime.timedelta(minutes=1)
        start = 978307200

        def seconds(moment):
            # Of a moment that clocks show twice it is the first time, and what they skip comes as much later.
            return int(moment.replace(tzinfo=zone).timestamp())

        def local(time):
            return datetime.datetime.fromtimestamp(time, zone)

        hours = range(start + 48 * 3600, start + 363 * 86400, 3600)
        changes = [local(time).replace(tzinfo=None) for time in hours
                   if local(time).utcoffset() != local(time + 3600).utcoffset()]
        for _ in range(count):
            if changes and dice.random() < 0.5:
                moment = dice.choice(changes).replace(minute=0) + dice.randrange(-120, 240) * minute
            else:
                moment = datetime.datetime(2001, 1, 2) + dice.randrange(363 * 1440) * minute
            print(seconds(moment), f"on {moment.day} {moment:%B} {moment.year} at {moment:%H:%M}")
        for day in range(365):
            moment = datetime.datetime(2001, 1, 1, 2, 30) + datetime.timedelta(days=day)
            if moment.weekday() == 6:
                print(seconds(moment), "sunday")
        """

    /// A word that can't be a part of a time.
    private static func word(_ number: Int) -> String {
        let letters = Array("bcdfghkmnp")
        return "q" + String("\(number)".compactMap(\.wholeNumberValue).map { letters[$0] })
    }
}
