import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

// The listings of the guide to timers and schedules.

struct TeaKitchen: Script {
    struct Cup: Codable, Sendable {
        let room: Room.ID
        let user: String
    }

    static let ready = ScheduledJob<Cup>("tea.ready")

    func register(on robot: inout RobotBuilder) {
        robot.respond(/tea$/, help: "tea - Make tea", example: "tea") { res in
            let cup = Cup(room: res.message.room.id, user: res.message.user.name)
            try await res.robot.schedule(Self.ready, cup, needing: cup.room.adapter, after: .minutes(4))
            try await res.reply("In four minutes.")
        }

        robot.on(Self.ready) { timer, robot in
            let excuse = timer.lateness > .zero ? " (Sorry, I was away.)" : ""
            try await robot.messageRoom(timer.payload.room, "\(timer.payload.user): Your tea is ready.\(excuse)")
        }
    }
}

struct School: Script {
    /// Weekdays, as numbers from 0 for Sunday, at 8:00 UTC.
    struct Weekdays: Codable, Sendable {
        let days: Set<Int>

        func first(after date: Date) -> Date? {
            let today = Int((date.timeIntervalSince1970 / 86_400).rounded(.down))
            return (today...today + 7).filter { days.contains(($0 + 4) % 7) }
                .map { Date(timeIntervalSince1970: Double($0 * 86_400 + 8 * 3_600)) }.first { $0 > date }
        }
    }

    static let bell = ScheduledJob<Weekdays>("school.bell")

    func register(on robot: inout RobotBuilder) {
        robot.on(Self.bell, next: { weekdays, date in weekdays.first(after: date) }) { timer, robot in
            try await robot.messageRoom("#school", "Ding!")
        }
    }
}

@Suite struct TimerListingTests {
    @Test func `the tea is ready after four minutes`() async {
        let robot = TestRobot(name: "hubot", TeaKitchen())
        #expect(await robot.hears("hubot tea") == [.reply("In four minutes.")])
        #expect(await robot.advance(by: .seconds(239)) == [])
        #expect(await robot.advance(by: .seconds(1)).map(\.utterance) == [.text("alice: Your tea is ready.")])
    }

    @Test func `the bell rings on its days`() async throws {
        let robot = TestRobot(School())
        _ = await robot.advance(by: .zero)
        // The clock begins on Monday, 2001-01-01.
        try await robot.robot.schedule(School.bell, School.Weekdays(days: [1, 2]))
        #expect(await robot.advance(by: .hours(8)).count == 1)
        #expect(await robot.advance(by: .hours(24)).count == 1)
        #expect(await robot.advance(by: .hours(24)).count == 0)
    }
}
