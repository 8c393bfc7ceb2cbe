import Heybot
import HeybotIRC
import NetworkAdapter

/// Keeps the remaining pages of long answers until users ask for more.
struct Pager: Sendable {
    private var remaining: [String: (lines: [String], requester: RequesterIdentity?, since: Duration)] = [:]
    private static let maxRooms = 50
    private static let maxLines = 500
    /// After this time, the remaining pages are dropped.
    private static let expiry: Duration = .seconds(600)

    /// The lines of a page; zero to send everything at once.
    let size: Int

    init(size: Int) {
        self.size = size
    }

    /// Returns the first page, and keeps the rest for that room, in place of an earlier answer's, up to a limit.
    ///
    /// - Returns: The lines to send now, and how many are kept.
    mutating func page(
        _ lines: [String], for room: String, requester: RequesterIdentity? = nil, at now: Duration
    ) -> (lines: ArraySlice<String>, more: Int) {
        if !remaining.isEmpty { remaining = remaining.filter { now - $0.value.since < Self.expiry } }
        // A single further line is no longer than the hint that there is one.
        guard size > 0, lines.count > size + 1 else { return (lines[...], 0) }
        if remaining[room] == nil, remaining.count >= Self.maxRooms {
            remaining = remaining.filter { [oldest = remaining.values.map(\.since).min()] in $0.value.since != oldest }
        }
        let rest = Array(lines.dropFirst(size).prefix(Self.maxLines))
        remaining[room] = (rest, requester, now)
        return (lines.prefix(size), rest.count)
    }

    /// Drops the pages kept for a nick if they are for an earlier holder of it.
    mutating func forget(_ nick: String, unlessFor requester: RequesterIdentity) {
        if let remaining = remaining[nick], let known = remaining.requester, !known.couldBe(requester) {
            self.remaining[nick] = nil
        }
    }

    /// Returns the user whom the pages kept for a room answer.
    func requester(for room: String) -> RequesterIdentity? { remaining[room]?.requester }

    /// Drops the pages kept for a room.
    mutating func drop(_ room: String) { remaining[room] = nil }

    /// Returns a room's next page, and how many lines are left after it; nil if there is none.
    ///
    /// - Parameter person: The only user who may read it; nil for anyone in the room.
    mutating func next(for room: String, person: RequesterIdentity? = nil, at now: Duration) -> (
        lines: ArraySlice<String>, more: Int
    )? {
        guard let (lines, requester, since) = remaining.removeValue(forKey: room), now - since < Self.expiry else {
            return nil
        }
        if let person, let requester, !requester.couldBe(person) { return nil }
        return page(lines, for: room, requester: requester, at: now)
    }
}

extension IRCSessionManager {
    /// The messages that send a page, with a hint if there is more.
    ///
    /// It is mutating because a method that isn't would get a copy of the whole manager.
    mutating func messages(_ page: (lines: ArraySlice<String>, more: Int), _ outgoing: OutgoingMessage, _ room: Room)
        -> [OutgoingMessage]
    {
        var lines = Array(page.lines)
        if page.more > 0 {
            let words = room.isPrivate ? "more" : "\(state.robotName) more"
            lines.append("(\(page.more) more lines: say \"\(words)\")")
        }
        // The session sends them as one message if it can.
        if lines.count > 1, state.session?.sendsMultiline == true { lines = [lines.joined(separator: "\n")] }
        // Most answers have one line.
        if lines.count == 1, let line = lines.first {
            var only = outgoing
            only.text = line
            return [only]
        }
        var messages = lines.map { OutgoingMessage(to: outgoing.target, $0, requester: outgoing.requester) }
        if !messages.isEmpty {
            messages[0].reply = outgoing.reply
            messages[messages.count - 1].tracking = outgoing.tracking
        }
        return messages
    }
}
