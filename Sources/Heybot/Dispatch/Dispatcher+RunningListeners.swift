import Logging

// Matches a message, and runs the matching listeners one after another.

extension Dispatcher {
    /// What to do with a message: answer an open question to its sender, or run the listeners that match.
    func match(_ inbound: InFlightMessage, _ dispatchTask: DispatchTaskHandle) -> DispatchStep? {
        let input = RoutingInput(inbound.message, addressing)
        let isEdit = isOnlyForEdits(input)
        if !isEdit, inbound.delegation == nil, !inbound.isLate, let answer = answer(input, dispatchTask) {
            markHandled(inbound)
            return answer
        }
        var matches = registry.listenerIndex.matches(input)
        if isEdit { matches.leaveOutListenersWithoutEdits() }
        guard let first = next(&matches, dispatchTask) else { return nil }
        // Now, because a correction may be matched before the listener runs.
        if !isEdit, first.listener.trigger != .catchAll { markHandled(inbound) }
        return .listeners(matches, first)
    }

    /// Whether a `respond` listener of the robot itself matches a message.
    func isCommand(_ input: RoutingInput, _ dispatchTask: DispatchTaskHandle) -> Bool {
        var matches = registry.listenerIndex.matches(input)
        return next(&matches, dispatchTask) { $0.trigger == .respond && !$0.isRemote } != nil
    }

    /// Handles a message.
    ///
    /// - Returns: False if another task has taken over the message, because a closure asks a question or its deadline has passed.
    func handle(_ step: DispatchStep, _ inbound: InFlightMessage, _ dispatchTask: DispatchTaskHandle) async -> Bool {
        await MessageContext.$cause.withValue(MessageContext.Cause(inbound)) { () async -> Bool in
            switch step {
            case .answer(let question, let text):
                dispatchTask.finishMatching()
                inbound.permit?.setTask(question.scriptRun?.dispatchTask ?? dispatchTask)
                await resolve(question, .success(text))
                end(inbound)
                return true
            case .listeners(let matches, let first):
                return await runListeners(first, matches, inbound, dispatchTask)
            case .receive:
                dispatchTask.finishMatching()
                let step = await receive(inbound, dispatchTask)
                if let ticket = inbound.ticket { sequencer.release(ticket) }
                guard let step else {
                    end(inbound)
                    return true
                }
                return await handle(step, inbound, dispatchTask)
            }
        }
    }

    /// Runs the matching listeners one after another, beginning with `first`.
    ///
    /// If a closure asks a question, or its deadline passes, another task continues with the next listeners.
    ///
    /// - Returns: False if another task continues.
    private func runListeners(
        _ first: ListenerMatchIterator.Match, _ others: ListenerMatchIterator, _ inbound: InFlightMessage,
        _ dispatchTask: DispatchTaskHandle
    ) async -> Bool {
        var matches = others
        var match: ListenerMatchIterator.Match? = first
        let isAddressed = matches.isAddressed
        // Whether a listener has handled the command, even if it hasn't answered yet.
        var hasHandledCommand = false
        // What the user gets if no listener answers.
        var cooldownError: (CooldownError, ListenerRunContext)?
        var unconfirmedMatch: (UnconfirmedMatchError, ListenerRunContext)?
        while let current = match, let robot {
            dispatchTask.finishMatching(toRun: current.registered, for: inbound.message.id)
            if current.listener.trigger == .catchAll, !matches.isHandled { unmarkHandled(inbound) }
            let context = ListenerRunContext(robot: robot, registered: current.registered, inbound: inbound)
            if logger.logLevel <= .debug { context.logger.debug("listener matched") }
            metrics.match(of: current.registered)
            // The user of a scheduled command may not even be there.
            if inbound.delegation?.isRequested != false { recentUsers.record(context.message.user) }
            let answers = inbound.answers
            // What another task continues with if the closure asks a question or its deadline passes.
            var rest = matches
            rest.markHandled()
            let outcome = await runner.invoke(
                context.listener.origin, in: dispatchTask, for: inbound, deadline: context.listener.deadline
            ) {
                try await self.runClosure(current.handler, context, isAddressed: isAddressed)
            } onDetach: { [self, rest] outcome in
                continueListeners(rest, after: outcome, context, inbound)
            }
            guard let outcome else { return false }
            switch outcome {
            case .failed(_ as SkipListener):
                pass(context, hasAnswered: inbound.answers > answers)
            case .failed(let error as CooldownError) where context.listener.trigger != .respond:
                matches.markHandled()
                cooldownError = (error, context)
            case .failed(let error as UnconfirmedMatchError):
                // No catch-all may say that the robot doesn't know the command.
                matches.markHandled()
                context.logger.debug("\(error.cause)")
                unconfirmedMatch = unconfirmedMatch ?? (error, context)
            default:
                matches.markHandled()
                if context.listener.trigger == .respond { hasHandledCommand = true }
                await report(outcome, context)
            }
            match = next(&matches, inbound, dispatchTask)
        }
        if !matches.isHandled, !matches.isForEdits { unmarkHandled(inbound) }
        if inbound.answers == 0 {
            if let (error, context) = unconfirmedMatch, !hasHandledCommand {
                await report(.failed(error.cause), context)
            } else if let (error, context) = cooldownError, isAddressed {
                await report(.failed(error), context)
            } else if isAddressed, logger.logLevel <= .debug {
                logger.debug("the message was addressed to the robot, but no listener answered it")
            }
        }
        end(inbound, by: dispatchTask)
        return true
    }

    /// Handles ``SkipListener``: the listener counts as one that didn't match.
    private func pass(_ context: ListenerRunContext, hasAnswered: Bool) {
        cooldowns.reset(context.listener, for: context.message)
        if hasAnswered {
            context.logger.warning(
                "a listener answered and then threw SkipListener, so there may be two answers")
        } else if logger.logLevel <= .debug {
            context.logger.debug("listener threw SkipListener")
        }
    }

    private func continueListeners(
        _ matches: ListenerMatchIterator, after outcome: ScriptRun.Outcome, _ context: ListenerRunContext,
        _ inbound: InFlightMessage
    ) {
        let dispatchTask = DispatchTaskHandle()
        inbound.permit?.setTask(dispatchTask)
        let task = Task(executorPreference: executor(for: dispatchTask)) { [self] in
            await MessageContext.$cause.withValue(MessageContext.Cause(inbound)) {
                await report(outcome, context)
                var matches = matches
                guard let next = next(&matches, inbound, dispatchTask) else { return end(inbound) }
                _ = await runListeners(next, matches, inbound, dispatchTask)
            }
        }
        dispatchTask.attach(task)
    }

    private func next(
        _ matches: inout ListenerMatchIterator, _ inbound: InFlightMessage, _ dispatchTask: DispatchTaskHandle
    ) -> ListenerMatchIterator.Match? {
        if inbound.isFinished { return nil }
        if inbound.takeNewText() {
            matches.continueAfterLastMatch(with: RoutingInput(inbound.message, addressing))
        }
        dispatchTask.startMatching(inbound)
        return next(&matches, dispatchTask)
    }

    /// The next match among these listeners of the scripts that are enabled in the message's room.
    private func next(
        _ matches: inout ListenerMatchIterator, _ dispatchTask: DispatchTaskHandle,
        among isMeant: (Listener) -> Bool = { _ in true }
    ) -> ListenerMatchIterator.Match? {
        guard !matches.isEmpty else { return nil }
        let switches = toggles.value
        return matches.next { registered, input in
            guard isMeant(registered.listener), switches.isOn(registered.listener.script, in: input.message.room)
            else { return nil }
            dispatchTask.startMatching(registered, for: input.message.id)
            let start = runner.timeSource.now()
            defer { recordMatchTime(runner.timeSource.now() - start, matching: registered) }
            return registered.listener.match(input)
        }
    }

    /// Counts slow matches, and logs a matcher that is slow repeatedly: it delays every other message.
    private func recordMatchTime(_ time: Duration, matching registered: IndexedListener) {
        guard time >= limits.slowMatch else { return }
        metrics.slowMatch(of: registered.listener)
        guard registered.matchedSlowly(at: runner.timeSource.now()) else { return }
        logger.warning(
            "a listener matches slowly, which delays every message: simplify its pattern or predicate",
            metadata: [
                "script": "\(registered.listener.script)", "listener": "\(registered.listener.id)", "time": "\(time)"
            ])
    }

    private func runClosure(_ handler: Listener.Handler, _ context: ListenerRunContext, isAddressed: Bool) async throws
    {
        // A remote listener does this itself, after it has confirmed its match.
        if !context.listener.isRemote {
            guard try await mayRun(context, isAddressed: isAddressed) else { return }
        }
        try await handler(context)
    }

    /// Whether the listener's closure may run for this message: access, cooldown, middleware, confirmation, approval.
    ///
    /// - Parameter isAddressed: Whether the message is addressed to the robot, so that its sender expects an answer.
    /// - Throws: The refusal to send to the user, and what middleware throws.
    func mayRun(_ context: ListenerRunContext, isAddressed: Bool) async throws -> Bool {
        guard try admit(context, isAddressed: isAddressed), try await passesListenerMiddleware(context) else {
            return false
        }
        guard context.listener.confirmation != nil || context.listener.approval != nil else { return true }
        let (listener, response) = (context.listener, Response(match: (), context: context))
        // A script may change the message's text while the robot waits.
        let command = response.addressed.map { String($0) } ?? context.message.text ?? ""
        do {
            if let question = listener.confirmation { try await response.confirm(question) }
            if let approval = listener.approval {
                try await response.approval(by: approval.role, of: command, within: approval.limit)
            }
        } catch {
            // Nothing was done, so others needn't wait.
            cooldowns.reset(listener, for: context.message)
            throw error
        }
        // The user's rights may have changed meanwhile.
        guard context.isOn(listener.script), !users.ignores(senderOf: context.message) else { return false }
        if let refusal = refusal(context) { throw Refusal(refusal) }
        return true
    }

    /// Whether middleware lets the listener run.
    func passesListenerMiddleware(_ context: ListenerRunContext) async throws -> Bool {
        for entry in registry.middleware.listener(for: context.listener) where context.isOn(entry.script) {
            let continues = try await AttributedError.attributing(
                to: RunningScriptPart(script: entry.script, part: "listener middleware")
            ) {
                try await entry.run(context.listener, Response(match: (), context: context))
            }
            if !continues {
                if logger.logLevel <= .debug {
                    context.logger.debug("\(entry.script)'s listener middleware kept the listener from running")
                }
                return false
            }
        }
        return true
    }
}
