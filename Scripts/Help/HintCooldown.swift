import FoundationEssentials
import Heybot
import Synchronization

/// The users who recently got a hint that the robot doesn't understand them, so that hints don't repeat in a room.
final class HintCooldown: Sendable {
    /// The time between two hints for a user, in seconds.
    private static let rest = 3_600.0
    private static let most = 1_000

    private let dates = Mutex<[User.ID: Date]>([:])

    /// Returns whether a user may get a hint now, and records it.
    func claim(for user: User.ID, at date: Date) -> Bool {
        dates.withLock { dates in
            // Absolute, since the clock may have been set back.
            if let last = dates[user], abs(date.timeIntervalSince(last)) < Self.rest { return false }
            if dates.count >= Self.most { dates = dates.filter { abs(date.timeIntervalSince($0.value)) < Self.rest } }
            if dates.count >= Self.most { dates = [:] }
            dates[user] = date
            return true
        }
    }
}

/// The commands that are hidden from help.
struct HiddenCommands: Sendable {
    private let names: Set<String>

    /// Parses a list of commands separated by commas, each given by its words before the first placeholder, or by its whole
    /// usage if it begins with a placeholder.
    init(_ list: String?) {
        names = Set((list ?? "").split(separator: ",").map { Self.name(of: String($0)) }.filter { !$0.isEmpty })
    }

    /// Returns the commands that aren't hidden.
    func shown(_ commands: [AvailableCommand]) -> [AvailableCommand] { commands.filter { !include($0.line.usage) } }

    func include(_ usage: String) -> Bool { names.contains(Self.name(of: usage)) }

    private static func name(of usage: String) -> String {
        let head = HelpText.head(of: usage)
        return head.isEmpty ? String(oneLine: usage.lowercased(), limit: 200) : head
    }
}
