/// A server's features and limits (005 `RPL_ISUPPORT`).
///
/// draft-hardy-irc-isupport-00, modern.ircdocs.horse/#rplisupport-parameters. Values that can't be parsed count as missing.
package struct ISupport: Hashable, Sendable {
    /// A membership mode, and the prefix of a nick that has it.
    package struct Prefix: Hashable, Sendable {
        /// The mode, such as `o`.
        package var mode: Character
        /// The prefix, such as `@`.
        package var symbol: Character

        /// Creates a pair of mode and prefix.
        package init(mode: Character, symbol: Character) {
            self.mode = mode
            self.symbol = symbol
        }
    }

    /// The channel modes, by whether they take a parameter (`CHANMODES`).
    package struct ChannelModes: Hashable, Sendable {
        /// Type A: modes that add to or remove from a list, such as bans; without a parameter they request the list.
        package var lists: [Character]
        /// Type B: modes that always have a parameter.
        package var alwaysParameter: [Character]
        /// Type C: modes that have a parameter only when set.
        package var parameterWhenSet: [Character]
        /// Type D: modes without a parameter.
        package var noParameter: [Character]
    }

    /// How names are compared; ``CaseMapping/rfc1459`` by default and if the server's mapping is unknown.
    package private(set) var caseMapping = CaseMapping.rfc1459
    /// The characters that channel names begin with; `#` and `&` by default.
    package private(set) var channelTypes: [Character] = ["#", "&"]
    /// The membership modes, highest first; operator `@` and voice `+` by default.
    package private(set) var prefixes = Self.usualPrefixes
    /// The prefixes that limit a channel message to members with that status or higher; none by default.
    package private(set) var statusPrefixes: [Character] = []

    /// Whether `WHO` supports WHOX.
    package private(set) var hasWHOX = false
    /// The length limit of a line in bytes, with CR LF but without tags: 512, or more if the server says so, up to 65,536.
    package private(set) var lineLength = Self.usualLineLength

    private var values: [String: String] = [:]

    private static let usualPrefixes = [Prefix(mode: "o", symbol: "@"), Prefix(mode: "v", symbol: "+")]
    /// More than any real server sends; bounds the memory that a hostile server can use.
    private static let maxValues = 500
    private static let maxNameLength = 64
    private static let maxValueLength = 1000
    private static let usualLineLength = 512
    private static let maxLineLength = 65_536

    /// Creates the defaults, which apply before the first 005.
    package init() {}

    /// Handles the parameters of a 005: the robot's nick first, and "are supported by this server" last.
    ///
    /// Tokens are `NAME`, `NAME=VALUE` with escapes such as `\x20`, and `-NAME`, which withdraws it. Others are ignored, as are
    /// values of more than 1,000 bytes, and names after the 500th.
    package mutating func update(_ parameters: [String]) {
        for token in parameters.dropFirst() { update(token) }
        caseMapping = self["CASEMAPPING"].flatMap(CaseMapping.init(name:)) ?? .rfc1459
        channelTypes = self["CHANTYPES"].map(Self.characters) ?? ["#", "&"]
        prefixes = self["PREFIX"].flatMap(Self.prefixes) ?? Self.usualPrefixes
        statusPrefixes = self["STATUSMSG"].map(Self.characters) ?? []
        hasWHOX = self["WHOX"] != nil
        lineLength = min(max(number("LINELEN") ?? 0, Self.usualLineLength), Self.maxLineLength)
    }

    /// The unescaped value of a token: empty if it has none, nil if the server didn't send it.
    package subscript(name: String) -> String? { values[name] }

    private mutating func update(_ token: String) {
        let isTakenBack = token.utf8.first == .hyphen
        let parts = (isTakenBack ? token.dropFirst() : token[...]).utf8
            .split(separator: .equals, maxSplits: 1, omittingEmptySubsequences: false)
        // The text at the end isn't a token: it has spaces.
        guard let bytes = parts.first, Self.isName(bytes) else { return }
        let name = String(Substring(bytes))
        if isTakenBack {
            values[name] = nil
        } else if values[name] != nil || values.count < Self.maxValues {
            let value = parts.count > 1 ? parts[1] : Substring().utf8
            if value.count <= Self.maxValueLength { values[name] = ISupportValue.unescaped(value) }
        }
    }

    private static func isName(_ bytes: Substring.UTF8View) -> Bool {
        !bytes.isEmpty && bytes.count <= maxNameLength && bytes.first != .hyphen
            && bytes.allSatisfy { $0 > .space && $0 < 0x7f }
    }

    private static func characters(_ value: String) -> [Character] { value.unicodeScalars.map(Character.init) }

    /// Parses `(ov)@+`; nil if the numbers of modes and prefixes differ.
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
    /// The length limit of nicks in bytes; nil, here and below, if the server didn't send one.
    package var nickLength: Int? { number("NICKLEN") }
    /// The length limit of channel names in bytes.
    package var channelLength: Int? { number("CHANNELLEN") }
    /// The length limit of topics in bytes.
    package var topicLength: Int? { number("TOPICLEN") }
    /// The length limit of kick reasons in bytes.
    package var kickLength: Int? { number("KICKLEN") }

    /// The network's name.
    package var network: String? { self["NETWORK"].flatMap { $0.isEmpty ? nil : $0 } }
    /// The user mode that marks a bot (IRCv3 bot-mode); nil if there is none.
    package var botMode: Character? { self["BOT"]?.unicodeScalars.first.map(Character.init) }
    /// How many nicks can be monitored (IRCv3 monitor): nil if unsupported, `Int.max` if unlimited.
    package var monitorLimit: Int? { self["MONITOR"].flatMap { $0.isEmpty ? Int.max : ISupportValue.number($0[...]) } }
    /// How many messages can be requested at once (IRCv3 chathistory); nil if unlimited.
    package var historyLimit: Int? { number("CHATHISTORY") }
    /// How many modes with a parameter one `MODE` can change: 3 by default, 256 if unlimited.
    package var modesPerCommand: Int {
        self["MODES"].map { $0.isEmpty ? 256 : min(ISupportValue.number($0[...]) ?? 3, 256) } ?? 3
    }

    /// The channel modes, by whether they take a parameter; nil if the server didn't send them.
    package var channelModes: ChannelModes? {
        guard let value = self["CHANMODES"], !value.isEmpty else { return nil }
        var kinds = Self.characters(value).split(separator: ",", omittingEmptySubsequences: false).map(Array.init)
        // There are four types; further ones are reserved.
        while kinds.count < 4 { kinds.append([]) }
        return ChannelModes(
            lists: kinds[0], alwaysParameter: kinds[1], parameterWhenSet: kinds[2], noParameter: kinds[3])
    }

    /// How many targets a command can have (`TARGMAX`, else `MAXTARGETS`); nil if no limit is known.
    package func targetLimit(for command: String) -> Int? {
        let command = command.uppercased()
        for entry in (self["TARGMAX"] ?? "").split(separator: ",") {
            let parts = entry.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].uppercased() == command { return ISupportValue.number(parts[1]) }
        }
        return number("MAXTARGETS")
    }

    /// Whether the text is a channel name, without a status prefix.
    package func isChannel(_ name: String) -> Bool {
        // Nearly all channels begin with this one.
        if name.utf8.first == UInt8(ascii: "#"), channelTypes.first == "#" { return true }
        return name.unicodeScalars.first.map { channelTypes.contains(Character($0)) } ?? false
    }

    /// The channel of a target, without status prefixes such as the `@` of `@#room`; nil if the target isn't a channel.
    ///
    /// A character that can begin a channel name isn't a status prefix.
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
