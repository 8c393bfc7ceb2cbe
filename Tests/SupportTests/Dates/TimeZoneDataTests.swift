import Foundation
import HeybotDates
import Testing

extension TimeZoneData {
    /// Reads a zone of the system's database.
    static func named(_ name: String) throws -> TimeZoneData {
        let bytes = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(name)")))
        return try #require(TimeZoneData(tzif: bytes))
    }

    /// Returns the time at which clocks show a moment.
    func time(_ text: String) throws -> Int { time(of: try #require(LocalMoment(text))) }
}

@Suite struct TimeZoneDataTests {
    // As Python's zoneinfo has them.
    @Test(arguments: [
        ("Europe/Berlin", 1_743_296_399, 3_600, "CET"), ("Europe/Berlin", 1_743_296_400, 7_200, "CEST"),
        ("Europe/Berlin", 4_108_000_000, 3_600, "CET"), ("Europe/Berlin", 4_118_000_000, 7_200, "CEST"),
        ("America/New_York", 1_741_503_599, -18_000, "EST"), ("America/New_York", 1_741_503_600, -14_400, "EDT"),
        ("Australia/Sydney", 1_767_225_600, 39_600, "AEDT"), ("Australia/Sydney", 4_102_444_800, 39_600, "AEDT"),
        ("Australia/Sydney", 4_118_000_000, 36_000, "AEST"), ("Asia/Kolkata", 0, 19_800, "IST"),
        ("Europe/Dublin", 4_118_000_000, 3_600, "IST"), ("Europe/Dublin", 4_102_444_800, 0, "GMT"),
        ("Europe/London", 0, 3_600, "BST"), ("America/Nuuk", 4_118_000_000, -3_600, "-01")
    ])
    func `a zone has its offset at a time`(_ name: String, _ time: Int, _ seconds: Int, _ abbreviation: String) throws {
        let zone = try TimeZoneData.named(name)
        #expect(zone.offset(at: time) == TimeZoneData.Offset(seconds: seconds, abbreviation: abbreviation))
    }

    @Test func `a POSIX rule defines daylight saving time`() throws {
        let rule = try #require(POSIXTimeZoneRule("CET-1CEST,M3.5.0,M10.5.0/3"))
        #expect(rule.offset(at: 1_743_296_399).abbreviation == "CET")
        #expect(rule.offset(at: 1_743_296_400).abbreviation == "CEST")
        #expect(rule.offset(at: 1_761_440_399).abbreviation == "CEST")
        #expect(rule.offset(at: 1_761_440_400).abbreviation == "CET")
        #expect(POSIXTimeZoneRule("<+0330>-3:30")?.offset(at: 0).seconds == 12_600)
        for text in [
            "", "CET", "-1", "CET-1CEST", "CET-1CEST,M13.1.0,M10.5.0", "CET-999", "CET-1CEST,,", "CET-1:60",
            "CET-1CEST,J366,J1", "CET-25"
        ] {
            #expect(POSIXTimeZoneRule(text) == nil, "\(text)")
        }
    }

    @Test func `daylight saving time can last all year, or begin on a numbered day`() throws {
        // RFC 9636, section 3.3.1.
        let always = try #require(POSIXTimeZoneRule("XXX3EDT4,0/0,J365/23"))
        for time in stride(from: 0, to: 2 * 366 * 86_400, by: 40_000) {
            #expect(always.offset(at: time).abbreviation == "EDT")
        }
        // 1 March is day 60 in any year, and day 59 from 0 in a year without a leap day.
        let rule = try #require(POSIXTimeZoneRule("AAA0BBB,J60/0,J300/0"))
        let zone = TimeZoneData(rule)
        for year in ["2027", "2028"] {
            #expect(zone.offset(at: try zone.time("\(year)-02-28 23:00")).abbreviation == "AAA")
            #expect(zone.offset(at: try zone.time("\(year)-03-01 02:00")).abbreviation == "BBB")
        }
    }

    @Test func `the next transition comes from the table, and then from the rule`() throws {
        let zone = try TimeZoneData.named("Europe/Berlin")
        #expect(zone.nextTransition(after: 1_743_296_399) == 1_743_296_400)
        #expect(zone.nextTransition(after: 1_743_296_400) == 1_761_440_400)
        // 30 March 2098, and 26 October 2098.
        let spring = try #require(zone.nextTransition(after: 4_040_000_000))
        #expect(zone.offset(at: spring - 1) != zone.offset(at: spring))
        #expect(TimeZoneData.utc.nextTransition(after: 0) == nil)
    }

    @Test func `clocks show a moment once, twice or not at all`() throws {
        let zone = try TimeZoneData.named("Europe/Berlin")
        let noon = try #require(LocalMoment("2027-03-28 12:00"))
        #expect(zone.times(of: noon) == .once(1_806_228_000))
        let skipped = try #require(LocalMoment("2027-03-28 02:30"))
        #expect(zone.times(of: skipped) == .skipped(1_806_197_400))
        #expect(zone.moment(at: 1_806_197_400).description == "2027-03-28 03:30")
        let repeated = try #require(LocalMoment("2026-10-25 02:30"))
        #expect(zone.times(of: repeated) == .twice(first: 1_792_888_200, second: 1_792_891_800))
    }

    @Test func `a day that a zone skipped is the next one`() throws {
        // Samoa had no 30 December 2011.
        let zone = try TimeZoneData.named("Pacific/Apia")
        let time = try zone.time("2011-12-30 12:00")
        #expect(zone.moment(at: time).description == "2011-12-31 12:00")
    }

    @Test func `transitions can be at any time, but offsets are about a day at most`() throws {
        func bytes(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        func header(transitions: Int32) -> [UInt8] {
            let counts: [Int32] = [0, 0, 0, transitions, 1, 4]
            return Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts.flatMap { bytes($0) }
        }
        func file(offset: Int32) -> [UInt8] {
            let type: [UInt8] = bytes(offset) + [0, 0] + Array("AAA\0".utf8)
            var file = header(transitions: 0) + type + header(transitions: 2)
            file += bytes(Int64.min) + bytes(Int64.max) + [0, 0]
            return file + type + Array("\n\n".utf8)
        }
        let zone = try #require(TimeZoneData(tzif: file(offset: 3_600)))
        #expect(zone.offset(at: 0).seconds == 3_600)
        #expect(zone.nextTransition(after: 0) == Int.max)
        #expect(Recurrence.calendar(.days(every: 1, from: 0), minutes: [60]).next(after: 0, in: zone) == 86_400)
        for offset in [Int32.min, -90_000, 93_600, .max] { #expect(TimeZoneData(tzif: file(offset: offset)) == nil) }
    }

    @Test func `a file that was cut or changed breaks nothing`() throws {
        let bytes = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")))
        for count in 0..<bytes.count { _ = TimeZoneData(tzif: Array(bytes.prefix(count)))?.offset(at: 0) }
        for index in 0..<bytes.count {
            var changed = bytes
            changed[index] ^= 0xFF
            guard let zone = TimeZoneData(tzif: changed) else { continue }
            _ = zone.offset(at: 1_743_296_400)
            _ = zone.nextTransition(after: 1_743_296_400)
            _ = Recurrence.calendar(.days(every: 1, from: 0), minutes: [150]).next(after: 1_743_296_400, in: zone)
        }
    }
}

@Suite struct CivilDateTests {
    @Test func `days and dates are each other's inverse`() {
        for days in stride(from: -800_000, through: 800_000, by: 7_919) {
            #expect(CivilDate(days: days).days == days)
        }
        #expect(CivilDate(days: 0) == CivilDate(year: 1970, month: 1, day: 1))
        #expect(CivilDate(days: 0).weekday == .thursday)
        #expect(CivilDate(days: -5).weekday == .saturday)
        #expect(CivilDate(year: 2000, month: 2, day: 29).days == 11_016)
    }

    @Test func `months have their lengths`() {
        #expect(CivilDate(year: 2027, month: 2, day: 1).daysInMonth == 28)
        #expect(CivilDate(year: 2028, month: 2, day: 1).daysInMonth == 29)
        #expect(CivilDate(year: 2100, month: 2, day: 1).daysInMonth == 28)
        #expect(CivilDate(year: 2026, month: 12, day: 31).daysInMonth == 31)
        #expect(!CivilDate(year: 2027, month: 2, day: 29).exists)
        #expect(!CivilDate(year: 2027, month: 99, day: 1).exists)
    }

    @Test func `a month later is the same day, or the last one`() {
        let day = CivilDate(year: 2027, month: 12, day: 31)
        #expect(day.addingMonths(1) == CivilDate(year: 2028, month: 1, day: 31))
        #expect(day.addingMonths(2) == CivilDate(year: 2028, month: 2, day: 29))
        #expect(day.addingMonths(-1) == CivilDate(year: 2027, month: 11, day: 30))
        #expect(day.addingMonths(-12) == CivilDate(year: 2026, month: 12, day: 31))
    }
}
