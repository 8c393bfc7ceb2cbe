import Logging

// Decides whether a closure may run, and reports its failures.

extension Dispatcher {
    /// Whether the listener's closure may run for this message now.
    ///
    /// - Parameter isAddressed: Whether the message is addressed to the robot, so that its sender expects an answer.
    /// - Throws: The refusal to send to the user.
    func admit(_ context: ListenerRunContext, isAddressed: Bool) throws -> Bool {
        let (listener, message) = (context.listener, context.message)
        if let refusal = refusal(context) {
            // Another catch-all may answer.
            if listener.trigger == .catchAll { throw SkipListener() }
            // Nobody expects an answer to a message that only happens to match, such as a link.
            guard isAddressed, listener.trigger == .respond else { return false }
            throw Refusal(refusal)
        }
        switch cooldowns.startIfReady(listener, for: message, at: runner.timeSource.now()) {
        case .ready: return true
        // Nobody expects an answer to a message that isn't addressed to the robot.
        case .coolingDown where !isAddressed: return false
        case .coolingDown(let time):
            guard notices.isDue(.cooldown, for: message.user.id, at: runner.timeSource.now()) else {
                context.logger.debug(
                    "the message wasn't answered: the listener's cooldown isn't over, and the user was just notified of that"
                )
                return false
            }
            throw CooldownError(
                userMessage:
                    "Not so fast: try that again in \(max(1, (time + .milliseconds(500)).components.seconds)) s.")
        }
    }

    /// The reason why the sender may not use the listener here; nil if they may.
    func refusal(_ context: ListenerRunContext) -> String? {
        let (access, message) = (accessRules.access(to: context.listener), context.message)
        guard access != .everyone else { return nil }
        // What needs a role may do harm if it is no longer wanted. The sender's roles don't matter for that: after an absence,
        // the robot may not know yet who is in a room.
        if context.inbound.isLate, access.roles != nil {
            return "I was offline when you said that. If you still want it, please say it again."
        }
        return access.refusal(ofUserWith: users.roles(of: message.user), in: message.room, on: context.robot.adapters)
    }

    /// Logs and counts a closure's failure, and notifies the user.
    func report(_ outcome: ScriptRun.Outcome, _ context: ListenerRunContext) async {
        let listener = context.listener.origin
        switch outcome {
        case .ended, .paused, .cancelled:
            break
        case .expired:
            fail(listener, "script \(listener.script) timed out: its deadline passed", context, metrics.timeout)
            await notify("That took too long, so I gave up on it (\(listener.script)).", context)
        case .failed(_ as SkipListener):
            context.logger.warning(
                "a listener threw SkipListener after asking a question, so no other listener gets the message")
        case .failed(let error):
            let attributed = error as? AttributedError
            let (origin, cause) = (attributed?.origin ?? listener, attributed?.error ?? error)
            let userError = cause as? any UserFacingError
            if let userError, !userError.isFailure {
                context.logger.debug("the listener refused the message: \(cause)")
            } else {
                // An HTTP error other than an unavailable service may be the script's own fault.
                let isExplained = (cause as? HTTPError)?.isTransient ?? true
                fail(
                    origin, "script \(origin.script) failed: \(cause)", context, metrics.error,
                    answer: isExplained ? userError?.userMessage : nil)
            }
            await notify(userError?.userMessage ?? "Sorry, something went wrong (\(origin.script)).", context)
        }
    }

    /// - Parameter answer: The answer that the user gets, if it explains the error as well as the log line does.
    private func fail(
        _ origin: RunningScriptPart, _ problem: String, _ context: ListenerRunContext,
        _ count: @Sendable (String) -> Void,
        answer: String? = nil
    ) {
        var logger = context.logger
        logger[metadataKey: "script"] = "\(origin.script)"
        logger[metadataKey: "listener"] = "\(origin.part)"
        if let answer { logger[metadataKey: "answer"] = "\(answer)" }
        logger.error("\(problem)")
        count(origin.script)
    }

    /// Sends a notice to the user like any other answer: through the response middleware, and with a deadline.
    func notify(_ text: String, _ context: ListenerRunContext) async {
        let outcome = await MessageContext.$isNotice.withValue(true) {
            await runner.invoke(context.listener.origin) { try await context.send(.reply(text)) }
        }
        switch outcome {
        case .ended, .paused, .cancelled: break
        case .failed(let error): context.logger.error("couldn't deliver the answer: \(error)")
        case .expired: context.logger.error("couldn't deliver the answer: the adapter timed out")
        }
    }
}

/// Thrown if a listener is cooling down.
///
/// Its text is sent for a `respond` listener; for other listeners, only if no other listener answers the message.
struct CooldownError: UserFacingError {
    let userMessage: String
}
