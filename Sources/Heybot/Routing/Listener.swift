/// A matcher and a closure, with the data that help, permissions and tests need.
public struct Listener: Sendable, Identifiable {
    /// The kind of messages that a listener handles.
    public enum Trigger: String, Codable, Sendable {
        /// Any text said in a room.
        case hear
        /// Text addressed to the robot.
        case respond
        /// A user who enters or leaves a room, or a change of a topic.
        case enter, leave, topic
        /// A user's change of the reactions to a message.
        case reaction
        /// A retraction of a message.
        case retraction
        /// A user's change of their name, or of another part of their profile.
        case profile
        /// Any message, by a matcher function.
        case listen
        /// Text that no other listener matched.
        case catchAll
    }

    /// The listener's id, unique in the robot: by default, the script's name and a number.
    public let id: String
    /// The script that registered it.
    public let script: String
    /// The kind of messages that it handles.
    public let trigger: Trigger
    /// The text of its pattern; nil if it has no regex, or the regex can't be printed.
    public let pattern: String?
    /// Its commands, one for each line of its help.
    public let help: [HelpLine]
    /// A message that it matches, without the robot's name.
    ///
    /// Tests check that it does.
    public let example: String?
    /// Who may use it and where, as its script says; see ``Robot/access(to:)``.
    public let access: Access
    /// What the robot asks the user before the closure runs; nil if nothing.
    public let confirmation: String?
    /// The approval by a second user that it needs; nil if none.
    public let approval: Approval?
    /// Its cooldown after use; nil for none.
    public let cooldown: Cooldown?
    /// The longest time that its closure may take; nil for the robot's limit.
    public let deadline: Duration?

    /// Whether the prefilter can't exclude it, so that it is tried for every message of its kind.
    ///
    /// Such listeners cost time for each message; others don't.
    public var isAlwaysTried: Bool {
        switch trigger {
        case .hear, .respond: requirements.areMetByMostTexts
        case .listen: requirements.isEmpty
        case .enter, .leave, .topic, .reaction, .retraction, .profile, .catchAll: false
        }
    }

    /// Whether only messages addressed to the robot can match.
    let isForAddressed: Bool
    /// What every matching text contains, as far as the pattern can be analyzed.
    package let requirements: MatchRequirements
    /// Matches a message.
    ///
    /// Returns the closure to run; nil if the message doesn't match.
    let match: @Sendable (RoutingInput) -> Handler?
    /// Whether it gets every corrected message that matches, also if the robot has understood the original.
    public internal(set) var hearsEdits = false
    /// Whether its code runs in another process, which confirms the match; see ``RemoteListener``.
    package internal(set) var isRemote = false
    /// The flags of its pattern if that is JavaScript's, such as `i`.
    package internal(set) var flags = ""

    /// A closure, bound to its match.
    typealias Handler = @Sendable (ListenerRunContext) async throws -> Void

    /// The listener as it is named in logs and crash reports.
    var origin: RunningScriptPart { RunningScriptPart(script: script, part: id) }

    /// The listener in whose name the robot itself sends notices.
    static let robotItself = Listener(
        id: "Heybot", script: "Heybot", trigger: .listen, pattern: nil, help: [], example: nil, access: .everyone,
        confirmation: nil, approval: nil, cooldown: nil, deadline: nil, isForAddressed: false, requirements: .none,
        match: { _ in nil })
}

/// The time after use in which a listener can't be used again.
///
/// A user who addresses it meanwhile gets a line saying how long to wait, every few seconds at most.
public struct Cooldown: Hashable, Sendable {
    /// Whom a cooldown applies to: the user, the room, or everyone.
    public enum Scope: String, Codable, Sendable {
        case user, room, everyone
    }

    /// Its length.
    public let duration: Duration
    /// Whom it applies to.
    public let scope: Scope

    /// Creates a cooldown.
    public init(_ duration: Duration, per scope: Scope) {
        self.duration = duration
        self.scope = scope
    }

    /// A cooldown for each user: others may use the listener meanwhile.
    public static func perUser(_ duration: Duration) -> Self { Self(duration, per: .user) }
    /// A cooldown for all users in a room.
    public static func perRoom(_ duration: Duration) -> Self { Self(duration, per: .room) }
    /// A cooldown for all users in all rooms.
    public static func perRobot(_ duration: Duration) -> Self { Self(duration, per: .everyone) }
}

/// A command in the help: `<name>++ - Give someone a point`.
public struct HelpLine: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// What the user types, without the robot's name.
    public let usage: String
    /// What the command does; nil if the line has no ` - `.
    public let purpose: String?

    /// The words of the usage before its first placeholder, in lower case: `deploy` for `deploy <app> to <environment>`.
    ///
    /// Empty if the usage begins with a placeholder.
    public var command: String { Self.command(of: usage) }

    /// The words of a text before its first placeholder, in lower case.
    package static func command(of usage: String) -> String {
        usage.lowercased().split(whereSeparator: \.isWhitespace).prefix { !$0.contains("<") }.joined(separator: " ")
    }

    /// The line itself: `usage - what it does`.
    public var description: String { purpose.map { "\(usage) - \($0)" } ?? usage }

    package init(_ line: Substring) {
        let dash = line.firstRange(of: " - ")
        usage = String(dash.map { line[..<$0.lowerBound] } ?? line)
        purpose = dash.map { String(line[$0.upperBound...]) }
    }

    public static func < (one: HelpLine, other: HelpLine) -> Bool { one.description < other.description }
}
