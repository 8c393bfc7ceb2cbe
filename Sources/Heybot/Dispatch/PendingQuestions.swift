import Synchronization

/// The questions that scripts have asked and that aren't answered yet, by user and room.
final class PendingQuestions: Sendable {
    private let open = Mutex<[ConversationKey: [Question]]>([:])

    /// Adds a question.
    func add(_ question: Question, for conversation: ConversationKey) {
        open.withLock { $0[conversation, default: []].append(question) }
    }

    /// The number of open questions to a user in a room.
    func count(for conversation: ConversationKey) -> Int { open.withLock { $0[conversation]?.count ?? 0 } }

    /// Whether there is no open question to anybody.
    var isEmpty: Bool { open.withLock { $0.isEmpty } }

    /// Removes and returns the oldest question to that user; the caller resolves it.
    ///
    /// The user is compared too, because several users may share a sender: those behind an IRC gateway, for example.
    func removeFirst(for conversation: ConversationKey, of user: User.ID) -> Question? {
        open.withLock {
            guard !$0.isEmpty, let question = $0[conversation]?.first(where: { $0.context.message.user.id == user })
            else { return nil }
            Self.remove(question, conversation, &$0)
            return question
        }
    }

    /// Removes a question.
    ///
    /// - Returns: False if it was removed before; the caller that removed it resolves it.
    func remove(_ question: Question, for conversation: ConversationKey) -> Bool {
        open.withLock { Self.remove(question, conversation, &$0) }
    }

    @discardableResult
    private static func remove(
        _ question: Question, _ conversation: ConversationKey, _ open: inout [ConversationKey: [Question]]
    ) -> Bool {
        guard let index = open[conversation]?.firstIndex(where: { $0 === question }) else { return false }
        open[conversation]?.remove(at: index)
        if open[conversation]?.isEmpty == true { open[conversation] = nil }
        return true
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
    private let state = Mutex(State.asked)

    init(_ context: ListenerRunContext, by scriptRun: ScriptRun?) {
        self.context = context
        self.scriptRun = scriptRun
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
