/// A matcher and a closure, and what is known about them: all that help, permission and tests need.
public struct Listener: Sendable, Identifiable {
    /// What a listener listens to.
    public enum Trigger: String, Codable, Sendable {
        /// Words anywhere in a room.
        case hear
        /// Words addressed to the robot.
        case respond
        case enter, leave, topic
        /// Whatever its matcher takes.
        case listen
        /// What nothing else matched.
        case catchAll
    }

    /// Unique in the robot: the script's name and a number in order of registration, unless one was given.
    public internal(set) var id: String
    /// The script that registered it.
    public let script: String
    /// What it listens to.
    public let trigger: Trigger
    /// The pattern's text; nil if there is no regex, or none that can be printed.
    public let pattern: String?
    /// Its commands, one for each line of the help given with it.
    public let help: [HelpLine]
    /// A message it answers, without the robot's name; tested like any other promise.
    public let example: String?
    /// Who may use it.
    public let access: Access
    /// How long it rests after it was used; not at all if nil.
    public let coolDown: CoolDown?
    /// How long its closure may take; the robot's deadline if nil.
    public let deadline: Duration?

    /// Whether nothing rules it out, so that it is tried for every message: for all that is said, or all that is said to
    /// the robot, or all that happens.
    ///
    /// Such listeners cost time with each message, others don't.
    public var isAlwaysTried: Bool {
        switch trigger {
        // That there is a text at all rules nothing out.
        case .hear, .respond: needs.pieces.isEmpty && needs.bytes.isEmpty && needs.only == nil && needs.leastLength < 2
        case .listen: needs.isNothing
        case .enter, .leave, .topic, .catchAll: false
        }
    }

    /// Whether only what is said to the robot can match.
    let isForAddressed: Bool
    /// What every text that matches has, as far as the pattern tells.
    let needs: Needs
    /// What is to be run if the message matches; nil if it doesn't.
    let attempt: @Sendable (Candidate) -> Work?

    typealias Work = @Sendable (Exchange) async throws -> Void

    /// What a log and a crash report call it.
    var part: ScriptPart { ScriptPart(script: script, part: id) }

    /// What the robot itself answers with, in place of a script's.
    static let robotItself = Listener(
        id: "Heybot", script: "Heybot", trigger: .listen, pattern: nil, help: [], example: nil, access: .everyone,
        coolDown: nil, deadline: nil, isForAddressed: false, needs: .none, attempt: { _ in nil })
}

/// Who may use a listener.
public enum Access: String, Codable, Sendable {
    case everyone
    /// The robot's admins only.
    case admins
}

/// How long a listener rests after it was used; somebody who addresses one that rests is told so, every few seconds at most.
public struct CoolDown: Hashable, Sendable {
    /// For whom it rests.
    public enum Scope: String, Codable, Sendable {
        case user, room, everyone
    }

    /// How long it rests.
    public let duration: Duration
    /// For whom it rests.
    public let scope: Scope

    /// Makes a rest of that length.
    public init(_ duration: Duration, per scope: Scope) {
        self.duration = duration
        self.scope = scope
    }

    /// Each user waits that long; others may use it meanwhile.
    public static func perUser(_ duration: Duration) -> Self { Self(duration, per: .user) }
    /// Everybody in the room waits that long.
    public static func perRoom(_ duration: Duration) -> Self { Self(duration, per: .room) }
    /// Everybody everywhere waits that long.
    public static func perRobot(_ duration: Duration) -> Self { Self(duration, per: .everyone) }
}

/// A command as help shows it: `<name>++ - Give someone a point`.
public struct HelpLine: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// What to type, without the robot's name.
    public let usage: String
    /// What it does; nil if the line had no ` - `.
    public let purpose: String?

    /// The line itself: `usage - what it does`.
    public var description: String { purpose.map { "\(usage) - \($0)" } ?? usage }

    init(_ line: Substring) {
        let dash = line.firstRange(of: " - ")
        usage = String(dash.map { line[..<$0.lowerBound] } ?? line)
        purpose = dash.map { String(line[$0.upperBound...]) }
    }

    public static func < (one: HelpLine, other: HelpLine) -> Bool { one.description < other.description }
}

/// A message on its way through the listeners.
package struct Candidate: Sendable {
    let message: Message
    /// What is said to the robot, its name taken off; nil if it isn't addressed.
    let addressed: Substring?

    package init(_ message: consuming Message, _ addressing: Addressing) {
        let isForUs = message.room.isPrivate || message.isAddressed
        addressed = message.text.flatMap { isForUs ? addressing.privateWords(of: $0) : addressing.words(of: $0) }
        self.message = message
    }

    /// What was said, if the message is words.
    var text: String? { message.text }

    /// The same without the punctuation at the end of what is said to the robot; nil if there is none, or nothing else.
    var unpunctuated: Candidate? {
        guard var words = addressed, let last = words.last, Addressing.isClosing(last) else { return nil }
        while let last = words.last, Addressing.isClosing(last) || last.isWhitespace { words.removeLast() }
        return words.isEmpty ? nil : Candidate(message: message, addressed: words)
    }

    private init(message: Message, addressed: Substring) {
        self.message = message
        self.addressed = addressed
    }
}
