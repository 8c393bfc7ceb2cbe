/// The users whom the server was asked to report although they share no channel with the robot (IRCv3 extended-monitor).
struct MonitoredUsers: Sendable {
    /// A user's nick, as written (`nick`) and folded (`key`).
    struct Entry: Hashable, Sendable {
        let nick: String
        let key: String
        /// Whether the robot has asked the server to report the user.
        ///
        /// A report before that may belong to an earlier request.
        var isRequested = false
    }

    /// The maximum number of users.
    private static let max = 100

    /// In the order in which they were added.
    private var entries: [Entry] = []
    /// Whether the server has refused to monitor another user.
    private(set) var isFull = false

    func contains(_ key: String) -> Bool { entries.contains { $0.key == key } }

    /// Whether the robot has asked the server to report a user.
    func isRequested(_ key: String) -> Bool { entries.contains { $0.key == key && $0.isRequested } }

    /// Adds a user.
    ///
    /// - Parameter limit: The number of users that the server allows.
    /// - Returns: The user that was removed because there were too many.
    mutating func add(_ entry: Entry, limit: Int) -> Entry? {
        let dropped = entries.count >= min(limit, Self.max) && !entries.isEmpty ? entries.removeFirst() : nil
        entries.append(entry)
        return dropped
    }

    /// Records that the robot asks the server to report a user now.
    ///
    /// - Returns: False if it was asked before, or if another user has taken the place.
    mutating func request(_ key: String) -> Bool {
        guard let index = entries.firstIndex(where: { $0.key == key && !$0.isRequested }) else { return false }
        entries[index].isRequested = true
        return true
    }

    /// Records that the server allows no more users.
    mutating func markFull() { isFull = true }
}

extension Session {
    /// The number of users that can be monitored, besides the holder of the robot's nick.
    ///
    /// It is 0 unless the server reports as much about them as about the members of a channel: that another user has
    /// the nick, and that the user has changed accounts. It is also 0 if messages carry the account, unless the robot reads
    /// certificates.
    private var monitorLimit: Int {
        guard let limit = support.monitorLimit, !monitoredUsers.isFull,
            capabilities.hasAny(of: Capabilities.extendedMonitor), capabilities.has("account-notify"),
            support.hasWHOX && !capabilities.has("account-tag") || readsCertificates
        else { return 0 }
        return max(limit - 1, 0)
    }

    /// Asks the server to report a user who has said something, and whom neither a channel shows nor the server reports.
    ///
    /// Otherwise it wouldn't report that the user leaves.
    mutating func monitor(_ source: Source, _ key: String) {
        let limit = monitorLimit
        guard limit > 0, !monitoredUsers.contains(key), key != fold(nicks.wanted) else { return }
        let flow = Self.queryFlow("MONITOR", source)
        guard queue.count(of: flow) < Self.maxQueries else { return }
        if let dropped = monitoredUsers.add(MonitoredUsers.Entry(nick: source.nick, key: key), limit: limit) {
            members.unwatch(dropped.key)
            // It is sent before the requests that wait, so it can't undo a later request for the same user.
            if dropped.isRequested { queue.put(IRCMessage("MONITOR", "-", dropped.nick)) }
        }
        queue.put(.monitor(source.nick), in: flow)
    }

    /// Returns the line that asks the server to report a user; nil if another user has taken the place meanwhile.
    mutating func monitorLine(_ nick: String) -> IRCMessage? {
        monitoredUsers.request(fold(nick)) ? IRCMessage("MONITOR", "+", nick) : nil
    }

    /// Handles 730 (RPL_MONONLINE): from now on, the server reports what these users do.
    mutating func handleMonitoredUsers(_ message: IRCMessage) {
        guard message.parameters.count > 1, capabilities.hasAny(of: Capabilities.extendedMonitor) else { return }
        for text in message.parameters[1].split(separator: ",") {
            let source = Source(String(text))
            let key = fold(source.nick)
            guard monitoredUsers.isRequested(key) else { continue }
            // What is known about the nick may be about an earlier holder, as may be the answer to an earlier query.
            members.watch(
                ChannelMembers.Member(
                    nick: source.nick, firstQuery: accountQueries.next, user: source.user, host: source.host), key)
            accountQueries.forget(key)
            certificateQueries.forget(key)
            requestAccount(of: sender(source))
        }
    }
}
