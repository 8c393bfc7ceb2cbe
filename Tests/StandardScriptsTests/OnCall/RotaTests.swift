import FoundationEssentials
import Heybot
import HeybotDates
import Testing

@testable import StandardScripts

@Suite struct RotaTests {
    private let ada = Self.user("ada")
    private let bob = Self.user("bob")
    private let grace = Self.user("grace")

    private static func user(_ name: String) -> User {
        User(id: User.ID(adapter: "irc", value: name), name: name)
    }

    private func rota(_ people: User..., every days: Int = 7, from start: String = "2026-11-23 09:00") throws -> Rota {
        let room = Room.ID(adapter: "irc", value: "#ops")
        return Rota(people: people, days: days, start: try #require(LocalMoment(start)), room: room)
    }

    private func zone(_ name: String = "UTC") throws -> IANATimeZone { try #require(IANATimeZone(named: name)) }

    private func date(_ text: String, _ zone: String = "UTC") throws -> Date {
        try self.zone(zone).date(of: try #require(LocalMoment(text)))
    }

    private func onCall(_ rota: Rota, _ text: String, _ zone: String = "UTC") throws -> String? {
        rota.onCall(at: try date(text, zone), in: try self.zone(zone))?.name
    }

    private func exception(_ user: User, _ start: String, _ end: String) throws -> Rota.Override {
        Rota.Override(user: user, start: try date(start), end: try date(end))
    }

    // MARK: Turns

    @Test func `people take turns`() throws {
        let rota = try rota(ada, grace, bob)
        #expect(try onCall(rota, "2026-11-23 09:00") == "ada")
        #expect(try onCall(rota, "2026-11-30 08:59") == "ada")
        #expect(try onCall(rota, "2026-11-30 09:00") == "grace")
        #expect(try onCall(rota, "2026-12-07 09:00") == "bob")
        #expect(try onCall(rota, "2026-12-14 09:00") == "ada")
        #expect(try onCall(rota, "2036-12-01 09:00") == "grace")
    }

    @Test func `until the first turn begins, the first person is on call`() throws {
        let rota = try rota(ada, grace)
        for text in ["2026-11-23 08:59", "2026-11-20 12:00", "2026-11-10 12:00", "1999-01-01 00:00"] {
            #expect(try onCall(rota, text) == "ada")
        }
    }

    @Test func `a week is an hour shorter or longer when daylight saving time begins or ends`() throws {
        let berlin = try zone("Europe/Berlin")
        func onCall(_ rota: Rota, _ seconds: Double) -> String? {
            rota.onCall(at: Date(timeIntervalSince1970: seconds), in: berlin)?.name
        }
        // 9:00 on Monday is 8:00 UTC before 28 March 2027, and 7:00 UTC after it.
        let spring = try rota(ada, grace, from: "2027-03-22 09:00")
        #expect(onCall(spring, 1_805_702_400) == "ada")
        #expect(onCall(spring, 1_806_303_599) == "ada")
        #expect(onCall(spring, 1_806_303_600) == "grace")
        // 9:00 on Monday is 7:00 UTC before 25 October 2026, and 8:00 UTC after it.
        let autumn = try rota(ada, grace, from: "2026-10-19 09:00")
        #expect(onCall(autumn, 1_793_001_599) == "ada")
        #expect(onCall(autumn, 1_793_001_600) == "grace")
    }

    @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Nuuk", "UTC"])
    func `each handover is on a Monday at 9:00`(_ name: String) throws {
        let zone = try zone(name)
        var now = try date("2026-11-23 09:00", name)
        let rota = try rota(ada, grace, bob)
        for number in 0..<160 {
            let moment = zone.moment(at: now)
            #expect(moment.minutes == 9 * 60)
            #expect(CivilDate(days: moment.days).weekday == .monday)
            let shift = try #require(rota.shifts(from: now, in: zone, atMost: 1).first)
            #expect(shift.user == [ada, grace, bob][number % 3])
            now = try #require(shift.end)
        }
    }

    @Test func `a handover at a time that is skipped or shown twice happens once`() throws {
        let berlin = try zone("Europe/Berlin")
        let daily = try rota(ada, grace, every: 1, from: "2027-03-27 02:30")
        // Clocks skip from 2:00 to 3:00, at 1:00 UTC.
        #expect(daily.onCall(at: Date(timeIntervalSince1970: 1_806_197_399), in: berlin) == ada)
        #expect(daily.onCall(at: Date(timeIntervalSince1970: 1_806_197_400), in: berlin) == grace)
        #expect(try onCall(daily, "2027-03-29 02:30", "Europe/Berlin") == "ada")
        // Clocks show 2:30 at 0:30 and at 1:30 UTC.
        let autumn = try rota(ada, grace, every: 1, from: "2026-10-24 02:30")
        #expect(autumn.onCall(at: Date(timeIntervalSince1970: 1_792_888_199), in: berlin) == ada)
        #expect(autumn.onCall(at: Date(timeIntervalSince1970: 1_792_888_200), in: berlin) == grace)
        #expect(autumn.onCall(at: Date(timeIntervalSince1970: 1_792_888_200 + 3_600), in: berlin) == grace)
    }

    @Test func `leap days are days`() throws {
        let leap = try rota(ada, grace, bob, every: 1, from: "2028-02-28 09:00")
        #expect(try onCall(leap, "2028-02-28 12:00") == "ada")
        #expect(try onCall(leap, "2028-02-29 12:00") == "grace")
        #expect(try onCall(leap, "2028-03-01 12:00") == "bob")
        // 2100 has none.
        let common = try rota(ada, grace, bob, every: 1, from: "2100-02-28 09:00")
        #expect(try onCall(common, "2100-03-01 12:00") == "grace")
        let weekly = try rota(ada, grace, from: "2028-02-29 09:00")
        #expect(try onCall(weekly, "2028-03-07 08:59") == "ada")
        #expect(try onCall(weekly, "2028-03-07 09:00") == "grace")
    }

    @Test(arguments: [0, -7, Int.min, Int.max]) func `whatever the brain has, nothing traps`(_ days: Int) throws {
        let zone = try zone()
        let rota = try rota(ada, grace, every: days)
        for seconds in [-1e300, 0, 1.8e9, 1e300] as [Double] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(rota.onCall(at: date, in: zone) != nil)
            _ = rota.shifts(from: date, in: zone, atMost: 3)
        }
        let empty = try self.rota(every: days)
        #expect(try onCall(empty, "2026-11-23 09:00") == nil)
        #expect(empty.escalation(at: .now, in: zone) == [])
        #expect(empty.shifts(from: .now, in: zone, atMost: 3) == [])
    }

    // MARK: Exceptions

    @Test func `an exception applies from its beginning until its end`() throws {
        var rota = try rota(ada, grace)
        rota.overrides = [try exception(bob, "2026-11-25 18:00", "2026-11-27 09:00")]
        #expect(try onCall(rota, "2026-11-25 17:59") == "ada")
        #expect(try onCall(rota, "2026-11-25 18:00") == "bob")
        #expect(try onCall(rota, "2026-11-27 08:59") == "bob")
        #expect(try onCall(rota, "2026-11-27 09:00") == "ada")
    }

    @Test func `of two exceptions at a time, the newer one applies`() throws {
        var rota = try rota(ada, grace)
        rota.overrides = [
            try exception(bob, "2026-11-24 09:00", "2026-11-28 09:00"),
            try exception(grace, "2026-11-25 09:00", "2026-11-26 09:00")
        ]
        let shifts = rota.shifts(from: try date("2026-11-23 12:00"), in: try zone(), atMost: 6)
        #expect(shifts.map(\.user) == [ada, bob, grace, bob, ada, grace])
        #expect(try shifts.first?.start == date("2026-11-23 12:00"))
        #expect(try shifts.first?.end == date("2026-11-24 09:00"))
        #expect(try shifts.dropFirst(4).first?.end == date("2026-11-30 09:00"))
    }

    @Test func `who stays on call has one shift, and the only person has it forever`() throws {
        var rota = try rota(ada, grace)
        rota.overrides = [try exception(grace, "2026-11-28 09:00", "2026-11-30 09:00")]
        let shifts = rota.shifts(from: try date("2026-11-24 09:00"), in: try zone(), atMost: 2)
        #expect(shifts.map(\.user) == [ada, grace])
        #expect(try shifts.last?.end == date("2026-12-07 09:00"))
        let alone = try self.rota(ada)
        let (start, zone) = (try date("2026-11-24 09:00"), try zone())
        #expect(alone.shifts(from: start, in: zone, atMost: 2) == [Rota.Shift(user: ada, start: start, end: nil)])
    }

    @Test func `the exceptions that have ended are dropped, and there is a limit for the others`() throws {
        let old = try exception(bob, "2026-11-20 09:00", "2026-11-21 09:00")
        let new = try exception(bob, "2026-11-24 09:00", "2026-11-25 09:00")
        var rota = try rota(ada, grace)
        rota.overrides = [old]
        let now = try date("2026-11-23 09:00")
        #expect(try rota.overriding(with: [new], at: now).overrides == [new])
        let many = Array(repeating: new, count: Rota.mostOverrides)
        #expect(try rota.overriding(with: many, at: now).overrides.count == Rota.mostOverrides)
        #expect(throws: Refusal.self) { try rota.overriding(with: many + [new], at: now) }
    }

    @Test func `an exception can be canceled, but not a turn`() throws {
        var rota = try rota(ada, grace)
        rota.overrides = [try exception(bob, "2026-11-24 09:00", "2026-11-25 09:00")]
        let (now, zone) = (try date("2026-11-24 12:00"), try zone())
        #expect(try onCall(rota, "2026-11-24 12:00") == "bob")
        let changed = try rota.cancelingOverrides(with: bob, at: now, in: zone)
        #expect(try onCall(changed, "2026-11-24 12:00") == "ada")
        #expect(throws: Refusal("bob isn't on call out of turn.")) {
            try changed.cancelingOverrides(with: bob, at: now, in: zone)
        }
        #expect(throws: Refusal("It's ada's turn. Tell me who takes over, and until when.")) {
            try changed.cancelingOverrides(with: ada, at: now, in: zone)
        }
    }

    // MARK: Swapping

    @Test func `two people swap their next shifts, the present one from now on`() throws {
        let (now, zone) = (try date("2026-11-25 12:00"), try zone())
        let swapped = try rota(ada, grace, bob).swapping(bob, ada, at: now, in: zone)
        #expect(try onCall(swapped, "2026-11-25 11:59") == "ada")
        #expect(try onCall(swapped, "2026-11-25 12:00") == "bob")
        #expect(try onCall(swapped, "2026-11-30 09:00") == "grace")
        #expect(try onCall(swapped, "2026-12-07 09:00") == "ada")
        #expect(try onCall(swapped, "2026-12-14 09:00") == "ada")
        #expect(try onCall(swapped, "2026-12-28 09:00") == "bob")
    }

    @Test func `a swap needs two shifts`() throws {
        let (now, zone) = (try date("2026-11-25 12:00"), try zone())
        let rota = try rota(ada, grace)
        #expect(throws: Refusal("bob has no shift to swap.")) { try rota.swapping(ada, bob, at: now, in: zone) }
        #expect(throws: Refusal("That's the same person twice.")) { try rota.swapping(ada, ada, at: now, in: zone) }
        let alone = try self.rota(ada)
        #expect(throws: Refusal.self) { try alone.swapping(ada, bob, at: now, in: zone) }
    }

    // MARK: People who come and go

    @Test func `if another person is removed, the present turn goes on, and so does the order`() throws {
        let (now, zone) = (try date("2026-12-02 12:00"), try zone())
        let full = try rota(ada, grace, bob)
        #expect(try onCall(full, "2026-12-02 12:00") == "grace")
        for (person, next) in [(ada, "bob"), (bob, "ada")] {
            let rest = try full.removing(person, at: now, in: zone)
            #expect(try onCall(rest, "2026-12-02 12:00") == "grace")
            #expect(try onCall(rest, "2026-12-07 08:59") == "grace")
            #expect(try onCall(rest, "2026-12-07 09:00") == next)
            #expect(try onCall(rest, "2026-12-14 09:00") == "grace")
        }
    }

    @Test func `if the person on call is removed, the next one takes over until the handover`() throws {
        var full = try rota(ada, grace, bob)
        full.overrides = [try exception(grace, "2026-12-20 09:00", "2026-12-21 09:00")]
        let rest = try full.removing(grace, at: try date("2026-12-02 12:00"), in: try zone())
        #expect(try onCall(rest, "2026-12-02 12:00") == "bob")
        #expect(try onCall(rest, "2026-12-07 09:00") == "ada")
        #expect(rest.overrides == [])
        #expect(!rest.has(grace.id))
    }

    @Test func `someone who isn't in the rota, or is alone, can't be removed`() throws {
        let (now, zone) = (try date("2026-12-02 12:00"), try zone())
        let pair = try rota(ada, grace)
        #expect(throws: Refusal("bob isn't in that rota.")) { try pair.removing(bob, at: now, in: zone) }
        let alone = try rota(ada)
        #expect(throws: Refusal.self) { try alone.removing(ada, at: now, in: zone) }
    }

    @Test func `a new person's turn comes last`() throws {
        let (now, zone) = (try date("2026-12-02 12:00"), try zone())
        let more = try rota(ada, grace).adding(bob, at: now, in: zone)
        #expect(try onCall(more, "2026-12-02 12:00") == "grace")
        #expect(try onCall(more, "2026-12-07 09:00") == "ada")
        #expect(try onCall(more, "2026-12-14 09:00") == "bob")
        #expect(throws: Refusal("bob is in that rota.")) { try more.adding(bob, at: now, in: zone) }
    }

    @Test func `the person on call is paged first, and who is replaced comes last`() throws {
        var rota = try rota(ada, grace, bob)
        let (now, zone) = (try date("2026-12-02 12:00"), try zone())
        #expect(rota.escalation(at: now, in: zone) == [grace, bob, ada])
        let carol = Self.user("carol")
        rota.overrides = [try exception(carol, "2026-12-01 09:00", "2026-12-03 09:00")]
        #expect(rota.escalation(at: now, in: zone) == [carol, bob, ada, grace])
        rota.overrides = [try exception(ada, "2026-12-01 09:00", "2026-12-03 09:00")]
        #expect(rota.escalation(at: now, in: zone) == [ada, bob, grace])
    }
}
