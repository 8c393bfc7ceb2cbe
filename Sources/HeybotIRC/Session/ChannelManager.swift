/// Joins the channels that the robot is to be in, and rejoins them after a refusal, a kick or a removal.
struct ChannelManager: Sendable {
    private enum JoinState: Hashable {
        /// Not in the channel; the next attempt is at `until`.
        case out(until: Duration)
        case asked(at: Duration)
        case inside(since: Duration)
    }

    private struct ManagedChannel: Hashable {
        var channel: SessionConfiguration.Channel
        var joinState: JoinState
        /// Whether the refusal has been reported.
        var isRefusalReported = false
        /// Whether the robot is only in the channel because someone invited it.
        var isInvited: Bool { channel.origin == .invitation }
        /// Whether the robot was kicked or removed since its last join.
        var wasRemoved = false
        /// The number of kicks in a row, each soon after the join before it.
        var kicks = 0
    }

    /// The folded channel names, in the order in which they were added.
    private var order: [String] = []
    private var managedChannels: [String: ManagedChannel] = [:] { didSet { storedDue = nil } }
    /// The value of ``due`` after joining has begun; nil if it isn't computed since ``managedChannels`` have changed.
    private var storedDue: Duration??
    /// When an invitation to each channel was last accepted.
    private var recentInvitations: [String: Duration] = [:]
    private let timeouts: Timeouts
    /// Whether joining has begun, which it does after registration.
    private var hasBegun = false
    /// If `JOIN` isn't answered within this time, it is sent again.
    private static let joinTimeout: Duration = .seconds(60)
    /// The least time between two invitations to a channel that are accepted.
    private static let invitationInterval: Duration = .seconds(10)
    private static let maxRecentInvitations = 20
    /// If the robot stayed this long before a kick, the number of kicks starts again at zero.
    private static let stablePeriod: Duration = .seconds(300)
    /// The most bytes of names and keys in one `JOIN`.
    private static let maxLineBytes = 400
    private static let maxPerLine = 10

    init(_ timeouts: Timeouts) {
        self.timeouts = timeouts
    }

    /// The channels that the robot is to be in, in order.
    var channels: [SessionConfiguration.Channel] { order.compactMap { managedChannels[$0]?.channel } }

    /// The names of the channels that the robot is in.
    var joined: [String] {
        order.compactMap { key in
            if case .inside = managedChannels[key]?.joinState { managedChannels[key]?.channel.name } else { nil }
        }
    }

    /// Whether every channel has answered the first `JOIN`.
    var isComplete: Bool {
        managedChannels.values.allSatisfy { managed in
            switch managed.joinState {
            case .inside: true
            case .asked: false
            case .out: managed.isRefusalReported || managed.kicks > 0
            }
        }
    }

    func contains(_ key: String) -> Bool { managedChannels[key] != nil }

    /// Whether the robot is only in the channel because someone invited it.
    func isInvited(_ key: String) -> Bool { managedChannels[key]?.isInvited ?? false }

    /// Adds a channel, to be joined at once.
    ///
    /// A command overrides an invitation as the channel's origin.
    mutating func add(_ channel: SessionConfiguration.Channel, _ key: String, at now: Duration) {
        if managedChannels[key] == nil { order.append(key) }
        if channel.origin == .command {
            if managedChannels[key]?.isInvited == true { managedChannels[key]?.channel.origin = .command }
            if let password = channel.key { managedChannels[key]?.channel.key = password }
        }
        if case .inside = managedChannels[key]?.joinState { return }
        var managed = managedChannels[key] ?? ManagedChannel(channel: channel, joinState: .out(until: now))
        managed.joinState = .out(until: now)
        managedChannels[key] = managed
    }

    /// Adds a channel that the robot was invited to.
    ///
    /// - Returns: False if the robot is in it, is joining it, or has just accepted an invitation to it.
    mutating func addInvited(_ channel: SessionConfiguration.Channel, _ key: String, at now: Duration) -> Bool {
        recentInvitations = recentInvitations.filter {
            now - $0.value < min(Self.invitationInterval, timeouts.joinRetryDelay)
        }
        if recentInvitations[key] != nil || recentInvitations.count >= Self.maxRecentInvitations { return false }
        switch managedChannels[key]?.joinState {
        case .inside, .asked: return false
        default: recentInvitations[key] = now
        }
        add(channel, key, at: now)
        return true
    }

    /// Removes a channel, which isn't joined again.
    mutating func remove(_ key: String) {
        managedChannels[key] = nil
        order.removeAll { $0 == key }
    }

    mutating func begin() { hasBegun = true }

    /// Updates all keys after a change of the case mapping.
    mutating func refold(_ fold: (String) -> String) {
        let old = order.compactMap { managedChannels[$0] }
        order = []
        managedChannels = [:]
        for managed in old {
            let key = fold(managed.channel.name)
            if managedChannels[key] == nil { order.append(key) }
            managedChannels[key] = managed
        }
    }

    /// Records that the robot is in the channel.
    ///
    /// - Returns: True if it had been refused or removed before.
    mutating func markJoined(_ key: String, at now: Duration) -> Bool {
        guard var managed = managedChannels[key] else { return false }
        defer { managedChannels[key] = managed }
        let isReturn = managed.isRefusalReported || managed.wasRemoved
        managed.joinState = .inside(since: now)
        (managed.isRefusalReported, managed.wasRemoved) = (false, false)
        return isReturn
    }

    /// Renames a channel.
    mutating func rename(_ key: String, to newKey: String, _ name: String) {
        guard var managed = managedChannels.removeValue(forKey: key) else { return }
        managed.channel.name = name
        managedChannels[newKey] = managed
        order.removeAll { $0 == newKey }
        order = order.map { $0 == key ? newKey : $0 }
    }

    /// Records that the server refused a join.
    ///
    /// - Returns: True if this is to be reported: it wasn't before, and the robot isn't in the channel.
    mutating func markRefused(_ key: String, at now: Duration) -> Bool {
        guard let managed = managedChannels[key] else { return true }
        if case .inside = managed.joinState { return false }
        if managed.isInvited {
            remove(key)
            return true
        }
        // Before the change, during which the observer of `managedChannels` needs all of the manager.
        let retry = now + timeouts.joinRetryDelay
        managedChannels[key]?.joinState = .out(until: retry)
        managedChannels[key]?.isRefusalReported = true
        return !managed.isRefusalReported
    }

    /// Records that the robot was kicked or removed, and schedules a rejoin, with a delay that doubles with each kick.
    mutating func markRemoved(_ key: String, at now: Duration) {
        guard var managed = managedChannels[key] else { return }
        if case .inside(let since) = managed.joinState, now - since >= Self.stablePeriod { managed.kicks = 0 }
        let wait = min(
            timeouts.rejoinDelay * (1 << min(managed.kicks, 16)), max(timeouts.joinRetryDelay, timeouts.rejoinDelay))
        managed.kicks += 1
        managed.wasRemoved = true
        managed.joinState = .out(until: now + wait)
        managedChannels[key] = managed
    }

    /// Retries the channels that refused the robot at once.
    mutating func retryRefused(at now: Duration) {
        for key in order {
            if case .out? = managedChannels[key]?.joinState, managedChannels[key]?.isRefusalReported == true {
                managedChannels[key]?.joinState = .out(until: now)
            }
        }
    }

    /// When ``tick(at:_:)`` is to be called next; nil if nothing is scheduled.
    ///
    /// The getter stores the time, so that not all channels are examined after every event.
    var due: Duration? {
        mutating get {
            guard hasBegun else { return nil }
            if let storedDue { return storedDue }
            let attempts = managedChannels.values.compactMap { managed -> Duration? in
                switch managed.joinState {
                case .out(let until): until
                case .asked(let time): time + Self.joinTimeout
                case .inside: nil
                }
            }
            let next = attempts.min()
            storedDue = .some(next)
            return next
        }
    }

    /// Returns the `JOIN` messages that are due, with several channels in each.
    mutating func tick(at now: Duration, _ support: ISupport) -> [IRCMessage] {
        guard let due, due <= now else { return [] }
        var wanted: [SessionConfiguration.Channel] = []
        for key in order {
            switch managedChannels[key]?.joinState {
            case .out(let until) where until <= now: break
            case .asked(let time) where time + Self.joinTimeout <= now: break
            default: continue
            }
            managedChannels[key]?.joinState = .asked(at: now)
            if let channel = managedChannels[key]?.channel { wanted.append(channel) }
        }
        // Keys are matched to channels by position, so channels with a key go first.
        return Self.lines(wanted.filter { $0.key != nil } + wanted.filter { $0.key == nil }, support)
    }

    private static func lines(_ channels: [SessionConfiguration.Channel], _ support: ISupport) -> [IRCMessage] {
        let most = max(min(support.targetLimit(for: "JOIN") ?? maxPerLine, maxPerLine), 1)
        var lines: [IRCMessage] = []
        var rest = channels[...]
        while let first = rest.popFirst() {
            var batch = [first]
            var length = first.length
            while batch.count < most, let next = rest.first, length + next.length <= maxLineBytes {
                batch.append(next)
                length += next.length
                rest = rest.dropFirst()
            }
            let keys = batch.compactMap(\.key)
            let names = batch.map(\.name).joined(separator: ",")
            lines.append(IRCMessage("JOIN", [names] + (keys.isEmpty ? [] : [keys.joined(separator: ",")])))
        }
        return lines
    }
}

extension SessionConfiguration.Channel {
    fileprivate var length: Int { name.utf8.count + (key?.utf8.count ?? 0) + 2 }
}
