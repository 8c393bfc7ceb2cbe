/// The rooms that the session is in or wants to be in.
struct RoomStates: Sendable {
    private var all: [JID: RoomState] = [:]
    private var order: [JID] = []
    private let nick: String
    private let timeouts: Timeouts
    static let max = 500
    /// The forgotten rooms that haven't confirmed that the session is outside.
    private var unconfirmed: Set<JID> = []
    private static let maxUnconfirmed = 1_000

    init(_ wanted: [SessionConfiguration.Room], nick: String, timeouts: Timeouts, at now: Duration) {
        self.nick = nick
        self.timeouts = timeouts
        for room in wanted { want(room, isTentative: false, at: now) }
    }

    subscript(address: JID) -> RoomState? { all[address] }

    /// Without the tentative ones.
    var wanted: [SessionConfiguration.Room] { order.compactMap { all[$0] }.filter { !$0.isTentative }.map(\.wanted) }
    var inside: [JID] { order.filter { all[$0]?.isInside == true } }
    /// Whether every room has accepted or refused the join.
    var haveAnswered: Bool { all.values.allSatisfy(\.hasAnswered) }

    /// When something is due.
    var due: Duration? { all.values.lazy.compactMap { $0.due(self.timeouts) }.min() }

    /// Returns the rooms for which something is due, in the order in which they were added.
    func due(at now: Duration) -> [JID] {
        order.filter { all[$0]?.due(timeouts).map { $0 <= now } ?? false }
    }

    var isFull: Bool { order.count >= Self.max }
    /// Returns the number of rooms whose inviter matches.
    func count(where matches: (JID) -> Bool) -> Int {
        order.count { all[$0]?.wanted.inviter.flatMap { try? JID($0) }.map(matches) ?? false }
    }
    /// The rooms that wait for the description of their service.
    var checking: [JID] { order.filter { all[$0]?.phase == .checking } }

    /// Returns the rooms of a service.
    func all(at domain: String) -> [JID] { order.filter { $0.domain == domain } }

    mutating func want(_ room: SessionConfiguration.Room, isTentative: Bool, at now: Duration) {
        guard all[room.address] == nil, !isFull else { return }
        all[room.address] = RoomState(room, nick: nick, isTentative: isTentative, at: now)
        order.append(room.address)
        // If there are too many, it may be any room.
        let mayBeInside = unconfirmed.count >= Self.maxUnconfirmed || unconfirmed.contains(room.address)
        if mayBeInside { all[room.address]?.doubtsList = true }
        unconfirmed.remove(room.address)
    }

    /// Handles that a forgotten room confirms that the session is outside.
    mutating func confirmLeave(of address: JID) { if !unconfirmed.isEmpty { unconfirmed.remove(address) } }

    /// - Parameter mayBeInside: Whether the session may still be in the room.
    mutating func forget(_ address: JID, mayBeInside: Bool = false) {
        if mayBeInside || all[address]?.doubtsList == true, unconfirmed.count < Self.maxUnconfirmed {
            unconfirmed.insert(address)
        }
        all[address] = nil
        order.removeAll { $0 == address }
    }

    /// Extends the deadlines of joins and of requested lists of occupants.
    mutating func extendDeadlines(by time: Duration) {
        for index in all.values.indices {
            if case .entering(let until) = all.values[index].phase {
                all.values[index].phase = .entering(until: until + time)
            }
            all.values[index].resync.extendDeadlines(by: time)
        }
    }

    /// Changes the state of every room.
    mutating func updateAll(_ change: (inout RoomState) -> Void) {
        for index in all.values.indices { change(&all.values[index]) }
    }

    /// Changes the state of a room.
    ///
    /// - Returns: The result of the change; nil if the room isn't one of the session's.
    @discardableResult
    mutating func update<Result>(_ address: JID, _ change: (inout RoomState) -> Result) -> Result? {
        guard let index = all.index(forKey: address) else { return nil }
        return change(&all.values[index])
    }
}
