import DequeModule
import Synchronization

/// Decides when the handling of each message begins, fairly among users.
///
/// The number of messages handled at a time is limited: in total, per user, and per room. Messages of one user in one room are
/// handled in the order they came: the next begins when the previous one has ended, or has waited for something external for
/// more than a second. Messages that may not begin yet wait, and their users take turns. If nothing waits, a permit costs one
/// lock.
final class MessageScheduler: Sendable {
    /// How many messages are handled and wait at a time.
    struct Limits: Sendable {
        /// The number of messages handled at a time.
        var all: Int
        /// The number of one user's messages handled at a time.
        var perPerson: Int
        /// The number of one room's messages handled at a time.
        var perRoom: Int
        /// The number of messages that may wait.
        var waiting: Int
        /// The number of one user's messages that may wait.
        var waitingPerPerson: Int
    }

    /// Starts handling a message, given its permit; nil if the message was dropped.
    ///
    /// The task is one whose message has just ended and was of the same user: it may go on with this one.
    typealias StartHandler = @Sendable (Permit?, DispatchTaskHandle?) -> Void

    /// What became of a message that was enqueued.
    enum EnqueueResult {
        /// It has begun, it waits, or it was dropped by a call of its ``StartHandler``.
        case accepted
        /// There is no space for it. `oldest` is the time since which the oldest message of the user waits, `lastStart` the time
        /// when a waiting message of the user began last.
        case full(oldest: Duration, lastStart: Duration)
    }

    /// The permit to handle a message.
    final class Permit: Sendable {
        private struct SuspensionObservation {
            var dispatchTask: DispatchTaskHandle?
            /// The number of jobs the task had run when it was first seen waiting, and the time.
            var firstSeenWaiting: (begun: Int, time: Duration)?
        }

        let conversation: ConversationKey
        private let scheduler: MessageScheduler
        private let isHeld = Atomic(true)
        private let observation = Mutex(SuspensionObservation())

        fileprivate init(_ conversation: ConversationKey, _ scheduler: MessageScheduler) {
            self.conversation = conversation
            self.scheduler = scheduler
        }

        /// Sets the task that handles the message from here on.
        func setTask(_ dispatchTask: DispatchTaskHandle?) {
            observation.withLock {
                if isHeld.load(ordering: .acquiring) { $0 = SuspensionObservation(dispatchTask: dispatchTask) }
            }
        }

        /// Returns the permit.
        ///
        /// Releasing it twice is harmless.
        ///
        /// - Parameter dispatchTask: The task that has handled the message, and may go on with the next one of the same user.
        func release(by dispatchTask: DispatchTaskHandle? = nil) {
            guard isHeld.exchange(false, ordering: .acquiringAndReleasing) else { return }
            // The task references the message, and the message this permit: break the cycle.
            observation.withLock { $0 = SuspensionObservation() }
            scheduler.end(self, dispatchTask)
        }

        /// Whether the task has been suspended for that long.
        fileprivate func hasWaited(_ time: Duration, at now: Duration) -> Bool {
            observation.withLock { observation in
                var begun = 0
                if let dispatchTask = observation.dispatchTask {
                    guard let jobs = dispatchTask.jobsBeforeSuspension else { return false }
                    begun = jobs
                }
                if let firstSeenWaiting = observation.firstSeenWaiting, firstSeenWaiting.begun == begun {
                    return now - firstSeenWaiting.time >= time
                }
                observation.firstSeenWaiting = (begun, now)
                return false
            }
        }
    }

    private struct WaitingMessage {
        let conversation: ConversationKey
        let since: Duration
        /// Whether it is never dropped, because a script waits for it as an answer.
        let isProtected: Bool
        let begin: StartHandler
    }

    /// What waits and runs for a user; a class, so that each step finds it once.
    private final class UserState {
        let user: User.ID
        var running = 0
        /// The running messages that the next message in the same room has to wait for; at most one for each room.
        var current: [Permit] = []
        private(set) var waiting = Deque<WaitingMessage>()
        /// The number of waiting messages that may be dropped.
        private(set) var unprotected = 0
        /// The number of waiting messages in each room.
        private(set) var waitingRooms: [Room.ID: Int] = [:]
        /// The time when a waiting message began last, or the first one began to wait.
        var lastStart = Duration.zero

        init(_ user: User.ID) { self.user = user }

        /// The number of waiting messages of a conversation that are never dropped.
        func protected(of conversation: ConversationKey) -> Int {
            unprotected == waiting.count ? 0 : waiting.count { $0.isProtected && $0.conversation == conversation }
        }

        func append(_ message: WaitingMessage) {
            waiting.append(message)
            if !message.isProtected { unprotected += 1 }
            waitingRooms[message.conversation.room, default: 0] += 1
        }

        func remove(at index: Int) -> WaitingMessage {
            let message = waiting.remove(at: index)
            if !message.isProtected { unprotected -= 1 }
            let others = waitingRooms[message.conversation.room, default: 1] - 1
            waitingRooms[message.conversation.room] = others == 0 ? nil : others
            return message
        }
    }

    private struct State {
        var free: Int
        var users: [User.ID: UserState] = [:]
        var rooms: [Room.ID: Int] = [:]
        /// The users whose messages wait, in the order of their turns.
        var order = Deque<UserState>()
        var waiting = 0
        /// What to call when there is space for messages of a user again.
        var listeners: [(user: User.ID, call: @Sendable () -> Void)] = []
        var isCheckScheduled = false

        mutating func userState(of user: User.ID) -> UserState {
            if let known = users[user] { return known }
            let new = UserState(user)
            users[user] = new
            return new
        }

        /// Removes a user for whom nothing runs or waits.
        mutating func forget(_ userState: UserState) {
            if userState.running == 0, userState.waiting.isEmpty { users[userState.user] = nil }
        }

        mutating func add(_ message: WaitingMessage, of userState: UserState) {
            if userState.waiting.isEmpty {
                userState.lastStart = message.since
                order.append(userState)
            }
            userState.append(message)
            waiting += 1
        }
    }

    /// What to do outside the lock.
    private struct ReadyWork {
        var begun: [(StartHandler, Permit)] = []
        var calls: [@Sendable () -> Void] = []

        /// - Parameters:
        ///   - dispatchTask: The task that goes on with the first message of the user.
        ///   - user: The user whose message has ended.
        func run(by dispatchTask: DispatchTaskHandle? = nil, for user: User.ID? = nil) {
            var dispatchTask = dispatchTask
            for (begin, permit) in begun {
                begin(permit, permit.conversation.user == user ? dispatchTask.take() : nil)
            }
            for call in calls { call() }
        }
    }

    /// How long a message may wait for something external before the next of the same user begins, and how often that is
    /// checked while messages wait.
    private static let (stallThreshold, interval) = (Duration.seconds(1), Duration.milliseconds(250))

    private let limits: Limits
    private let timers: TimerQueue
    private let timeSource: TimeSource
    private let state: Mutex<State>

    init(_ limits: Limits, timers: TimerQueue, timeSource: TimeSource) {
        self.limits = limits
        self.timers = timers
        self.timeSource = timeSource
        state = Mutex(State(free: max(limits.all, 1)))
    }

    /// The number of messages that wait.
    var waiting: Int { state.withLock { $0.waiting } }

    /// The permit for a message that may begin now; nil if it has to wait.
    func tryAcquire(_ conversation: ConversationKey) -> Permit? {
        state.withLock { state in
            let userState = state.userState(of: conversation.user)
            defer { state.forget(userState) }
            return beginNow(conversation, userState, &state)
        }
    }

    /// Starts handling a message as soon as it may begin.
    ///
    /// - Parameters:
    ///   - most: The number of messages of this conversation that wait even if there is no space, and are never dropped.
    ///   - evictsOther: Whether, if there is no space, the newest message of the user with most messages waiting is dropped,
    ///     which may be this one.
    func enqueue(
        _ conversation: ConversationKey, protectingUpTo most: Int = 0, evictsOther: Bool = false,
        _ begin: @escaping StartHandler
    ) -> EnqueueResult {
        let now = timeSource.now()
        var permit: Permit?
        var refused: StartHandler?
        let result: EnqueueResult = state.withLock { state in
            let userState = state.userState(of: conversation.user)
            permit = beginNow(conversation, userState, &state)
            if permit != nil { return .accepted }
            let count = userState.unprotected
            let isProtected = most > 0 && userState.protected(of: conversation) < most
            if !isProtected, count >= limits.waitingPerPerson || state.waiting >= limits.waiting {
                guard evictsOther else {
                    defer { state.forget(userState) }
                    return .full(oldest: userState.waiting.first?.since ?? now, lastStart: userState.lastStart)
                }
                let other = count < limits.waitingPerPerson ? makeRoom(for: count, &state) : nil
                refused = other ?? begin
                if other == nil {
                    state.forget(userState)
                    return .accepted
                }
            }
            state.add(
                WaitingMessage(conversation: conversation, since: now, isProtected: isProtected, begin: begin),
                of: userState)
            return .accepted
        }
        if let permit { begin(permit, nil) }
        refused?(nil, nil)
        if case .accepted = result, permit == nil { scheduleStallCheck() }
        return result
    }

    /// Calls `call` once, as soon as there is space for more messages of the user: when half of their limit is free.
    func whenSpaceAvailable(_ user: User.ID, _ call: @escaping @Sendable () -> Void) {
        let isAvailable = state.withLock {
            if hasRoom(for: user, $0) { return true }
            // A new call replaces an earlier one of the same user, which has its own timeout.
            $0.listeners.removeAll { $0.user == user }
            $0.listeners.append((user, call))
            return false
        }
        if isAvailable { call() }
    }

    // MARK: Beginning

    private func mayBegin(in room: Room.ID, _ userState: UserState, _ state: State) -> Bool {
        userState.running < limits.perPerson && hasRoom(room, state)
            && !userState.current.contains { $0.conversation.room == room }
    }

    private func hasRoom(_ room: Room.ID, _ state: State) -> Bool { state.rooms[room, default: 0] < limits.perRoom }

    /// The index of the first waiting message of a user that may begin.
    private func firstThatMayBegin(of userState: UserState, _ state: State) -> Int? {
        guard userState.running < limits.perPerson else { return nil }
        // Usually all are in the same room.
        if userState.waitingRooms.count == 1, let room = userState.waiting.first?.conversation.room {
            return mayBegin(in: room, userState, state) ? 0 : nil
        }
        let open = Set(userState.waitingRooms.keys.filter { mayBegin(in: $0, userState, state) })
        return open.isEmpty ? nil : userState.waiting.firstIndex { open.contains($0.conversation.room) }
    }

    /// The permit for a message that doesn't wait; nil if it may not begin.
    private func beginNow(_ conversation: ConversationKey, _ userState: UserState, _ state: inout State) -> Permit? {
        guard state.free > 0, mayBegin(in: conversation.room, userState, state) else { return nil }
        return begin(conversation, userState, &state)
    }

    private func begin(_ conversation: ConversationKey, _ userState: UserState, _ state: inout State) -> Permit {
        let permit = Permit(conversation, self)
        state.free -= 1
        state.rooms[conversation.room, default: 0] += 1
        userState.running += 1
        userState.current.append(permit)
        return permit
    }

    private func end(_ permit: Permit, _ dispatchTask: DispatchTaskHandle?) {
        let (user, room) = (permit.conversation.user, permit.conversation.room)
        let due = state.withLock { state in
            state.free += 1
            let others = state.rooms[room, default: 1] - 1
            state.rooms[room] = others == 0 ? nil : others
            if let userState = state.users[user] {
                userState.running -= 1
                userState.current.removeAll { $0 === permit }
                state.forget(userState)
            }
            return beginWaiting(&state)
        }
        due.run(by: dispatchTask, for: user)
    }

    /// Begins the waiting messages that may begin, one of each user in turn.
    private func beginWaiting(_ state: inout State) -> ReadyWork {
        var due = ReadyWork()
        guard !state.order.isEmpty else { return due }
        var index = 0
        while state.free > 0, index < state.order.count {
            let userState = state.order[index]
            guard let next = firstThatMayBegin(of: userState, state) else {
                index += 1
                continue
            }
            let waiting = userState.remove(at: next)
            userState.lastStart = timeSource.now()
            state.waiting -= 1
            state.order.remove(at: index)
            if !userState.waiting.isEmpty { state.order.append(userState) }
            due.begun.append((waiting.begin, begin(waiting.conversation, userState, &state)))
        }
        if !state.listeners.isEmpty {
            let ready = state.listeners.filter { hasRoom(for: $0.user, state) }
            state.listeners.removeAll { listener in ready.contains { $0.user == listener.user } }
            due.calls = ready.map(\.call)
        }
        return due
    }

    private func hasRoom(for user: User.ID, _ state: State) -> Bool {
        (state.users[user]?.waiting.count ?? 0) <= limits.waitingPerPerson / 2 && state.waiting < limits.waiting
    }

    /// Removes the newest message of the user who has most messages waiting.
    ///
    /// - Parameter count: The number of messages of the user who adds one.
    /// - Returns: Nil if nobody has more than that user.
    private func makeRoom(for count: Int, _ state: inout State) -> StartHandler? {
        guard let most = state.order.max(by: { $0.unprotected < $1.unprotected }), most.unprotected > count + 1,
            let last = most.waiting.lastIndex(where: { !$0.isProtected })
        else { return nil }
        let dropped = most.remove(at: last)
        state.waiting -= 1
        if most.waiting.isEmpty {
            state.order.removeAll { $0 === most }
            state.forget(most)
        }
        return dropped.begin
    }

    // MARK: Messages that wait for something external

    private func scheduleStallCheck() {
        let isCheckScheduled = state.withLock { state in
            if state.isCheckScheduled || state.waiting == 0 { return true }
            state.isCheckScheduled = true
            return false
        }
        guard !isCheckScheduled else { return }
        timers.after(Self.interval, outlastsStop: true) { [weak self] in self?.checkStalls() }
    }

    /// Lets waiting messages begin whose predecessor has waited for something external for too long.
    private func checkStalls() {
        let now = timeSource.now()
        let due = state.withLock { state in
            for userState in state.order {
                userState.current.removeAll { permit in
                    userState.waiting.contains { $0.conversation.room == permit.conversation.room }
                        && permit.hasWaited(Self.stallThreshold, at: now)
                }
            }
            state.isCheckScheduled = false
            return beginWaiting(&state)
        }
        due.run()
        scheduleStallCheck()
    }
}
