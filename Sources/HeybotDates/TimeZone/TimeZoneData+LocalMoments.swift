extension TimeZoneData {
    /// The times at which clocks show a moment.
    package enum Times: Hashable, Sendable {
        /// Clocks show the moment once.
        case once(Int)
        /// Clocks show the moment twice, because they are set back.
        case twice(first: Int, second: Int)
        /// Clocks skip the moment, because they are set forward.
        ///
        /// The time is as long after the change as the moment is after the beginning of what is skipped.
        case skipped(Int)

        /// The time that the moment means (RFC 5545 section 3.3.5): the first one, or the one after what is skipped.
        package var meant: Int {
            switch self {
            case .once(let time), .skipped(let time): time
            case .twice(let first, _): first
            }
        }
    }

    /// The earliest and the latest time that moments are calculated for: the years 1 and 33,658.
    package static let calculable = -62_135_596_800...1_000_000_000_000

    /// Returns what clocks show at a time, in seconds since 1970.
    package func moment(at time: Int) -> LocalMoment {
        let local = shownSeconds(at: time)
        let days = local.dividedDown(by: 86_400)
        return LocalMoment(days: days, minutes: (local - days * 86_400) / 60)
    }

    /// Returns the seconds from 1 January 1970, 00:00 until the moment that clocks show.
    func shownSeconds(at time: Int) -> Int {
        let time = Self.bounded(time)
        return time + offset(at: time).seconds
    }

    /// Returns the time that a moment means, in seconds since 1970.
    package func time(of moment: LocalMoment) -> Int { times(of: moment).meant }

    /// Returns the times at which clocks show a moment, in seconds since 1970.
    package func times(of moment: LocalMoment) -> Times {
        let days = min(max(moment.days, -1_000_000), 12_000_000)
        return times(ofShown: days * 86_400 + moment.minutes * 60)
    }

    /// Returns the times at which clocks show a number of seconds since 1 January 1970, 00:00.
    func times(ofShown shown: Int) -> Times {
        // A day earlier and a day later, because the offset at the time itself depends on what is to be found.
        let before = offset(at: shown - 86_400).seconds
        let after = offset(at: shown + 86_400).seconds
        let isBeforeChange = offset(at: shown - before).seconds == before
        let isAfterChange = offset(at: shown - after).seconds == after
        switch (isBeforeChange, isAfterChange) {
        case (true, true) where before != after: return .twice(first: shown - before, second: shown - after)
        case (true, _): return .once(shown - before)
        case (false, true): return .once(shown - after)
        case (false, false): return .skipped(shown - before)
        }
    }

    static func bounded(_ time: Int) -> Int { min(max(time, calculable.lowerBound), calculable.upperBound) }
}
