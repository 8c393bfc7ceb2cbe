import FoundationEssentials

/// A time zone of the system's database, such as `Europe/Berlin`.
struct Zone: Sendable {
    let name: String
    private let rules: ZoneRules

    private init(_ name: String, _ rules: ZoneRules) {
        (self.name, self.rules) = (name, rules)
    }

    /// What there is without a database.
    private static let utc = Zone("UTC", ZoneRules(ZoneRule.utc))

    /// The zone of that name, in upper or lower case; nil if there is none.
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

    /// The zone that people mean by the name of a city or an abbreviation; nil if it is none that names a zone.
    init?(of place: String) {
        let typed = place.lowercased().replacing(" ", with: "_")
        if let meant = Self.abbreviations[typed], let zone = Zone(named: meant) {
            self = zone
            return
        }
        let found = Self.names.filter { $0.lowercased() == typed || $0.lowercased().hasSuffix("/\(typed)") }
        // Of several, the whole name, else the one with the most parts, which the others are old names of.
        let best = found.max { Self.rank($0, typed) < Self.rank($1, typed) }
        guard let best, let zone = Zone(named: best) else { return nil }
        self = zone
    }

    private static func rank(_ name: String, _ typed: String) -> Int {
        name.lowercased() == typed ? 100 : name.utf8.count { $0 == UInt8(ascii: "/") }
    }

    /// The zone of this machine: what `TZ` says, else `/etc/localtime`, else UTC.
    static let ofSystem: Zone = {
        let variable = ProcessInfo.processInfo.environment["TZ"] ?? ""
        let name = String(variable.drop { $0 == ":" })
        if let zone = Zone(named: name) { return zone }
        if let rule = ZoneRule(name) { return Zone("local time", ZoneRules(rule)) }
        let link = "/etc/localtime"
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) ?? ""
        if let end = path.firstRange(of: "zoneinfo/"), let zone = Zone(named: String(path[end.upperBound...])) {
            return zone
        }
        return rules(inFile: link).map { Zone("local time", $0) } ?? utc
    }()

    /// What holds there at a time, in seconds since 1970.
    func offset(at time: Int) -> ZoneRules.Offset { rules.offset(at: time) }

    // MARK: The database

    private static let folder = "/usr/share/zoneinfo"

    /// The names of all zones; looked up once.
    private static let names: [String] = {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        // What else is there begins with a small letter, as does what holds everything once more.
        return paths.filter { $0.first?.isUppercase == true && $0 != "Factory" }.sorted()
    }()

    private static func rules(at name: String) -> ZoneRules? { rules(inFile: "\(folder)/\(name)") }

    private static func rules(inFile path: String) -> ZoneRules? {
        (try? Data(contentsOf: URL(filePath: path))).flatMap { ZoneRules(tzif: Array($0)) }
    }

    /// What people call zones that the database names otherwise.
    private static let abbreviations = [
        "est": "America/New_York", "edt": "America/New_York", "cst": "America/Chicago", "cdt": "America/Chicago",
        "mst": "America/Denver", "mdt": "America/Denver", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles",
        "cest": "CET", "bst": "Europe/London", "ist": "Asia/Kolkata", "jst": "Asia/Tokyo", "aest": "Australia/Sydney",
        "gmt": "UTC", "z": "UTC"
    ]
}
