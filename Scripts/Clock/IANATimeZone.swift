import FoundationEssentials
import HeybotDates

/// A time zone of the system's database, such as `Europe/Berlin`.
struct IANATimeZone: Sendable {
    let name: String
    /// The offsets and their transitions.
    let rules: TimeZoneData

    private init(_ name: String, _ rules: TimeZoneData) {
        (self.name, self.rules) = (name, rules)
    }

    /// UTC, which needs no database.
    private static let utc = IANATimeZone("UTC", TimeZoneData.utc)

    /// Looks up a zone by name, ignoring case; nil if there is none.
    init?(named name: String) {
        let folded = name.lowercased()
        if let known = Self.names.first(where: { $0.lowercased() == folded }), let rules = Self.rules(at: known) {
            self.init(known, rules)
        } else if folded == "utc" {
            self = Self.utc
        } else {
            return nil
        }
    }

    /// Looks up a zone by a city or an abbreviation; nil if there is none.
    init?(of place: String) {
        let typed = place.lowercased().replacing(" ", with: "_")
        if let meant = Self.abbreviations[typed], let zone = IANATimeZone(named: meant) {
            self = zone
            return
        }
        let found = Self.names.filter { $0.lowercased() == typed || $0.lowercased().hasSuffix("/\(typed)") }
        // Of several zones, prefer the exact name, or else the one with the most components: the others are old aliases of it.
        let best = found.max { Self.rank($0, typed) < Self.rank($1, typed) }
        guard let best, let zone = IANATimeZone(named: best) else { return nil }
        self = zone
    }

    private static func rank(_ name: String, _ typed: String) -> Int {
        name.lowercased() == typed ? 100 : name.utf8.count { $0 == UInt8(ascii: "/") }
    }

    /// The machine's time zone: from `TZ`, or else `/etc/localtime`, or else UTC.
    static let ofSystem: IANATimeZone = {
        let variable = ProcessInfo.processInfo.environment["TZ"] ?? ""
        let name = String(variable.drop { $0 == ":" })
        if let zone = IANATimeZone(named: name) { return zone }
        if let rule = POSIXTimeZoneRule(name) { return IANATimeZone("local time", TimeZoneData(rule)) }
        let link = "/etc/localtime"
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) ?? ""
        if let end = path.firstRange(of: "zoneinfo/"), let zone = IANATimeZone(named: String(path[end.upperBound...])) {
            return zone
        }
        return rules(inFile: link).map { IANATimeZone("local time", $0) } ?? utc
    }()

    // MARK: The database

    private static let folder = "/usr/share/zoneinfo"

    /// The names of all zones, read once.
    private static let names: [String] = {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        // Other files, and folders with copies of all zones, begin with a lower-case letter.
        return paths.filter { $0.first?.isUppercase == true && $0 != "Factory" }.sorted()
    }()

    private static func rules(at name: String) -> TimeZoneData? { rules(inFile: "\(folder)/\(name)") }

    private static func rules(inFile path: String) -> TimeZoneData? {
        (try? Data(contentsOf: URL(filePath: path))).flatMap { TimeZoneData(tzif: Array($0)) }
    }

    /// Common abbreviations that aren't in the database.
    private static let abbreviations = [
        "est": "America/New_York", "edt": "America/New_York", "cst": "America/Chicago", "cdt": "America/Chicago",
        "mst": "America/Denver", "mdt": "America/Denver", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles",
        "cest": "CET", "bst": "Europe/London", "ist": "Asia/Kolkata", "jst": "Asia/Tokyo", "aest": "Australia/Sydney",
        "gmt": "UTC", "z": "UTC"
    ]
}
