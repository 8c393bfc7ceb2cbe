/// A change of a channel that a moderator requests.
package enum ChannelChange: Hashable, Sendable {
    /// Gives a status to a member, such as that of an operator (`o`), or takes it.
    case status(Character, isGiven: Bool, of: MemberStay)
    /// Removes a member.
    case kick(MemberStay, reason: String)
    /// Adds an entry to a list, and removes a member if one is given.
    case add(ListedMask, kicking: MemberStay?, reason: String)
    /// Removes an entry from a list; if `ifOwn`, only if the server doesn't show that somebody else has set it.
    case remove(ListedMask, ifOwn: Bool)
    /// Sets the topic.
    case topic(String)
}

/// Why a channel wasn't changed.
package enum ChannelRefusal: Hashable, Sendable {
    /// There is no connection.
    case notConnected
    /// The robot isn't an operator of the channel; with what the server or the services say.
    case notOperator(String)
    /// The member has left.
    case noSuchMember
    /// The robot isn't in the channel.
    case notInChannel
    /// The list is full.
    case listIsFull
    /// Too many changes wait.
    case tooMany
    /// Somebody else has set the entry that was to be removed: the user with this nick.
    case setByOther(String)
    /// The server gave another reason.
    case other(String)
    /// The server didn't answer, so the change may have been made.
    case noAnswer

    /// Creates the refusal for a numeric reply; nil if it isn't one.
    init?(_ number: Int, _ text: String) {
        switch number {
        case 482: self = .notOperator(text)
        case 401, 441: self = .noSuchMember
        case 403, 442: self = .notInChannel
        case 478: self = .listIsFull
        case 461, 467, 472, 476, 477, 484, 485, 696, 972, 974: self = .other(text)
        default: return nil
        }
    }
}

/// The changes of channels that the robot has requested: one at a time, so that it is clear which one a reply refuses.
///
/// Servers don't confirm a change that changes nothing. So a `PING` follows each one: what refuses the change arrives
/// before the answer.
struct ModerationTracker: Sendable {
    /// A requested change.
    struct Request: Sendable {
        /// The name by which the session's owner knows it.
        let name: String
        /// The channel, folded.
        let channel: String
        let change: ChannelChange
        /// When it is too late to begin with it.
        let until: Duration
    }

    /// What the session waits for.
    enum Step: Sendable {
        /// The list of the entry to remove was requested, to see who has set it, and a `PING` with this token was sent.
        case reading(token: String, until: Duration)
        /// The change was sent, and a `PING` with this token.
        case sent(token: String, until: Duration)
        /// The services were asked to make the robot an operator.
        case askedServices(until: Duration)

        var deadline: Duration {
            switch self {
            case .reading(_, let until), .sent(_, let until), .askedServices(let until): until
            }
        }

        /// The token of the `PING` whose answer ends this step; nil if there is none.
        var token: String? {
            switch self {
            case .reading(let token, _), .sent(let token, _): token
            case .askedServices: nil
            }
        }
    }

    /// The change that was sent.
    struct Current: Sendable {
        let request: Request
        var step: Step
        /// The first reply that refuses it.
        var refusal: ChannelRefusal?
        /// Whether the server has shown that the robot added an entry that wasn't in the list before.
        var hasAdded = false
        var hasAskedServices = false
        /// What the services said last.
        var servicesText: String?
    }

    var current: Current?
    var waiting: [Request] = []
    private var lastToken = 0
    static let maxWaiting = 20
    /// The timeout for the server, and again for the services.
    static let timeout: Duration = .seconds(8)
    /// How long a change may wait for the ones before it, so that it isn't made when nobody waits for it any more.
    static let patience: Duration = .seconds(25)

    /// When the current change is given up; nil if there is none.
    var due: Duration? { current?.step.deadline }

    /// Returns the token of the next `PING`.
    mutating func nextToken() -> String {
        lastToken += 1
        return "heybot-\(lastToken)"
    }
}
