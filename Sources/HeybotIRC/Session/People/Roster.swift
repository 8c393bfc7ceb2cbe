/// Who is in the channels that we are in.
package struct Roster: Hashable, Sendable {
    /// Somebody in a channel.
    package struct Member: Hashable, Sendable {
        package var nick: String
        /// The symbols of what they may do there, highest first, such as `@` and `+`.
        package var symbols: [Character] = []
        /// The account they are logged in to; nil if they are not, or it isn't known.
        package var account: String?
        /// When the server told the account, or that there is none, on the session's clock; nil if it hasn't since they
        /// came into sight.
        var accountTold: Duration?
        /// The first inquiry that could have told the account of this person, not of another with the same nick before.
        var firstInquiry = 0
        /// The fingerprints of their client certificate; nil if the server hasn't told since they came into sight.
        package var certificates: [String]?
        package var user: String?
        package var host: String?
        package var realName: String?

        /// Whether somebody there may be the same: as far as user name and host are known.
        func isAt(_ user: String?, _ host: String?) -> Bool {
            (self.user == nil || user == nil || self.user == user)
                && (self.host == nil || host == nil || self.host == host)
        }
    }

    /// By the channels' names, folded, and then by nicks, folded.
    package private(set) var channels: [String: [String: Member]] = [:]
    /// The channels' names as they are written, by those folded.
    private var names: [String: String] = [:]
    /// Those that somebody else brought us to, folded.
    ///
    /// Whoever rules one may hide there who leaves, so what was told of people in it may be about somebody who had the nick
    /// before.
    private var foreign: Set<String> = []

    /// Whether we are in that channel.
    func has(_ channel: String) -> Bool { channels[channel] != nil }

    func name(of channel: String) -> String { names[channel] ?? channel }

    /// - Parameter isForeign: Whether somebody else brought us there.
    mutating func enter(_ channel: String, _ name: String, isForeign: Bool = false) {
        channels[channel] = [:]
        names[channel] = name
        if isForeign { foreign.insert(channel) } else { foreign.remove(channel) }
    }

    /// A channel that somebody else brought us to is one of our own choice now: what is told of people there counts from here on.
    ///
    /// - Parameter inquiry: The number of the next inquiry.
    mutating func own(_ channel: String, before inquiry: Int) {
        guard foreign.remove(channel) != nil else { return }
        channels[channel] = channels[channel]?.mapValues { member in
            var member = member
            (member.account, member.accountTold, member.certificates) = (nil, nil, nil)
            member.firstInquiry = inquiry
            return member
        }
    }

    mutating func leave(_ channel: String) {
        channels[channel] = nil
        names[channel] = nil
        foreign.remove(channel)
    }

    /// Adds somebody; what isn't known of them is taken from another channel they are in.
    mutating func add(_ member: Member, _ key: String, to channel: String) {
        guard has(channel) else { return }
        var member = member
        if member.accountTold == nil, let known = self.member(key), known.isAt(member.user, member.host) {
            (member.account, member.accountTold) = (known.account, known.accountTold)
            member.firstInquiry = known.firstInquiry
            member.certificates = known.certificates
        }
        channels[channel]?[key] = member
    }

    mutating func remove(_ key: String, from channel: String) -> Bool {
        channels[channel]?.removeValue(forKey: key) != nil
    }

    /// The channels where that nick is, sorted.
    func channels(of key: String) -> [String] {
        channels.filter { $0.value[key] != nil }.keys.sorted()
    }

    /// Somebody with that nick whose account the server has told, in whatever channel of our choice it did.
    ///
    /// Nobody is copied for it but that one, since it is asked for each message.
    func loggedIn(_ key: String) -> Member? {
        for (channel, members) in channels where !foreign.contains(channel) {
            if let index = members.index(forKey: key), members.values[index].accountTold != nil {
                return members.values[index]
            }
        }
        return nil
    }

    /// Somebody known by that nick, from any channel of our choice.
    func member(_ key: String) -> Member? {
        for (channel, members) in channels where !foreign.contains(channel) {
            if let member = members[key] { return member }
        }
        return nil
    }

    /// Changes what is known of somebody in every channel.
    mutating func update(_ key: String, _ change: (inout Member) -> Void) {
        for channel in channels(of: key) {
            guard var member = channels[channel]?[key] else { continue }
            change(&member)
            channels[channel]?[key] = member
        }
    }

    /// Takes the user name and host of somebody, if they aren't known: `NAMES` needn't tell them.
    ///
    /// If others are known, what is told there is of somebody who may have had the nick before.
    mutating func learn(_ source: Source, _ key: String) {
        guard source.user != nil, source.host != nil else { return }
        for channel in channels.keys {
            guard let member = channels[channel]?[key], member.user == nil, member.host == nil else { continue }
            channels[channel]?[key]?.user = source.user
            channels[channel]?[key]?.host = source.host
        }
    }

    /// The names fold differently from now on.
    mutating func refold(_ fold: (String) -> String) {
        let old = (channels, names)
        (channels, names) = ([:], [:])
        foreign = Set(foreign.map { fold(old.1[$0] ?? $0) })
        for (channel, members) in old.0 {
            let name = old.1[channel] ?? channel
            names[fold(name)] = name
            channels[fold(name)] = Dictionary(members.values.map { (fold($0.nick), $0) }, uniquingKeysWith: { $1 })
        }
    }

    /// A channel has another name now.
    mutating func renameChannel(_ key: String, to newKey: String, _ name: String) {
        guard let members = channels.removeValue(forKey: key) else { return }
        names[key] = nil
        if foreign.remove(key) != nil { foreign.insert(newKey) }
        channels[newKey] = members
        names[newKey] = name
    }

    mutating func rename(_ key: String, to newKey: String, _ nick: String) {
        for channel in channels(of: key) {
            guard var member = channels[channel]?.removeValue(forKey: key) else { continue }
            member.nick = nick
            channels[channel]?[newKey] = member
        }
    }

    /// Takes a line of `NAMES` (353): nicks, each with its symbols in front.
    ///
    /// - Parameter inquiry: The number of the next inquiry.
    mutating func take(names: [Substring], in channel: String, _ support: ISupport, before inquiry: Int = 0) {
        guard has(channel) else { return }
        let order = support.prefixes.map(\.symbol)
        for name in names {
            let symbols = name.prefix { order.contains($0) }
            let source = Source(String(name.dropFirst(symbols.count)))
            guard !source.nick.isEmpty else { continue }
            let key = support.caseMapping.fold(source.nick)
            let known = channels[channel]?[key]
            var member = known ?? Member(nick: source.nick, firstInquiry: inquiry)
            member.symbols = Array(symbols)
            member.user = source.user ?? member.user
            member.host = source.host ?? member.host
            if known == nil { add(member, key, to: channel) } else { channels[channel]?[key] = member }
        }
    }

    /// Takes a change of modes in a channel: the letters, then what they are about.
    mutating func take(modes: [String], in channel: String, _ support: ISupport) {
        guard let letters = modes.first else { return }
        let order = support.prefixes.map(\.symbol)
        var arguments = modes.dropFirst()
        var isAdding = true
        for letter in letters {
            if letter == "+" || letter == "-" {
                isAdding = letter == "+"
            } else if let prefix = support.prefixes.first(where: { $0.mode == letter }) {
                let key = support.caseMapping.fold(arguments.popFirst() ?? "")
                guard var member = channels[channel]?[key] else { continue }
                member.symbols.removeAll { $0 == prefix.symbol }
                if isAdding { member.symbols.append(prefix.symbol) }
                member.symbols.sort { (order.firstIndex(of: $0) ?? 0) < (order.firstIndex(of: $1) ?? 0) }
                channels[channel]?[key] = member
            } else if Self.takesArgument(letter, isAdding, support) {
                _ = arguments.popFirst()
            }
        }
    }

    private static func takesArgument(_ letter: Character, _ isAdding: Bool, _ support: ISupport) -> Bool {
        // As RFC 1459 has them, if the server doesn't tell.
        guard let modes = support.channelModes else { return letter == "l" ? isAdding : "beIk".contains(letter) }
        return modes.lists.contains(letter) || modes.alwaysParameter.contains(letter)
            || isAdding && modes.parameterWhenSet.contains(letter)
    }
}

/// Who went with half the network and may come back, if the server doesn't tell by a batch.
struct Splits: Sendable {
    private var gone: Set<String> = []
    private static let most = 10_000

    /// Remembers who quit if the reason is a split's, which servers word as the names of two servers; false if it isn't.
    mutating func takes(_ reason: String, _ key: String) -> Bool {
        let words = reason.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words.allSatisfy(Self.isServer) else { return false }
        if gone.count < Self.most { gone.insert(key) }
        return true
    }

    /// Whether somebody who comes in went that way; then that is over.
    mutating func cameBack(_ key: String) -> Bool { gone.remove(key) != nil }

    private static func isServer(_ word: Substring) -> Bool {
        let labels = word.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1
            && labels.allSatisfy { label in
                !label.isEmpty && label.allSatisfy { $0.isLetter || $0.isNumber || "-*".contains($0) }
            }
    }
}
