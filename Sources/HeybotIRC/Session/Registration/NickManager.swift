/// Chooses nicks: an alternative while another user has the wanted one, and the wanted one as soon as it is free.
struct NickManager: Sendable {
    let wanted: String
    private let alternates: [String]
    /// The current nick; nil before registration.
    private(set) var current: String?
    /// When to request the wanted nick again; nil if that isn't necessary.
    private(set) var retry: Duration?
    private var attempts = 0

    init(_ wanted: String, alternates: [String]) {
        self.wanted = wanted
        self.alternates = alternates
    }

    /// The current nick, or the wanted one before registration.
    var name: String { current ?? wanted }

    func isWanted(by mapping: CaseMapping) -> Bool {
        current.map { mapping.areSame($0, wanted) } ?? true
    }

    func isOurs(_ nick: String, by mapping: CaseMapping) -> Bool {
        current.map { $0 == nick || mapping.areSame($0, nick) } ?? false
    }

    /// Returns the nick to try next after the server has refused one during registration.
    mutating func alternative(longest: Int?) -> String {
        defer { attempts += 1 }
        if attempts < alternates.count { return alternates[attempts] }
        let number = attempts - alternates.count
        // The wanted nick may be refused because it is too long, or because of its characters.
        let plain = String(
            wanted.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || $0.value == 95) })
        let base = number < 3 ? wanted : plain.isEmpty ? "bot" : plain
        let tail = number < 3 ? String(repeating: "_", count: number + 1) : String(number - 1)
        return base.prefix(max((longest ?? 16) - tail.count, 1)) + tail
    }

    /// Records the nick that the server registered.
    mutating func welcome(_ nick: String) { current = nick }

    /// Records a new nick.
    ///
    /// If it isn't the wanted one, that is requested again at `retry`.
    mutating func rename(to nick: String, by mapping: CaseMapping, retry: Duration) {
        current = nick
        self.retry = isWanted(by: mapping) ? nil : retry
    }

    /// Stops requesting the wanted nick.
    mutating func giveUp() { retry = nil }

    /// Schedules the next request for the wanted nick.
    mutating func tryAgain(at time: Duration) { retry = time }
}
