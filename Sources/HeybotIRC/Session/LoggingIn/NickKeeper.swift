/// Gets us the nick we want: another one while somebody has it, and ours as soon as it is free.
struct NickKeeper: Sendable {
    let wanted: String
    private let alternates: [String]
    /// The nick we have; nil until we are welcomed.
    private(set) var current: String?
    /// When to ask for ours again; nil if there is no need.
    private(set) var retry: Duration?
    private var attempts = 0

    init(_ wanted: String, alternates: [String]) {
        self.wanted = wanted
        self.alternates = alternates
    }

    /// What we are called as far as we know.
    var name: String { current ?? wanted }

    func isWanted(by mapping: CaseMapping) -> Bool {
        current.map { mapping.areSame($0, wanted) } ?? true
    }

    func isOurs(_ nick: String, by mapping: CaseMapping) -> Bool {
        current.map { $0 == nick || mapping.areSame($0, nick) } ?? false
    }

    /// What to be called if the server refuses what we asked for last, before it welcomes us.
    mutating func alternative(longest: Int?) -> String {
        defer { attempts += 1 }
        if attempts < alternates.count { return alternates[attempts] }
        let number = attempts - alternates.count
        // One that is refused as it stands may be too long, or begin with what no nick may.
        let plain = String(
            wanted.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || $0.value == 95) })
        let base = number < 3 ? wanted : plain.isEmpty ? "bot" : plain
        let tail = number < 3 ? String(repeating: "_", count: number + 1) : String(number - 1)
        return base.prefix(max((longest ?? 16) - tail.count, 1)) + tail
    }

    /// The server welcomes us by that nick.
    mutating func welcome(_ nick: String) { current = nick }

    /// We are called something else now; the wanted nick is asked for again at `retry` if that isn't it.
    mutating func rename(to nick: String, by mapping: CaseMapping, retry: Duration) {
        current = nick
        self.retry = isWanted(by: mapping) ? nil : retry
    }

    /// Doesn't ask for ours by itself any more.
    mutating func giveUp() { retry = nil }

    /// Asks for ours again then.
    mutating func tryAgain(at time: Duration) { retry = time }
}
