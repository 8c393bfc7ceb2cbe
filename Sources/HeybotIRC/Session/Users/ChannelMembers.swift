/// The members of the channels that the robot is in.
package struct ChannelMembers: Hashable, Sendable {
    /// A member of a channel.
    package struct Member: Hashable, Sendable {
        package var nick: String
        /// The symbols of the member's status in the channel, highest first, such as `@` and `+`.
        package var symbols: [Character] = []
        /// The account that the member is logged in to; nil if there is none, or it isn't known.
        package var account: String?
        /// When the server last reported the account or that there is none, on the session's clock; nil if it hasn't since the
        /// user came into sight.
        var accountUpdated: Duration?
        /// The first query whose answer is about this user, and not about an earlier holder of the nick.
        var firstQuery = 0
        /// The number of the user's stay in the robot's sight: the next holder of the nick has another.
        var stay = 0
        /// The fingerprints of the client certificate; nil if the server hasn't reported any since the user came into sight.
        package var certificates: [String]?
        package var user: String?
        package var host: String?
        package var realName: String?
        /// Whether a mode change may have hidden the member, so that the server may not report that they leave.
        ///
        /// Until the server lists them again, nothing about them is known.
        var mayBeHidden = false

        /// Forgets what proves who the member is.
        ///
        /// - Parameter query: The number of the next query, the first whose answer is about this user for certain.
        mutating func forgetProof(before query: Int) {
            (account, accountUpdated, certificates) = (nil, nil, nil)
            firstQuery = query
        }

        /// Whether the member may have that user name and host, as far as they are known.
        func isAt(_ user: String?, _ host: String?) -> Bool {
            (self.user == nil || user == nil || self.user == user)
                && (self.host == nil || host == nil || self.host == host)
        }
    }

    /// By folded channel names, then by folded nicks.
    package private(set) var channels: [String: [String: Member]] = [:]
    /// The channels that each nick is in, all folded: in hundreds of channels, looking into each for every message takes long.
    private(set) var places: [String: [String]] = [:]
    /// The channel names as written, by folded names.
    private var names: [String: String] = [:]
    /// The channels that the robot is in because someone invited it, folded.
    ///
    /// The owner of such a channel can hide that members leave, so what was reported there may be about an earlier holder of a
    /// nick.
    private var invitedChannels: Set<String> = []
    /// The users whom the server reports although they may share no channel with the robot, by folded nicks.
    private(set) var watched: [String: Member] = [:]
    /// The nicks, folded, of whom a channel may show neither the user name nor the host.
    private var nicksWithoutAddress: Set<String> = []
    /// The number of stays so far.
    private var stays = 0

    /// Whether the robot is in that channel.
    func has(_ channel: String) -> Bool { channels[channel] != nil }

    func name(of channel: String) -> String { names[channel] ?? channel }

    /// Whether the robot is in that channel only because someone invited it.
    func isInvited(_ channel: String) -> Bool { invitedChannels.contains(channel) }

    /// Starts a channel's member list.
    ///
    /// - Parameter isInvited: Whether the robot is there only because someone invited it.
    mutating func enter(_ channel: String, _ name: String, isInvited: Bool = false) {
        forgetMembers(of: channel)
        channels[channel] = [:]
        names[channel] = name
        if isInvited { invitedChannels.insert(channel) } else { invitedChannels.remove(channel) }
    }

    /// Treats a channel that the robot was invited to as a chosen one: from now on, what is reported there is trusted.
    ///
    /// - Parameter query: The number of the next query.
    mutating func markChosen(_ channel: String, before query: Int) {
        guard invitedChannels.remove(channel) != nil else { return }
        channels[channel] = channels[channel]?.mapValues { member in
            var member = member
            member.forgetProof(before: query)
            return member
        }
    }

    mutating func leave(_ channel: String) {
        forgetMembers(of: channel)
        channels[channel] = nil
        names[channel] = nil
        invitedChannels.remove(channel)
    }

    /// Adds a member; what isn't known about them is copied from another channel.
    mutating func add(_ member: Member, _ key: String, to channel: String) {
        guard has(channel) else { return }
        var member = member
        if let known = self.member(key), known.isAt(member.user, member.host) {
            member.stay = known.stay
        } else {
            stays += 1
            member.stay = stays
        }
        if member.accountUpdated == nil, let known = self.member(key), known.isAt(member.user, member.host) {
            (member.account, member.accountUpdated) = (known.account, known.accountUpdated)
            member.firstQuery = known.firstQuery
            member.certificates = known.certificates
        }
        put(member, key, in: channel)
    }

    private mutating func put(_ member: Member, _ key: String, in channel: String) {
        noteAddress(of: member, key)
        if channels[channel]?.updateValue(member, forKey: key) == nil { places[key, default: []].append(channel) }
    }

    private mutating func noteAddress(of member: Member, _ key: String) {
        if member.user == nil, member.host == nil { nicksWithoutAddress.insert(key) }
    }

    private mutating func take(_ key: String, from channel: String) -> Member? {
        guard let member = channels[channel]?.removeValue(forKey: key) else { return nil }
        forget(channel, of: key)
        return member
    }

    private mutating func forget(_ channel: String, of key: String) {
        places[key]?.removeAll { $0 == channel }
        guard places[key]?.isEmpty == true else { return }
        places[key] = nil
        nicksWithoutAddress.remove(key)
    }

    private mutating func forgetMembers(of channel: String) {
        for key in channels[channel, default: [:]].keys { forget(channel, of: key) }
    }

    mutating func remove(_ key: String, from channel: String) -> Bool { take(key, from: channel) != nil }

    /// The channels that a nick is in, sorted.
    func channels(of key: String) -> [String] { places[key, default: []].sorted() }

    /// The chosen channels that a nick is in.
    private func chosenChannels(of key: String) -> some Sequence<String> {
        places[key, default: []].lazy.filter { !invitedChannels.contains($0) }
    }

    /// Returns the member with that nick, from any chosen channel that doesn't hide them.
    func member(_ key: String) -> Member? {
        for channel in chosenChannels(of: key) {
            if let member = channels[channel]?[key], !member.mayBeHidden { return member }
        }
        return nil
    }

    /// Returns the user with that nick about whom the server reports everything: a member, or a watched user.
    func user(_ key: String) -> Member? { member(key) ?? watched[key] }

    /// Returns a member for whom a condition holds, from any chosen channel that doesn't hide them.
    package func member(where isMeant: (Member) -> Bool) -> Member? {
        for (channel, members) in channels where !invitedChannels.contains(channel) {
            if let member = members.values.first(where: { !$0.mayBeHidden && isMeant($0) }) { return member }
        }
        return nil
    }

    /// Whether the user with that nick is visible in a chosen channel, in that stay.
    func isVisible(_ key: String, in stay: Int) -> Bool {
        chosenChannels(of: key).contains { channel in
            channels[channel]?[key].map { !$0.mayBeHidden && $0.stay == stay } ?? false
        }
    }

    /// Changes a user's entry in every channel.
    mutating func update(_ key: String, _ change: (inout Member) -> Void) {
        for channel in channels(of: key) {
            guard var member = channels[channel]?[key] else { continue }
            change(&member)
            noteAddress(of: member, key)
            channels[channel]?[key] = member
        }
        if var user = watched[key] {
            change(&user)
            watched[key] = user
        }
    }

    /// Adds a user whom the server reports although they may share no channel with the robot: until ``unwatch(_:)``, what is
    /// known about the user holds.
    mutating func watch(_ user: Member, _ key: String) { watched[key] = user }

    /// Removes a watched user, who has left or has changed nick.
    mutating func unwatch(_ key: String) { watched[key] = nil }

    /// Removes all watched users.
    mutating func unwatchAll() { watched = [:] }

    /// Records a user's user name and host if they aren't known, since `NAMES` may omit them.
    ///
    /// If different ones are known, that entry may be about an earlier holder of the nick.
    mutating func record(_ source: Source, _ key: String) {
        guard nicksWithoutAddress.contains(key), source.user != nil, source.host != nil else { return }
        nicksWithoutAddress.remove(key)
        for channel in places[key, default: []] {
            guard let member = channels[channel]?[key], member.user == nil, member.host == nil else { continue }
            channels[channel]?[key]?.user = source.user
            channels[channel]?[key]?.host = source.host
        }
    }

    /// Updates all folded names after a change of the case mapping.
    mutating func refold(_ fold: (String) -> String) {
        let old = (channels, names)
        (channels, places, names, watched, nicksWithoutAddress) = ([:], [:], [:], [:], [])
        invitedChannels = Set(invitedChannels.map { fold(old.1[$0] ?? $0) })
        // In a certain order, because two channels, or two nicks, may become one.
        for (channel, members) in old.0.sorted(by: { $0.key < $1.key }) {
            let name = old.1[channel] ?? channel
            names[fold(name)] = name
            forgetMembers(of: fold(name))
            channels[fold(name)] = [:]
            for (_, member) in members.sorted(by: { $0.key < $1.key }) {
                put(member, fold(member.nick), in: fold(name))
            }
        }
    }

    /// Renames a channel.
    mutating func renameChannel(_ key: String, to newKey: String, _ name: String) {
        guard let members = channels[key] else { return }
        forgetMembers(of: key)
        (channels[key], names[key]) = (nil, nil)
        if invitedChannels.remove(key) != nil { invitedChannels.insert(newKey) }
        forgetMembers(of: newKey)
        channels[newKey] = [:]
        for (key, member) in members { put(member, key, in: newKey) }
        names[newKey] = name
    }

    mutating func rename(_ key: String, to newKey: String, _ nick: String) {
        unwatch(key)
        unwatch(newKey)
        // What is known about that nick elsewhere is about an earlier holder who left unseen.
        if key != newKey { for channel in channels(of: newKey) { _ = remove(newKey, from: channel) } }
        for channel in channels(of: key) {
            guard var member = take(key, from: channel) else { continue }
            member.nick = nick
            put(member, newKey, in: channel)
        }
    }

    /// Handles a line of `NAMES` (353): nicks with their status symbols.
    ///
    /// - Parameter query: The number of the next query.
    mutating func handleNames(_ names: [Substring], in channel: String, _ support: ISupport, before query: Int = 0) {
        guard has(channel) else { return }
        let order = support.prefixes.map(\.symbol)
        for name in names {
            let symbols = name.prefix { order.contains($0) }
            let source = Source(String(name.dropFirst(symbols.count)))
            guard !source.nick.isEmpty else { continue }
            let key = support.caseMapping.fold(source.nick)
            let known = channels[channel]?[key]
            var member = known ?? Member(nick: source.nick, firstQuery: query)
            member.symbols = Array(symbols)
            if member.mayBeHidden {
                member.firstQuery = query
                show(&member, at: source.user, source.host)
            }
            member.user = source.user ?? member.user
            member.host = source.host ?? member.host
            if known == nil {
                add(member, key, to: channel)
            } else {
                noteAddress(of: member, key)
                channels[channel]?[key] = member
            }
        }
    }

    /// Handles a channel's mode change: the letters, then their arguments.
    ///
    /// - Parameters:
    ///   - own: The robot's nick, folded.
    ///   - query: The number of the next query.
    /// - Returns: Whether it may have hidden any members, or may show hidden ones again.
    mutating func handleModes(
        _ modes: [String], in channel: String, _ support: ISupport, own: String, before query: Int = 0
    ) -> Bool {
        guard let letters = modes.first else { return false }
        let order = support.prefixes.map(\.symbol)
        var arguments = modes.dropFirst()
        var isAdding = true
        var mayHideAll = false
        var withLessStatus: Set<String> = []
        var withMoreStatus: Set<String> = []
        for letter in letters {
            if letter == "+" || letter == "-" {
                isAdding = letter == "+"
            } else if let prefix = support.prefixes.first(where: { $0.mode == letter }) {
                let key = support.caseMapping.fold(arguments.popFirst() ?? "")
                if isAdding { withMoreStatus.insert(key) } else { withLessStatus.insert(key) }
                guard var member = channels[channel]?[key] else { continue }
                member.symbols.removeAll { $0 == prefix.symbol }
                if isAdding { member.symbols.append(prefix.symbol) }
                member.symbols.sort { (order.firstIndex(of: $0) ?? 0) < (order.firstIndex(of: $1) ?? 0) }
                channels[channel]?[key] = member
            } else {
                mayHideAll = mayHideAll || Self.canHide(letter, support)
                if Self.takesArgument(letter, isAdding, support) { _ = arguments.popFirst() }
            }
        }
        // A channel that hides members may show those with a status, and show all to those with one.
        mayHideAll = mayHideAll || withLessStatus.contains(own)
        let mayShowAny =
            withMoreStatus.contains(own)
            ? mayHide(in: channel)
            : withMoreStatus.contains { channels[channel]?[$0]?.mayBeHidden == true }
        let mayHideAny = doubt(mayHideAll ? nil : withLessStatus, in: channel, own: own, before: query)
        return mayShowAny || mayHideAny
    }

    /// Marks members, or all for nil, as perhaps hidden.
    ///
    /// - Returns: Whether there are any.
    private mutating func doubt(_ keys: Set<String>?, in channel: String, own: String, before query: Int) -> Bool {
        var isAny = false
        for key in keys.map(Array.init) ?? channels[channel].map({ Array($0.keys) }) ?? [] where key != own {
            guard channels[channel]?[key] != nil else { continue }
            channels[channel]?[key]?.forgetProof(before: query)
            channels[channel]?[key]?.mayBeHidden = true
            isAny = true
        }
        return isAny
    }

    /// Whether some members of the channel may be hidden.
    func mayHide(in channel: String) -> Bool { channels[channel]?.values.contains(where: \.mayBeHidden) ?? false }

    /// Records that the server lists a member at a user name and host, in answer to a query about the channel.
    mutating func confirm(_ key: String, in channel: String, by query: Int, at user: String?, _ host: String?) {
        guard var member = channels[channel]?[key], member.mayBeHidden, member.firstQuery <= query else { return }
        show(&member, at: user, host)
        noteAddress(of: member, key)
        channels[channel]?[key] = member
    }

    /// Makes a member visible again.
    ///
    /// The nick may have changed hands unseen: unless the user name and host are known to be the same, it is another stay.
    private mutating func show(_ member: inout Member, at user: String?, _ host: String?) {
        member.mayBeHidden = false
        if user != nil, host != nil, member.user == user, member.host == host { return }
        stays += 1
        (member.stay, member.user, member.host) = (stays, user, host)
    }

    /// Whether a mode may hide members: a flag, whose meaning differs by server, or an unknown mode.
    ///
    /// List modes may hide members too, except the usual ones: InspIRCd's `X` exempts members from modes.
    private static func canHide(_ letter: Character, _ support: ISupport) -> Bool {
        guard let modes = support.channelModes else { return !"beIkl".contains(letter) }
        if modes.lists.contains(letter) { return !"beIq".contains(letter) }
        return !modes.alwaysParameter.contains(letter) && !modes.parameterWhenSet.contains(letter)
    }

    private static func takesArgument(_ letter: Character, _ isAdding: Bool, _ support: ISupport) -> Bool {
        // The modes of RFC 1459, if the server doesn't list its own.
        guard let modes = support.channelModes else { return letter == "l" ? isAdding : "beIk".contains(letter) }
        return modes.lists.contains(letter) || modes.alwaysParameter.contains(letter)
            || isAdding && modes.parameterWhenSet.contains(letter)
    }
}
