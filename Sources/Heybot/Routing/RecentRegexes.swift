import Synchronization

/// The patterns whose regexes were made last; older ones drop theirs.
///
/// A regex takes some 20 KB with its compiled program, and a tenth of a millisecond to make. Most listeners are needed rarely or
/// never, so only those in use have one.
final class RecentRegexes: Sendable {
    /// A pattern that has a regex; nil if its script has been replaced.
    private struct Place {
        weak var pattern: (any RegexOwner)?
    }

    private struct State {
        /// A ring, once there are as many as may be.
        var places: [Place] = []
        /// The place of the pattern whose regex was made first.
        var oldest = 0
    }

    /// The greatest number of regexes.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 1_000) { self.limit = max(limit, 1) }

    /// Records that a pattern has made its regex; the pattern whose regex is the oldest drops it if there are too many.
    func insert(_ pattern: any RegexOwner) {
        let dropped = state.withLock { state -> (any RegexOwner)? in
            guard state.places.count >= limit else {
                state.places.append(Place(pattern: pattern))
                return nil
            }
            let dropped = state.places[state.oldest].pattern
            state.places[state.oldest] = Place(pattern: pattern)
            state.oldest = (state.oldest + 1) % limit
            return dropped
        }
        dropped?.dropRegex()
    }
}

/// A pattern that can make its regex again.
protocol RegexOwner: AnyObject, Sendable {
    /// Drops the regex until a message needs it again.
    func dropRegex()
}
