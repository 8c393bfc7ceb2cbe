import Synchronization

/// What has been asked and not been answered yet, by whom it was asked and where.
final class Questions: Sendable {
    struct Address: Hashable, Sendable {
        let user: User.ID
        let room: Room.ID

        init(user: User.ID, room: Room.ID) {
            self.user = user
            self.room = room
        }

        /// By the sender: another who has the nick by then doesn't answer what they were asked.
        init(_ message: Message) { self.init(user: message.sender, room: message.room.id) }
    }

    private let open = Mutex<[Address: [Question]]>([:])

    func add(_ question: Question, for address: Address) {
        open.withLock { $0[address, default: []].append(question) }
    }

    /// How many have been asked there and aren't answered.
    func count(for address: Address) -> Int { open.withLock { $0[address]?.count ?? 0 } }

    /// Whether something has been asked there.
    func hasAny(for address: Address) -> Bool { open.withLock { $0[address] != nil } }

    /// Takes out the one asked first of that user; the caller settles it.
    ///
    /// Several people may be one sender, such as those behind one gateway to an IRC network.
    func takeFirst(for address: Address, of user: User.ID) -> Question? {
        open.withLock {
            guard !$0.isEmpty, let question = $0[address]?.first(where: { $0.exchange.message.user.id == user })
            else { return nil }
            Self.remove(question, address, &$0)
            return question
        }
    }

    /// Takes out this one; false if somebody else has, who will settle it.
    func take(_ question: Question, for address: Address) -> Bool {
        open.withLock { Self.remove(question, address, &$0) }
    }

    @discardableResult
    private static func remove(_ question: Question, _ address: Address, _ open: inout [Address: [Question]]) -> Bool {
        guard let index = open[address]?.firstIndex(where: { $0 === question }) else { return false }
        open[address]?.remove(at: index)
        if open[address]?.isEmpty == true { open[address] = nil }
        return true
    }
}

/// A question to somebody, on its way to an answer.
final class Question: Sendable {
    private enum State {
        /// Asked, but whoever asked does not wait yet.
        case asked
        case waiting(CheckedContinuation<String, any Error>)
        case settled(Result<String, any Error>)
    }

    /// What it is about: where failures of the asking code are told.
    let exchange: Exchange
    /// The asking code; nil for code that runs on its own.
    let invocation: Invocation?
    private let state = Mutex(State.asked)

    init(_ exchange: Exchange, by invocation: Invocation?) {
        self.exchange = exchange
        self.invocation = invocation
    }

    /// The answer, for which the invocation pauses unless it is there already.
    func answer() async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<String, any Error>? = state.withLock {
                if case .settled(let result) = $0 { return result }
                $0 = .waiting(continuation)
                invocation?.pause()
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// Settles it; returns what lets the asking code go on, nil if that hasn't paused.
    ///
    /// To be called once.
    func settle(_ result: Result<String, any Error>) -> (@Sendable () -> Void)? {
        state.withLock { state in
            defer { state = .settled(result) }
            guard case .waiting(let continuation) = state else { return nil }
            return { continuation.resume(with: result) }
        }
    }
}
