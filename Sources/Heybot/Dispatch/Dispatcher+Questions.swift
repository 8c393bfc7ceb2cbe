extension Dispatcher {
    /// Sends a question, and waits for an answer of the same user in the same room.
    ///
    /// - Parameters:
    ///   - takesReactions: Whether a reaction to the question is an answer too, if its emoji is accepted.
    ///   - accepting: Whether a text is meant as an answer.
    /// - Throws: An error if no answer comes in time, if the user gives a command instead, or if middleware drops the question.
    func ask(
        _ text: String, within limit: Duration, takesReactions: Bool = false,
        accepting: @escaping @Sendable (String) -> Bool, _ context: ListenerRunContext
    ) async throws -> String {
        let question = Question(context, by: ScriptRun.current, accepting: accepting)
        let conversation = ConversationKey(context.message)
        // Registered before it is sent, because the answer may arrive before `send` returns.
        questions.add(question, for: conversation)
        do {
            // A question that middleware drops can't be answered.
            guard let sent = try await context.send(.reply(text)) else { throw AskTimeoutError() }
            if takesReactions, let id = sent.id { question.takeReactions(to: id) }
        } catch {
            _ = questions.remove(question, for: conversation)
            throw error
        }
        let timer = runner.timers.after(limit) { [weak self] in self?.cancel(question, conversation, AskTimeoutError())
        }
        defer { runner.timers.cancel(timer) }
        return try await withTaskCancellationHandler {
            try await question.answer()
        } onCancel: {
            cancel(question, conversation, CancellationError())
        }
    }

    /// Resolves an open question with an error: it timed out or was canceled.
    private func cancel(_ question: Question, _ conversation: ConversationKey, _ error: any Error) {
        guard questions.remove(question, for: conversation) else { return }
        resume(question, conversation, .failure(error))
    }

    // MARK: Answers

    /// Returns the question that a message answers: the oldest that accepts it.
    ///
    /// After the user has said something else in the room, an answer has to be addressed to the robot.
    ///
    /// What is addressed to the robot and isn't accepted is a command, which closes all questions to the user, or else an answer
    /// to the oldest one.
    func answer(_ input: RoutingInput, _ dispatchTask: DispatchTaskHandle) -> DispatchStep? {
        guard !questions.isEmpty else { return nil }
        if case .reaction(let reaction) = input.message.content {
            return match(reaction, with: openQuestions(to: input.message), dispatchTask)
        }
        guard let text = input.text else { return nil }
        let open = openQuestions(to: input.message)
        guard !open.isEmpty else { return nil }
        let answer = String(addressing.privateWords(of: text))
        let isAddressed = input.addressed != nil
        // A question that is no longer there when it is removed has timed out.
        for (question, conversation) in open {
            guard isAddressed || !question.isPassedOver, question.accepts(answer, dispatchTask) else { continue }
            if questions.remove(question, for: conversation) { return .answer(question, answer) }
        }
        guard isAddressed else {
            for (question, _) in open { question.passOver() }
            return nil
        }
        let isCommand = isCommand(input, dispatchTask)
        for (question, conversation) in open where questions.remove(question, for: conversation) {
            guard isCommand else { return .answer(question, answer) }
            resume(question, conversation, .failure(QuestionAbandonedError()))
        }
        return nil
    }

    /// Returns the question that a reaction to it answers.
    private func match(
        _ reaction: Message.Reaction, with open: [(question: Question, conversation: ConversationKey)],
        _ dispatchTask: DispatchTaskHandle
    ) -> DispatchStep? {
        for (question, conversation) in open where question.takesReactions(to: reaction.message) {
            for emoji in reaction.added where question.accepts(emoji, dispatchTask) {
                if questions.remove(question, for: conversation) { return .answer(question, emoji) }
            }
        }
        return nil
    }

    /// The open questions that a message may answer, the oldest first.
    private func openQuestions(to message: Message) -> [(question: Question, conversation: ConversationKey)] {
        let own = ConversationKey(message)
        let other = ConversationKey(ofScheduledCommandBySenderOf: message)
        var open = questions.all(for: own, of: message.user.id).map { (question: $0, conversation: own) }
        if let other {
            open += questions.all(for: other, of: message.user.id).map { (question: $0, conversation: other) }
        }
        return open
    }

    /// The number of open questions that a message may answer.
    func questionCount(for message: Message) -> Int {
        let other = ConversationKey(ofScheduledCommandBySenderOf: message)
        return questions.count(for: ConversationKey(message)) + (other.map { questions.count(for: $0) } ?? 0)
    }

    /// Resumes the code that asked, in its turn among the user's messages.
    func resume(_ question: Question, _ conversation: ConversationKey, _ result: Result<String, any Error>) {
        runner.inFlight.begin()
        _ = scheduler.enqueue(conversation, protectingUpTo: .max) { [self] permit, _ in
            permit?.setTask(question.scriptRun?.dispatchTask)
            Task {
                await resolve(question, result)
                permit?.release()
                runner.inFlight.end()
            }
        }
    }

    /// Resumes the code that asked, and waits until it ends or asks again.
    ///
    /// The caller must hold a permit.
    func resolve(_ question: Question, _ result: Result<String, any Error>) async {
        guard let resumption = question.resolve(result) else { return }
        guard let scriptRun = question.scriptRun else { return resumption() }
        let script = question.context.listener.script
        await report(await runner.resume(scriptRun, of: script, resumption), question.context)
    }
}
