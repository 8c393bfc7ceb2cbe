/// Gets us into the channels we want, and back into them.
struct Joining: Sendable {
    private enum State: Hashable {
        /// Not there, and to be asked for from then on.
        case out(until: Duration)
        case asked(at: Duration)
        case inside(since: Duration)
    }

    private struct Place: Hashable {
        var channel: Profile.Channel
        var state: State
        /// Whether it was told that it refuses us.
        var isRefusalTold = false
        /// Whether somebody invited us there, and nobody else wants us there.
        var isInvited: Bool { channel.origin == .invitation }
        /// Whether we were made to leave since we were there last.
        var wasThrownOut = false
        /// How often we were thrown out without having stayed long in between.
        var kicks = 0
    }

    /// In the order they were wished for.
    private var order: [String] = []
    private var places: [String: Place] = [:]
    /// The channels that we were invited to, and when we followed.
    private var followed: [String: Duration] = [:]
    private let waits: Waits
    /// Whether joining has begun, as it does once we are welcome.
    private var hasBegun = false
    /// An answer to `JOIN` takes no longer than this, or it was lost.
    private static let patience: Duration = .seconds(60)
    /// An invitation is followed as often as this.
    private static let pause: Duration = .seconds(10)
    private static let mostFollowed = 20
    /// Who stays for so long is no intruder any more.
    private static let stay: Duration = .seconds(300)
    /// The bytes of the names and keys in one line.
    private static let longest = 400
    private static let mostInLine = 10

    init(_ waits: Waits) {
        self.waits = waits
    }

    /// The channels we want to be in.
    var channels: [Profile.Channel] { order.compactMap { places[$0]?.channel } }

    /// Those that we are in.
    var joined: [String] {
        order.compactMap { key in
            if case .inside = places[key]?.state { places[key]?.channel.name } else { nil }
        }
    }

    /// Whether each was asked for and has answered.
    var isSettled: Bool {
        places.values.allSatisfy { place in
            switch place.state {
            case .inside: true
            case .asked: false
            case .out: place.isRefusalTold || place.kicks > 0
            }
        }
    }

    func wants(_ key: String) -> Bool { places[key] != nil }

    /// Whether nobody but who invited us wants us there.
    func isInvited(_ key: String) -> Bool { places[key]?.isInvited ?? false }

    /// Wishes for a channel, to be asked for at once; a command holds for longer than an invitation.
    mutating func want(_ channel: Profile.Channel, _ key: String, at now: Duration) {
        if places[key] == nil { order.append(key) }
        if channel.origin == .command {
            if places[key]?.isInvited == true { places[key]?.channel.origin = .command }
            if let password = channel.key { places[key]?.channel.key = password }
        }
        if case .inside = places[key]?.state { return }
        var place = places[key] ?? Place(channel: channel, state: .out(until: now))
        place.state = .out(until: now)
        places[key] = place
    }

    /// Wishes for a channel that somebody invited us to; false if it has been asked for a moment ago.
    mutating func follow(_ channel: Profile.Channel, _ key: String, at now: Duration) -> Bool {
        followed = followed.filter { now - $0.value < min(Self.pause, waits.joinRetry) }
        if followed[key] != nil || followed.count >= Self.mostFollowed { return false }
        switch places[key]?.state {
        case .inside, .asked: return false
        default: followed[key] = now
        }
        want(channel, key, at: now)
        return true
    }

    /// Wishes for it no longer.
    mutating func forget(_ key: String) {
        places[key] = nil
        order.removeAll { $0 == key }
    }

    mutating func begin() { hasBegun = true }

    /// The names fold differently from now on.
    mutating func refold(_ fold: (String) -> String) {
        let old = order.compactMap { places[$0] }
        order = []
        places = [:]
        for place in old {
            let key = fold(place.channel.name)
            if places[key] == nil { order.append(key) }
            places[key] = place
        }
    }

    /// We are there; true if that is a return.
    mutating func entered(_ key: String, at now: Duration) -> Bool {
        guard var place = places[key] else { return false }
        defer { places[key] = place }
        let isReturn = place.isRefusalTold || place.wasThrownOut
        place.state = .inside(since: now)
        (place.isRefusalTold, place.wasThrownOut) = (false, false)
        return isReturn
    }

    /// A channel has another name now.
    mutating func rename(_ key: String, to newKey: String, _ name: String) {
        guard var place = places.removeValue(forKey: key) else { return }
        place.channel.name = name
        places[newKey] = place
        order.removeAll { $0 == newKey }
        order = order.map { $0 == key ? newKey : $0 }
    }

    /// The server doesn't let us in; true if that is news.
    mutating func refused(_ key: String, at now: Duration) -> Bool {
        guard let place = places[key] else { return true }
        if case .inside = place.state { return false }
        if place.isInvited {
            forget(key)
            return true
        }
        places[key]?.state = .out(until: now + waits.joinRetry)
        places[key]?.isRefusalTold = true
        return !place.isRefusalTold
    }

    /// We are no longer there, though we want to be.
    mutating func thrownOut(_ key: String, at now: Duration) {
        guard var place = places[key] else { return }
        if case .inside(let since) = place.state, now - since >= Self.stay { place.kicks = 0 }
        let wait = min(waits.rejoin * (1 << min(place.kicks, 16)), max(waits.joinRetry, waits.rejoin))
        place.kicks += 1
        place.wasThrownOut = true
        place.state = .out(until: now + wait)
        places[key] = place
    }

    /// What refused us may let us in now.
    mutating func retryRefused(at now: Duration) {
        for key in order {
            if case .out? = places[key]?.state, places[key]?.isRefusalTold == true {
                places[key]?.state = .out(until: now)
            }
        }
    }

    /// When something is to be done next; nil if nothing is.
    var due: Duration? {
        guard hasBegun else { return nil }
        return places.values.compactMap { place in
            switch place.state {
            case .out(let until): until
            case .asked(let time): time + Self.patience
            case .inside: nil
            }
        }
        .min()
    }

    /// The lines that ask for all that is due, several channels in one.
    mutating func tick(at now: Duration, _ support: ISupport) -> [IRCMessage] {
        guard let due, due <= now else { return [] }
        var wanted: [Profile.Channel] = []
        for key in order {
            switch places[key]?.state {
            case .out(let until) where until <= now: break
            case .asked(let time) where time + Self.patience <= now: break
            default: continue
            }
            places[key]?.state = .asked(at: now)
            if let channel = places[key]?.channel { wanted.append(channel) }
        }
        // Keys are told by their place, so channels with one go first.
        return Self.lines(wanted.filter { $0.key != nil } + wanted.filter { $0.key == nil }, support)
    }

    private static func lines(_ channels: [Profile.Channel], _ support: ISupport) -> [IRCMessage] {
        let most = max(min(support.targetLimit(for: "JOIN") ?? mostInLine, mostInLine), 1)
        var lines: [IRCMessage] = []
        var rest = channels[...]
        while let first = rest.popFirst() {
            var batch = [first]
            var length = first.length
            while batch.count < most, let next = rest.first, length + next.length <= longest {
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

extension Profile.Channel {
    fileprivate var length: Int { name.utf8.count + (key?.utf8.count ?? 0) + 2 }
}
