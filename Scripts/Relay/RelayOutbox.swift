import Heybot

/// The texts that wait to be shown in one room, in order.
struct RelayOutbox: Sendable {
    private static let capacity = 500
    /// After this time in seconds, a text is of no use in a conversation.
    private static let expiry = 300.0

    private struct Entry: Sendable {
        let text: RelayedText
        /// When it was added, in seconds of the robot's clock.
        let time: Double
    }

    private var entries: [Entry] = []
    /// How many of each author's texts wait.
    private var counts: [String: Int] = [:]
    /// How many texts of each room were dropped since that was reported last.
    private var dropped: [Room.ID: Int] = [:]
    /// Whether a timer was set to report that.
    private var isReporting = false
    /// What was shown last.
    private var recent = RecentLines()
    /// The number of texts that were added since a task has begun or ended delivering.
    private var added = 0
    /// Whether a task is delivering the texts.
    private var isBusy = false
    /// Whether a timer is set that continues to deliver.
    private var isPaused = false
    /// Whether the network couldn't keep up with the last texts, so that several share a message.
    private var isBehind = false

    /// Adds a text.
    ///
    /// If too many wait, the newest one of the author with most of them is dropped.
    ///
    /// - Returns: Whether the caller has to deliver it: false if another task does that, or is about to.
    mutating func add(_ text: RelayedText, at now: Double) -> Bool {
        append(text, at: now)
        added += 1
        // True for every 50th text in any case, because the other task may never have run.
        return added % 50 == 1
    }

    private mutating func append(_ text: RelayedText, at now: Double) {
        entries.append(Entry(text: text, time: now))
        counts[text.author, default: 0] += 1
        guard entries.count > Self.capacity else { return }
        let busiest = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        guard let place = entries.lastIndex(where: { $0.text.author == busiest }) else { return }
        drop(uncount(entries.remove(at: place)))
    }

    /// Removes the texts of all rooms but some.
    mutating func keep(from sources: Set<Room.ID>) {
        let gone = entries.filter { !sources.contains($0.text.source) }
        if !gone.isEmpty {
            for entry in gone { uncount(entry) }
            entries.removeAll { !sources.contains($0.text.source) }
        }
        dropped = dropped.filter { sources.contains($0.key) }
    }

    /// Whether nothing waits or is under way.
    var isIdle: Bool { entries.isEmpty && !isBusy && !isPaused && !isReporting }

    /// Whether a line without marks was shown here lately, perhaps without what is in front of it.
    func hasShown(_ line: String) -> Bool { recent.contains(line) }

    // MARK: Delivering

    /// Begins to deliver; returns false if another task does.
    mutating func begin() -> Bool {
        guard !isBusy else { return false }
        (isBusy, added) = (true, 0)
        return true
    }

    /// Stops delivering for a while, because the network can't keep up.
    ///
    /// - Returns: Whether a timer must be set to continue.
    mutating func pause() -> Bool {
        defer { (isBusy, isPaused, isBehind) = (false, true, true) }
        return !isPaused
    }

    /// Records that the timer has fired.
    mutating func endPause() { isPaused = false }

    /// Removes and returns the next text; if there is none, delivering has ended.
    ///
    /// - Parameter longestLine: The most bytes of a line if each line is a message of its own; or else nil.
    mutating func next(longestLine: Int?, at now: Double) -> RelayedText? {
        let expired = entries.prefix { now - $0.time > Self.expiry }
        if !expired.isEmpty {
            for entry in expired { drop(uncount(entry)) }
            entries.removeFirst(expired.count)
        }
        guard let first = entries.first else {
            (isBusy, isBehind, added) = (false, false, 0)
            return nil
        }
        var next = uncount(first)
        var count = 1
        while isBehind, count < entries.count {
            let following = entries[count]
            guard next.fold(following.text, longestLine: longestLine) else { break }
            uncount(following)
            count += 1
        }
        entries.removeFirst(count)
        recent.add(next.shown)
        return next
    }

    /// Counts a text as no longer waiting, and returns it.
    @discardableResult
    private mutating func uncount(_ entry: Entry) -> RelayedText {
        let count = (counts[entry.text.author] ?? 1) - 1
        counts[entry.text.author] = count > 0 ? count : nil
        return entry.text
    }

    // MARK: What was dropped

    /// Counts a text that couldn't be delivered.
    mutating func drop(_ text: RelayedText) { dropped[text.source, default: 0] += text.count }

    /// Whether a timer must be set to report what was dropped.
    mutating func beginReport() -> Bool {
        guard !dropped.isEmpty, !isReporting else { return false }
        isReporting = true
        return true
    }

    /// Removes and returns how many texts of each room were dropped.
    mutating func takeDropped() -> [Room.ID: Int] {
        defer { (dropped, isReporting) = ([:], false) }
        return dropped
    }
}
