import FoundationEssentials
import Heybot

/// How we stand with the Campfire.
struct Standing: Sendable {
    private(set) var status = AdapterStatus.starting

    mutating func succeed(at time: Date) {
        if case .up = status { return }
        status = .up(since: time)
    }

    mutating func fail(_ reason: String, at time: Date) {
        if case .down(let since, _) = status {
            status = .down(since: since, reason: reason)
        } else {
            status = .down(since: time, reason: reason)
        }
    }
}
