/// What a server says of itself and its limits (005 `RPL_ISUPPORT`).
///
/// draft-hardy-irc-isupport-00, modern.ircdocs.horse/#rplisupport-parameters. What can't be understood counts as not told.
package struct ISupport: Hashable, Sendable {
    /// A mode somebody has in a channel, and what stands in front of the nick for it.
    package struct Prefix: Hashable, Sendable {
        /// The mode: `o`.
        package var mode: Character
        /// What stands in front of the nick: `@`.
        package var symbol: Character

        /// Makes a pair of them.
        package init(mode: Character, symbol: Character) {
            self.mode = mode
            self.symbol = symbol
        }
    }

    /// Modes of channels, by whether they have a parameter (`CHANMODES`).
    package struct ChannelModes: Hashable, Sendable {
        /// Those that add to a list or take from it, as bans; without a parameter they ask for it.
        package var lists: [Character]
        /// Those that have a parameter, whether set or taken away.
        package var alwaysParameter: [Character]
        /// Those that have a parameter if they are set, and none if they are taken away.
        package var parameterWhenSet: [Character]
        /// Those that have none.
        package var noParameter: [Character]
    }

    /// How names are compared: ``CaseMapping/rfc1459`` until told, and if it is one we don't know.
    package private(set) var caseMapping = CaseMapping.rfc1459
    /// What names of channels begin with: `#` and `&` until told.
    package private(set) var channelTypes: [Character] = ["#", "&"]
    /// What people can be in a channel, the highest first: operator `@` and voice `+` until told.
    package private(set) var prefixes = Self.usualPrefixes
    /// What may stand in front of a channel to mean only those in it who have that or more: none until told.
    package private(set) var statusPrefixes: [Character] = []

    private var values: [String: String] = [:]

    private static let usualPrefixes = [Prefix(mode: "o", symbol: "@"), Prefix(mode: "v", symbol: "+")]
    /// More than any server says, so that none makes us keep whatever it likes.
    private static let mostValues = 500
    private static let longestName = 64
    private static let longestValue = 1000
    private static let longestLine = 65_536

    /// Makes what holds for a server that told nothing yet.
    package init() {}

    /// Takes the parameters of a 005 as they came: our nick first, and "are supported by this server" last.
    ///
    /// `NAME`, `NAME=VALUE` with `\x20` and the like for what can't stand there, and `-NAME`, which takes it back.
    /// Anything else is left out, as are values of more than 1,000 bytes, and names after the 500th.
    package mutating func take(_ parameters: [String]) {
        for token in parameters.dropFirst() { take(token) }
        caseMapping = self["CASEMAPPING"].flatMap(CaseMapping.init(name:)) ?? .rfc1459
        channelTypes = self["CHANTYPES"].map(Self.characters) ?? ["#", "&"]
        prefixes = self["PREFIX"].flatMap(Self.prefixes) ?? Self.usualPrefixes
        statusPrefixes = self["STATUSMSG"].map(Self.characters) ?? []
    }

    /// The value of a name, with its escapes undone: empty if it has none, nil if it wasn't told.
    package subscript(name: String) -> String? { values[name] }

    private mutating func take(_ token: String) {
        let isTakenBack = token.utf8.first == .hyphen
        let parts = (isTakenBack ? token.dropFirst() : token[...]).utf8
            .split(separator: .equals, maxSplits: 1, omittingEmptySubsequences: false)
        // The text at the end is no name: it has spaces.
        guard let bytes = parts.first, Self.isName(bytes) else { return }
        let name = String(Substring(bytes))
        if isTakenBack {
            values[name] = nil
        } else if values[name] != nil || values.count < Self.mostValues {
            let value = parts.count > 1 ? parts[1] : Substring().utf8
            if value.count <= Self.longestValue { values[name] = ISupportValue.unescaped(value) }
        }
    }

    private static func isName(_ bytes: Substring.UTF8View) -> Bool {
        !bytes.isEmpty && bytes.count <= longestName && bytes.first != .hyphen
            && bytes.allSatisfy { $0 > .space && $0 < 0x7f }
    }

    private static func characters(_ value: String) -> [Character] { value.unicodeScalars.map(Character.init) }

    /// Reads `(ov)@+`; nil if there aren't as many of one as of the other.
    private static func prefixes(_ value: String) -> [Prefix]? {
        if value.isEmpty { return [] }
        let parts = characters(value).split(separator: ")", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].first == "(" else { return nil }
        let modes = parts[0].dropFirst()
        guard modes.count == parts[1].count else { return nil }
        return zip(modes, parts[1]).map(Prefix.init(mode:symbol:))
    }
}

extension ISupport {
    /// How long a nick may be; nil if no limit is known, as with those that follow.
    package var nickLength: Int? { number("NICKLEN") }
    /// How long a channel's name may be.
    package var channelLength: Int? { number("CHANNELLEN") }
    /// How long a topic may be.
    package var topicLength: Int? { number("TOPICLEN") }
    /// How long the reason for a kick may be.
    package var kickLength: Int? { number("KICKLEN") }
    /// How many bytes a line may have with CR LF and without tags: 512, or more if the server says so, up to 65,536.
    package var lineLength: Int { min(max(number("LINELEN") ?? 512, 512), Self.longestLine) }

    /// What the network calls itself.
    package var network: String? { self["NETWORK"].flatMap { $0.isEmpty ? nil : $0 } }
    /// The mode that tells others we are a bot (IRCv3 bot-mode); nil if there is none.
    package var botMode: Character? { self["BOT"]?.unicodeScalars.first.map(Character.init) }
    /// How many nicks can be watched (IRCv3 monitor): nil if none can, `Int.max` if no limit was told.
    package var monitorLimit: Int? { self["MONITOR"].flatMap { $0.isEmpty ? Int.max : ISupportValue.number($0[...]) } }
    /// Whether `WHO` can be asked for more (WHOX).
    package var hasWHOX: Bool { self["WHOX"] != nil }
    /// How many modes with a parameter one `MODE` may set: 3 until told, 256 if there is no limit.
    package var modesPerCommand: Int {
        self["MODES"].map { $0.isEmpty ? 256 : min(ISupportValue.number($0[...]) ?? 3, 256) } ?? 3
    }

    /// The modes of channels, by whether they have a parameter; nil until told.
    package var channelModes: ChannelModes? {
        guard let value = self["CHANMODES"], !value.isEmpty else { return nil }
        var kinds = Self.characters(value).split(separator: ",", omittingEmptySubsequences: false).map(Array.init)
        // What comes after the fourth is of kinds nobody knows.
        while kinds.count < 4 { kinds.append([]) }
        return ChannelModes(
            lists: kinds[0], alwaysParameter: kinds[1], parameterWhenSet: kinds[2], noParameter: kinds[3])
    }

    /// How many targets a command may have (`TARGMAX`, else `MAXTARGETS`); nil if no limit is known.
    package func targetLimit(for command: String) -> Int? {
        let command = command.uppercased()
        for entry in (self["TARGMAX"] ?? "").split(separator: ",") {
            let parts = entry.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].uppercased() == command { return ISupportValue.number(parts[1]) }
        }
        return number("MAXTARGETS")
    }

    /// Whether it is the name of a channel, with nothing in front.
    package func isChannel(_ name: String) -> Bool {
        name.unicodeScalars.first.map { channelTypes.contains(Character($0)) } ?? false
    }

    /// The channel a target means, without status prefixes such as the `@` of `@#room`; nil if it is no channel.
    ///
    /// What can begin a channel's name is no status prefix.
    package func channel(of target: String) -> String? {
        if isChannel(target) { return target }
        let scalars = target.unicodeScalars.drop {
            !channelTypes.contains(Character($0)) && statusPrefixes.contains(Character($0))
        }
        let name = String(Substring(scalars))
        return isChannel(name) ? name : nil
    }

    private func number(_ name: String) -> Int? { self[name].flatMap { ISupportValue.number($0[...]) } }
}
