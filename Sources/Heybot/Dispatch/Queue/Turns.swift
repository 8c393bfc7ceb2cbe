import DequeModule
import Synchronization

/// Decides when the handling of a message begins.
///
/// So many messages are handled at a time, only a few of them from one person and in one room. Messages of one person in one
/// room are handled in the order they came: the next begins when the one before has ended, or has waited for something outside
/// for more than a second. A message that may not begin yet waits, and people take turns, so that nobody holds up anybody
/// else's. If nothing waits, a turn costs one lock.
final class Turns: Sendable {
    struct Limits: Sendable {
        /// How many messages are handled at a time.
        var all: Int
        /// How many of one person's are.
        var perPerson: Int
        /// How many of one room's are.
        var perRoom: Int
        /// How many messages wait.
        var waiting: Int
        /// How many of one person's wait.
        var waitingPerPerson: Int
    }

    /// Whose message it is, and where it was said.
    typealias Address = Questions.Address
    /// Begins the handling; nil if the message has had to make room for others.
    typealias Begin = @Sendable (Turn?) -> Void

    enum Verdict {
        /// It has begun or waits, or has been refused by its ``Begin``.
        case done
        /// There is no room for it: the oldest of the person's messages waits since then, and the last that began after it
        /// had waited, did so then.
        case full(oldest: Duration, moved: Duration)
    }

    /// The right to handle a message.
    final class Turn: Sendable {
        private struct Watch {
            var passage: Passage?
            /// What the passage's work was at when it was found waiting first, and when that was.
            var found: (begun: Int, time: Duration)?
        }

        let address: Address
        private let turns: Turns
        private let isHeld = Atomic(true)
        private let watch = Mutex(Watch())

        fileprivate init(_ address: Address, _ turns: Turns) {
            self.address = address
            self.turns = turns
        }

        /// Names the passage that does the work from here on.
        func runs(in passage: Passage?) {
            watch.withLock { if isHeld.load(ordering: .acquiring) { $0 = Watch(passage: passage) } }
        }

        /// Lets others have it; more than once does no harm.
        func giveBack() {
            guard isHeld.exchange(false, ordering: .acquiringAndReleasing) else { return }
            // The passage knows the turn of what it matches, and neither would ever be freed.
            watch.withLock { $0 = Watch() }
            turns.end(self)
        }

        /// Whether the work has neither run nor been ready to run for that long.
        fileprivate func hasWaited(_ time: Duration, at now: Duration) -> Bool {
            watch.withLock { watch in
                let begun: Int
                switch watch.passage?.work {
                case .running: return false
                case .waiting(let count): begun = count
                case nil: begun = 0
                }
                if let found = watch.found, found.begun == begun { return now - found.time >= time }
                watch.found = (begun, now)
                return false
            }
        }
    }

    private struct Waiting {
        let address: Address
        let since: Duration
        /// Whether it makes no room for others: somebody has been asked, and waits for it.
        let isKept: Bool
        let begin: Begin
    }

    private struct Person {
        var running = 0
        /// Those of the running ones that the next in their room has to wait for: no two in one room.
        var current: [Turn] = []
        var waiting = Deque<Waiting>()
        /// When one that had waited began, or the first began to wait.
        var moved = Duration.zero
    }

    private struct State {
        var free: Int
        var people: [User.ID: Person] = [:]
        var rooms: [Room.ID: Int] = [:]
        /// Whose messages wait, those first whose turn it is.
        var order = Deque<User.ID>()
        var waiting = 0
        /// Who wants to hear when there is room for a message of somebody's.
        var listeners: [(user: User.ID, call: @Sendable () -> Void)] = []
        var isWatched = false

        mutating func add(_ waiting: Waiting) {
            let user = waiting.address.user
            if people[user]?.waiting.isEmpty ?? true {
                people[user, default: Person()].moved = waiting.since
                order.append(user)
            }
            people[user]?.waiting.append(waiting)
            self.waiting += 1
        }
    }

    /// What is to be done outside the lock.
    private struct Due {
        var begun: [(Begin, Turn)] = []
        var calls: [@Sendable () -> Void] = []

        func run() {
            for (begin, turn) in begun { begin(turn) }
            for call in calls { call() }
        }
    }

    /// How long a message waits for something outside before the next of the same person begins, and how often that is
    /// looked at while anything waits.
    private static let (patience, interval) = (Duration.seconds(1), Duration.milliseconds(250))

    private let limits: Limits
    private let timers: Timers
    private let timeline: Timeline
    private let state: Mutex<State>

    init(_ limits: Limits, timers: Timers, timeline: Timeline) {
        self.limits = limits
        self.timers = timers
        self.timeline = timeline
        state = Mutex(State(free: max(limits.all, 1)))
    }

    /// How many messages wait.
    var waiting: Int { state.withLock { $0.waiting } }

    /// The turn of a message that may be handled now; nil if it has to wait.
    func take(_ address: Address) -> Turn? {
        state.withLock { mayBegin(address, $0) ? begin(address, &$0) : nil }
    }

    /// Begins the message's handling as soon as it may.
    ///
    /// - Parameters:
    ///   - most: It waits even if there is no room for it, unless so many of that address do already.
    ///   - insists: Whether the newest message of whoever has most waiting, maybe this one, makes room for it.
    func enter(
        _ address: Address, keeping most: Int = 0, insists: Bool = false, _ begin: @escaping Begin
    ) -> Verdict {
        let now = timeline.now()
        var turn: Turn?
        var refused: Begin?
        let verdict: Verdict = state.withLock { state in
            turn = mayBegin(address, state) ? self.begin(address, &state) : nil
            if turn != nil { return .done }
            let person = state.people[address.user] ?? Person()
            let count = person.waiting.count { !$0.isKept }
            let isKept = most > 0 && person.waiting.count { $0.isKept && $0.address == address } < most
            if !isKept, count >= limits.waitingPerPerson || state.waiting >= limits.waiting {
                guard insists else {
                    return .full(oldest: person.waiting.first?.since ?? now, moved: person.moved)
                }
                let other = count < limits.waitingPerPerson ? makeRoom(for: count, &state) : nil
                refused = other ?? begin
                if other == nil { return .done }
            }
            state.add(Waiting(address: address, since: now, isKept: isKept, begin: begin))
            return .done
        }
        if let turn { begin(turn) }
        refused?(nil)
        if case .done = verdict, turn == nil { watch() }
        return verdict
    }

    /// Calls when there is room for more messages of the person's: half of what may wait.
    func whenMoved(_ user: User.ID, _ call: @escaping @Sendable () -> Void) {
        let isRoomy = state.withLock {
            if hasRoom(for: user, $0) { return true }
            // An earlier one has a limit of its own, and may have given up by now.
            $0.listeners.removeAll { $0.user == user }
            $0.listeners.append((user, call))
            return false
        }
        if isRoomy { call() }
    }

    // MARK: What may begin

    private func mayBegin(_ address: Address, _ state: State) -> Bool {
        guard state.free > 0 else { return false }
        guard let person = state.people[address.user] else { return isRoomy(address.room, state) }
        return person.running < limits.perPerson && mayBegin(in: address.room, person, state)
    }

    private func mayBegin(in room: Room.ID, _ person: Person, _ state: State) -> Bool {
        isRoomy(room, state) && !person.current.contains { $0.address.room == room }
    }

    private func isRoomy(_ room: Room.ID, _ state: State) -> Bool { state.rooms[room, default: 0] < limits.perRoom }

    /// Which of a person's waiting messages may begin first.
    private func firstThatMayBegin(of user: User.ID, _ state: State) -> Int? {
        guard let person = state.people[user], person.running < limits.perPerson else { return nil }
        // Most wait for the same room.
        var closed: Room.ID?
        return person.waiting.firstIndex { waiting in
            let room = waiting.address.room
            if room == closed { return false }
            if mayBegin(in: room, person, state) { return true }
            closed = room
            return false
        }
    }

    private func begin(_ address: Address, _ state: inout State) -> Turn {
        let turn = Turn(address, self)
        state.free -= 1
        state.rooms[address.room, default: 0] += 1
        state.people[address.user, default: Person()].running += 1
        state.people[address.user]?.current.append(turn)
        return turn
    }

    private func end(_ turn: Turn) {
        let (user, room) = (turn.address.user, turn.address.room)
        let due = state.withLock { state in
            state.free += 1
            let others = state.rooms[room, default: 1] - 1
            state.rooms[room] = others == 0 ? nil : others
            state.people[user]?.running -= 1
            state.people[user]?.current.removeAll { $0 === turn }
            if let person = state.people[user], person.running == 0, person.waiting.isEmpty {
                state.people[user] = nil
            }
            return beginWaiting(&state)
        }
        due.run()
    }

    /// Begins what may begin, a message of each person in turn.
    private func beginWaiting(_ state: inout State) -> Due {
        var due = Due()
        guard !state.order.isEmpty else { return due }
        var index = 0
        while state.free > 0, index < state.order.count {
            let user = state.order[index]
            guard let next = firstThatMayBegin(of: user, state),
                let waiting = state.people[user]?.waiting.remove(at: next)
            else {
                index += 1
                continue
            }
            state.people[user]?.moved = timeline.now()
            state.waiting -= 1
            state.order.remove(at: index)
            if state.people[user]?.waiting.isEmpty == false { state.order.append(user) }
            due.begun.append((waiting.begin, begin(waiting.address, &state)))
        }
        if !state.listeners.isEmpty {
            let ready = state.listeners.filter { hasRoom(for: $0.user, state) }
            state.listeners.removeAll { listener in ready.contains { $0.user == listener.user } }
            due.calls = ready.map(\.call)
        }
        return due
    }

    private func hasRoom(for user: User.ID, _ state: State) -> Bool {
        (state.people[user]?.waiting.count ?? 0) <= limits.waitingPerPerson / 2 && state.waiting < limits.waiting
    }

    /// Takes out the newest message of whoever has most waiting; nil if nobody has more than somebody with that many and a
    /// new one.
    private func makeRoom(for count: Int, _ state: inout State) -> Begin? {
        let counts = state.order.map { user in
            (user: user, count: state.people[user]?.waiting.count { !$0.isKept } ?? 0)
        }
        guard let most = counts.max(by: { $0.count < $1.count }), most.count > count + 1 else { return nil }
        guard let last = state.people[most.user]?.waiting.lastIndex(where: { !$0.isKept }),
            let dropped = state.people[most.user]?.waiting.remove(at: last)
        else { return nil }
        state.waiting -= 1
        if state.people[most.user]?.waiting.isEmpty == true {
            state.order.removeAll { $0 == most.user }
            if state.people[most.user]?.running == 0 { state.people[most.user] = nil }
        }
        return dropped.begin
    }

    // MARK: Those that wait for something outside

    private func watch() {
        let isWatched = state.withLock { state in
            if state.isWatched || state.waiting == 0 { return true }
            state.isWatched = true
            return false
        }
        if !isWatched { timers.after(Self.interval) { [weak self] in self?.look() } }
    }

    /// Lets those begin that wait for a message of their own which has waited for something outside for too long.
    private func look() {
        let now = timeline.now()
        let due = state.withLock { state in
            for user in state.order {
                guard let waiting = state.people[user]?.waiting else { continue }
                state.people[user]?.current.removeAll { turn in
                    waiting.contains { $0.address.room == turn.address.room } && turn.hasWaited(Self.patience, at: now)
                }
            }
            state.isWatched = false
            return beginWaiting(&state)
        }
        due.run()
        watch()
    }
}
