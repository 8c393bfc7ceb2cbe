import FoundationEssentials
import Heybot
import HeybotDates
import Testing

@testable import StandardScripts

@Suite struct LocalMomentTests {
    // As Python's zoneinfo has them. Some are skipped or shown twice, because daylight saving time begins or ends.
    @Test(arguments: [
        ("Europe/Berlin", "2027-03-28 02:30", 1_806_197_400), ("Europe/Berlin", "2026-10-25 02:30", 1_792_888_200),
        ("Europe/Berlin", "2027-03-28 09:00", 1_806_217_200), ("Europe/Berlin", "2026-10-25 09:00", 1_792_915_200),
        ("America/New_York", "2027-03-14 02:30", 1_805_009_400),
        ("America/New_York", "2026-11-01 01:30", 1_793_511_000),
        ("Australia/Lord_Howe", "2026-10-04 02:15", 1_791_042_300),
        ("Australia/Lord_Howe", "2027-04-04 01:45", 1_806_763_500),
        ("America/Nuuk", "2027-03-27 23:30", 1_806_197_400), ("Asia/Kathmandu", "2026-11-23 09:00", 1_795_403_700),
        ("Pacific/Kiritimati", "2026-11-23 00:30", 1_795_343_400), ("Etc/GMT+12", "2026-11-23 23:30", 1_795_519_800),
        ("UTC", "1969-12-31 23:59", -60)
    ])
    func `a moment is a time in a zone`(_ name: String, _ text: String, _ seconds: Int) throws {
        let zone = try #require(IANATimeZone(named: name))
        let moment = try #require(LocalMoment(text))
        #expect(zone.date(of: moment) == Date(timeIntervalSince1970: Double(seconds)))
    }

    @Test func `a time is a moment in a zone`() throws {
        let zone = try #require(IANATimeZone(named: "Europe/Berlin"))
        #expect(zone.moment(at: Date(timeIntervalSince1970: 1_806_217_259)).description == "2027-03-28 09:00")
        #expect(zone.moment(at: Date(timeIntervalSince1970: -1)).description == "1970-01-01 00:59")
        // Whatever the brain has must not end the robot.
        _ = zone.moment(at: Date(timeIntervalSince1970: 1e300))
        _ = zone.moment(at: Date(timeIntervalSince1970: -1e300))
    }

    @Test(arguments: ["2026-11-23 09:00", "2028-02-29 23:59", "1969-12-31 00:00", "0001-01-01 00:00"])
    func `a moment is stored as text`(_ text: String) throws {
        let moment = try #require(LocalMoment(text))
        #expect(moment.description == text)
        let stored = try JSONEncoder().encode([moment])
        #expect(String(decoding: stored, as: UTF8.self) == "[\"\(text)\"]")
        #expect(try JSONDecoder().decode([LocalMoment].self, from: stored) == [moment])
    }

    @Test(arguments: [
        "", "2026-11-23", "2027-02-29 09:00", "2026-13-01 09:00", "2026-00-10 09:00", "2026-04-31 09:00",
        "2026-11-23 24:00", "2026-11-23 09:60", "2026-11-23T09:00", "99999-11-23 09:0"
    ])
    func `other texts are no moments`(_ text: String) {
        #expect(LocalMoment(text) == nil)
    }
}
