import FoundationEssentials
import Heybot
import Synchronization

/// Who was told lately that the robot doesn't know what they mean, so that a room isn't told again and again.
final class Hints: Sendable {
    /// In seconds.
    private static let rest = 3_600.0
    private static let most = 1_000

    private let dates = Mutex<[User.ID: Date]>([:])

    /// Whether somebody may be told now; they then count as told.
    func claim(for user: User.ID, at date: Date) -> Bool {
        dates.withLock { dates in
            // A clock may have been set back, too.
            if let last = dates[user], abs(date.timeIntervalSince(last)) < Self.rest { return false }
            if dates.count >= Self.most { dates = dates.filter { abs(date.timeIntervalSince($0.value)) < Self.rest } }
            if dates.count >= Self.most { dates = [:] }
            dates[user] = date
            return true
        }
    }
}

/// Commands that help doesn't tell, though they work.
struct HiddenCommands: Sendable {
    private let names: Set<String>

    /// Reads commands with commas between them: the words that each begins with, or all of one that begins with `<`.
    init(_ list: String?) {
        names = Set((list ?? "").split(separator: ",").map { Self.name(of: String($0)) }.filter { !$0.isEmpty })
    }

    /// Those that help does tell.
    func shown(_ offers: [Offer]) -> [Offer] { offers.filter { !include($0.line.usage) } }

    func include(_ usage: String) -> Bool { names.contains(Self.name(of: usage)) }

    private static func name(of usage: String) -> String {
        let head = HelpText.head(of: usage)
        return head.isEmpty ? String(oneLine: usage.lowercased(), limit: 200) : head
    }
}
