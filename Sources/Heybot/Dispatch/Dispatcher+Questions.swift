extension Dispatcher {
    /// Sends a question, and waits for the next message of the same user in the same room.
    ///
    /// - Throws: An error if no answer comes in time, or if middleware drops the question.
    func ask(_ text: String, within limit: Duration, _ context: ListenerRunContext) async throws -> String {
        let question = Question(context, by: ScriptRun.current)
        let conversation = ConversationKey(context.message)
        // Registered before it is sent, because the answer may arrive before `send` returns.
        questions.add(question, for: conversation)
        do {
            // A question that middleware drops can't be answered.
            guard try await context.send(.reply(text)) else { throw AskTimeoutError() }
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

    /// Resumes the code that asked, in its turn among the user's messages.
    func resume(_ question: Question, _ conversation: ConversationKey, _ result: Result<String, any Error>) {
        runner.inFlight.begin()
        _ = scheduler.enqueue(conversation, protectingUpTo: .max) { [self] permit in
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
