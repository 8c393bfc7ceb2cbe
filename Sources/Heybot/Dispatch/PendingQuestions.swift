import Synchronization

/// The questions that scripts have asked and that aren't answered yet, by user and room.
final class PendingQuestions: Sendable {
    /// Called with the message that has led to a question, when the question is asked, and when it is over.
    typealias Observation = @Sendable (Message, _ isOpen: Bool) -> Void

    private let open = Mutex<[ConversationKey: [Question]]>([:])
    private let observation = Mutex<Observation?>(nil)

    /// Sets what is called about each question.
    func onChange(_ observation: @escaping Observation) { self.observation.withLock { $0 = observation } }

    /// Adds a question.
    func add(_ question: Question, for conversation: ConversationKey) {
        open.withLock { $0[conversation, default: []].append(question) }
        observation.withLock { $0 }?(question.context.message, true)
    }

    /// The number of open questions to a user in a room.
    func count(for conversation: ConversationKey) -> Int { open.withLock { $0[conversation]?.count ?? 0 } }

    /// Whether there is no open question to anybody.
    var isEmpty: Bool { open.withLock { $0.isEmpty } }

    /// Returns the questions to a user, the oldest first.
    ///
    /// The user is compared too, because several users may share a sender: those behind an IRC gateway, for example.
    func all(for conversation: ConversationKey, of user: User.ID) -> [Question] {
        let questions = open.withLock { $0[conversation] } ?? []
        return questions.filter { $0.context.message.user.id == user }
    }

    /// Removes a question.
    ///
    /// - Returns: False if it was removed before; the caller that removed it resolves it.
    func remove(_ question: Question, for conversation: ConversationKey) -> Bool {
        let wasOpen: Bool = open.withLock { open in
            guard let index = open[conversation]?.firstIndex(where: { $0 === question }) else { return false }
            open[conversation]?.remove(at: index)
            if open[conversation]?.isEmpty == true { open[conversation] = nil }
            return true
        }
        if wasOpen { observation.withLock { $0 }?(question.context.message, false) }
        return wasOpen
    }
}

/// A question to a user that may be waiting for its answer.
final class Question: Sendable {
    private enum State {
        /// Sent, but the asking code isn't waiting yet.
        case asked
        case waiting(CheckedContinuation<String, any Error>)
        case resolved(Result<String, any Error>)
    }

    /// The context of the asking code, to which its failures are reported.
    let context: ListenerRunContext
    /// The run of the asking code; nil for code outside of a run.
    let scriptRun: ScriptRun?
    private let accepting: @Sendable (String) -> Bool
    private let state = Mutex(State.asked)
    private let passed = Atomic(false)
    private let isChecking = Atomic(false)
    private let sent = Mutex<Message.ID?>(nil)

    /// - Parameter accepting: Whether a text is meant as an answer.
    init(
        _ context: ListenerRunContext, by scriptRun: ScriptRun?,
        accepting: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.context = context
        self.scriptRun = scriptRun
        self.accepting = accepting
    }

    /// Whether the user has said something else in the room since it was asked.
    ///
    /// Then what they say may be meant for others, also a word such as "ok", unless it is addressed to the robot.
    var isPassedOver: Bool { passed.load(ordering: .acquiring) }

    /// Records that the user has said something else in the room.
    func passOver() { passed.store(true, ordering: .releasing) }

    /// Makes reactions to a message, the sent question, answers.
    func takeReactions(to message: Message.ID) { sent.withLock { $0 = message } }

    /// Whether a reaction to a message may be an answer.
    func takesReactions(to message: Message.ID) -> Bool { sent.withLock { $0 == message } }

    /// Whether a text is meant as an answer; the script's code decides that.
    ///
    /// If that code doesn't return, the question accepts nothing any more.
    func accepts(_ text: String, _ dispatchTask: DispatchTaskHandle) -> Bool {
        guard !isChecking.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        dispatchTask.startChecking(context.listener.origin)
        defer {
            dispatchTask.finishChecking()
            isChecking.store(false, ordering: .releasing)
        }
        return accepting(text)
    }

    /// Waits for the answer.
    ///
    /// The run pauses meanwhile, so that its deadline doesn't count.
    func answer() async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<String, any Error>? = state.withLock {
                if case .resolved(let result) = $0 { return result }
                $0 = .waiting(continuation)
                scriptRun?.pause()
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// Sets the answer, or the error.
    ///
    /// Call it once.
    ///
    /// - Returns: A closure that resumes the asking code; nil if that code isn't waiting yet.
    func resolve(_ result: Result<String, any Error>) -> (@Sendable () -> Void)? {
        state.withLock { state in
            defer { state = .resolved(result) }
            guard case .waiting(let continuation) = state else { return nil }
            return { continuation.resume(with: result) }
        }
    }
}
