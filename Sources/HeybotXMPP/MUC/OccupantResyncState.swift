/// The state of a room's resynchronization: finding out again who is in it, see Session+OccupantResync.swift.
enum OccupantResyncState: Hashable, Sendable {
    /// The known occupants are right.
    case idle
    /// The list will be requested at this time.
    case scheduled(at: Duration)
    /// The known occupants are right, but a list at this time may let the session verify newcomers again.
    case overfull(until: Duration)
    /// The first join is sent; its answer begins the list.
    case requested(OccupantList)
    /// The second join is sent; its answer ends the list.
    case listing(OccupantList)
    /// The room sends no list that can be distinguished from other presences: the session leaves and joins again at this time.
    case unanswered(until: Duration)

    /// A list that the session waits for.
    struct OccupantList: Hashable, Sendable {
        /// The id of the join whose answer the session waits for.
        var id: String
        /// The deadline.
        var until: Duration
        /// Something has changed since the list began, so it has to be requested again, this long after the last request; nil
        /// if nothing has.
        var repetition: Duration?
        /// The room has sent the session's own presence without an id of a join.
        var hasSelf = false
        /// The nicks of the occupants who have been shown since the list began.
        var shown: Set<String> = []
        /// Those who are certainly the occupants that the session knew by these nicks.
        var proven: Set<String> = []
    }

    var due: Duration? {
        switch self {
        case .idle: nil
        case .scheduled(let time), .overfull(let time), .unanswered(let time): time
        case .requested(let list), .listing(let list): list.until
        }
    }

    /// The list that the session waits for.
    private var list: OccupantList? {
        switch self {
        case .idle, .scheduled, .overfull, .unanswered: nil
        case .requested(let list), .listing(let list): list
        }
    }

    /// Whether a join is unanswered.
    var isJoining: Bool { list != nil }

    /// Whether a list is expected, so that answers to occupants in doubt wait for it.
    var holdsAnswers: Bool {
        switch self {
        case .idle, .overfull, .unanswered: false
        case .scheduled, .requested, .listing: true
        }
    }

    /// Whether the room may send a list.
    var canList: Bool { if case .unanswered = self { false } else { true } }

    /// Changes the list that the session waits for.
    mutating func updateList(_ change: (inout OccupantList) -> Void) {
        switch self {
        case .idle, .scheduled, .overfull, .unanswered: break
        // Without a second reference, changing the list doesn't copy it.
        case .requested(var list):
            self = .idle
            change(&list)
            self = .requested(list)
        case .listing(var list):
            self = .idle
            change(&list)
            self = .listing(list)
        }
    }

    mutating func extendDeadlines(by time: Duration) {
        updateList { $0.until += time }
    }

    /// Discards the list, because it may have been sent before a change.
    ///
    /// - Parameter interval: How long after the last request it may be requested again.
    mutating func invalidate(_ interval: Duration = Self.interval) {
        updateList { $0.repetition = min($0.repetition ?? interval, interval) }
    }

    /// The minimum time between two requests, however often the configuration changes.
    static let interval: Duration = .seconds(10)
    /// The same for requests because of stanzas that couldn't be read: strangers may be able to send them.
    static let unreadableInterval: Duration = .seconds(60)
}
