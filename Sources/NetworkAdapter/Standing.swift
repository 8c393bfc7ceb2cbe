package import FoundationEssentials
package import Heybot

/// How we stand with a network, and what was told of that already.
package struct Standing: Sendable {
    package private(set) var status = AdapterStatus.starting
    /// Since when we have been where we want to be.
    package private(set) var settledAt: Duration?
    /// What was told since all was well last.
    private var told: Set<Trouble> = []
    private let date: @Sendable () -> Date

    package init(date: @escaping @Sendable () -> Date) {
        self.date = date
    }

    /// A visit begins.
    package mutating func begin() { settledAt = nil }

    /// We are where we want to be.
    package mutating func settle(at now: Duration) {
        status = .up(since: date())
        settledAt = now
        told = []
    }

    /// We aren't any more, or not yet; false where that was told already, since all was well last.
    package mutating func fail(_ trouble: Trouble) -> Bool {
        status.fall(trouble.description, at: date())
        return told.count < 100 && told.insert(trouble).inserted
    }
}
