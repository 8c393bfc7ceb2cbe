/// An entry of a channel's list of bans or quiets: the list's mode, and a mask.
package struct ListedMask: Hashable, Sendable, CustomStringConvertible {
    /// The list's mode: `b` for bans; on some networks, `q` for quiets.
    package let mode: Character
    /// Whom it is about: a hostmask, or an extended ban such as `$a:mallory`.
    package let mask: String

    private static let maxLength = 300

    /// Creates an entry; nil if the mask isn't a single word, or might affect everyone.
    package init?(mode: Character, mask: String) {
        let isWord = mask.utf8.allSatisfy { $0 > .space && $0 != .comma && $0 != 0x7f }
        guard isWord, mask.utf8.first != .colon, mask.utf8.count <= Self.maxLength else { return nil }
        // Users choose their nicks and user names: only the host or the account is specific.
        let end = mask.utf8.lastIndex(of: .at) ?? mask.utf8.lastIndex(of: .colon)
        let specific = end.map { mask[mask.utf8.index(after: $0)...] } ?? ""
        guard specific.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
        (self.mode, self.mask) = (mode, mask)
    }

    /// Parses what ``description`` returns; nil if it is something else.
    package init?(_ description: String) {
        let parts = description.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 1, let mode = parts[0].first, mode.isLetter else { return nil }
        self.init(mode: mode, mask: String(parts[1]))
    }

    /// The mode and the mask, such as `b *!*@host.example.net`.
    package var description: String { "\(mode) \(mask)" }
}

/// What a mask identifies a user by.
package enum MaskSubject: Hashable, Sendable {
    /// The services account, which the server compares with masks itself.
    case account(String)
    /// The host, with any nick and user name.
    case host(String)

    /// What has a meaning of its own in masks: wildcards, parts of a mask, and a channel to forward to.
    private static let special = Set("*?!@:$,".utf8)

    /// Returns the account of a user, if masks can name accounts, or else the host; nil if neither is known.
    ///
    /// A host with wildcards would match others too. So would the account `0`: on UnrealIRCd it means all who aren't logged in.
    init?(account: String?, host: String?, canNameAccounts: Bool) {
        if canNameAccounts, let account, account != "0", Self.isPlain(account, Self.special) {
            self = .account(account)
        } else if let host, Self.isPlain(host, Self.special.subtracting(":".utf8)) {
            self = .host(host)
        } else {
            return nil
        }
    }

    private static func isPlain(_ text: String, _ special: Set<UInt8>) -> Bool {
        !text.isEmpty && !text.utf8.contains { special.contains($0) }
    }

    /// Whether a user with that account and host is meant.
    func matches(account: String?, host: String?) -> Bool {
        switch self {
        case .account(let name): account.map { CaseMapping.ascii.areSame($0, name) } ?? false
        case .host(let name): host.map { CaseMapping.ascii.areSame($0, name) } ?? false
        }
    }
}

extension ISupport {
    /// The extended bans that the server supports (`EXTBAN`): what they begin with, and their letters.
    private var extendedBans: (prefix: String, letters: Set<Character>)? {
        guard let value = self["EXTBAN"] else { return nil }
        let parts = value.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return (String(parts[0]), Set(parts[1]))
    }

    /// What stands before an account in a mask, such as `$a:`; nil if masks can't name accounts.
    private var accountPrefix: String? {
        guard let (prefix, letters) = extendedBans else { return nil }
        // IRCv3 account-extban.
        if let name = self["ACCOUNTEXTBAN"]?.split(separator: ",").first { return "\(prefix)\(name):" }
        switch prefix {
        // Charybdis and Solanum; UnrealIRCd.
        case "$", "~": return letters.contains("a") ? "\(prefix)a:" : nil
        // InspIRCd.
        case "": return letters.contains("R") ? "R:" : nil
        default: return nil
        }
    }

    /// How a user is made silent in a channel: the list's mode, and what stands before the mask.
    private var quiet: (mode: Character, prefix: String)? {
        // On other servers, this mode gives a status to a member.
        let isStatus = prefixes.contains { $0.mode == "q" }
        if !isStatus, channelModes?.lists.contains("q") == true { return ("q", "") }
        guard let (prefix, letters) = extendedBans else { return nil }
        // InspIRCd and Ergo.
        if prefix.isEmpty, letters.contains("m") { return ("b", "m:") }
        guard prefix == "~" else { return nil }
        // UnrealIRCd has both, and there `m` is something else.
        if letters.contains("q") { return ("b", "~q:") }
        if letters.contains("m") { return ("b", "~m:") }
        return nil
    }

    /// Whether the network can make a user silent in a channel.
    package var canQuiet: Bool { quiet != nil }

    /// Returns what identifies a member in masks; nil if nothing is known that is specific enough.
    package func maskSubject(of member: ChannelMembers.Member) -> MaskSubject? {
        maskSubject(account: member.account, host: member.host)
    }

    /// Returns what identifies a user with this account or host in masks; nil if neither is known and specific enough.
    package func maskSubject(account: String?, host: String?) -> MaskSubject? {
        MaskSubject(account: account, host: host, canNameAccounts: accountPrefix != nil)
    }

    /// Returns the entry that bans a user or makes them silent; nil if there can be none.
    package func listedMask(for subject: MaskSubject, isQuiet: Bool) -> ListedMask? {
        let mask: String
        switch subject {
        case .account(let name):
            guard let accountPrefix else { return nil }
            mask = accountPrefix + name
        case .host(let host): mask = "*!*@" + host
        }
        guard isQuiet else { return ListedMask(mode: "b", mask: mask) }
        guard let quiet else { return nil }
        return ListedMask(mode: quiet.mode, mask: quiet.prefix + mask)
    }
}
