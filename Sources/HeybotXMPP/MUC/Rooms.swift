/// The rooms we want to be in.
struct Rooms: Sendable {
    private var all: [JID: Room] = [:]
    private var order: [JID] = []
    private let nick: String
    private let waits: Waits
    static let most = 500

    init(_ wanted: [Profile.Room], nick: String, waits: Waits, at now: Duration) {
        self.nick = nick
        self.waits = waits
        for room in wanted { want(room, isOnTrial: false, at: now) }
    }

    subscript(address: JID) -> Room? { all[address] }

    /// Without those that we were invited to and that didn't let us in yet.
    var wanted: [Profile.Room] { order.compactMap { all[$0] }.filter { !$0.isOnTrial }.map(\.wanted) }
    var inside: [JID] { order.filter { all[$0]?.isInside == true } }
    /// Whether each has let us in, or said why not.
    var haveAnswered: Bool { all.values.allSatisfy(\.hasAnswered) }

    /// Whether it would be heard: in a room that we want to be in, only once we are; by somebody there, only once we know
    /// who is.
    func canHear(_ chat: Chat) -> Bool {
        guard let room = all[chat.target.bare] else { return true }
        return room.isInside && (chat.target.isBare || room.resync == .none)
    }

    /// When there is something to do.
    var due: Duration? { all.values.lazy.compactMap { $0.due(self.waits) }.min() }

    /// What there is to be done about by now, in the order they were wanted.
    func due(at now: Duration) -> [JID] {
        order.filter { all[$0]?.due(waits).map { $0 <= now } ?? false }
    }

    var isFull: Bool { order.count >= Self.most }
    /// How many we were invited to by those that match.
    func count(where matches: (JID) -> Bool) -> Int {
        order.count { all[$0]?.wanted.inviter.flatMap { try? JID($0) }.map(matches) ?? false }
    }
    /// Those that we would go into, if they are rooms.
    var checking: [JID] { order.filter { all[$0]?.phase == .checking } }

    /// Those at a service.
    func all(at domain: String) -> [JID] { order.filter { $0.domain == domain } }

    mutating func want(_ room: Profile.Room, isOnTrial: Bool, at now: Duration) {
        guard all[room.address] == nil, !isFull else { return }
        all[room.address] = Room(room, nick: nick, isOnTrial: isOnTrial, at: now)
        order.append(room.address)
    }

    mutating func forget(_ address: JID) {
        all[address] = nil
        order.removeAll { $0 == address }
    }

    /// Those that are asked to let us in, or who is there, have so much longer to answer.
    mutating func delay(by time: Duration) {
        for index in all.values.indices {
            if case .entering(let until) = all.values[index].phase {
                all.values[index].phase = .entering(until: until + time)
            }
            all.values[index].resync.delay(by: time)
        }
    }

    /// Changes what is known of a room, and gives what comes of it; nil if we don't want to be there.
    @discardableResult
    mutating func update<Result>(_ address: JID, _ change: (inout Room) -> Result) -> Result? {
        guard let index = all.index(forKey: address) else { return nil }
        return change(&all.values[index])
    }
}
