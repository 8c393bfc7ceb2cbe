import Heybot

// Shows in a room that the robot is writing, while the asynchronous part of a listener works on an answer.

extension HostSessionDriver {
    /// How long a listener may work before the robot counts as writing.
    private static let typingDelay: Duration = .seconds(1)

    /// Shows that the robot is writing, for the runs whose users wait for a first text.
    ///
    /// It is called when the process is pinged anyway, so no run needs a timer.
    func showTyping(at now: Duration, _ state: inout State) {
        for (run, unfinished) in state.unfinished where now - unfinished.since >= Self.typingDelay {
            guard let call = state.calls[run], call.command != nil, !state.session.runs.isAnswered(run) else {
                continue
            }
            // Before what it sends from now on.
            let queue = call.message.room.id.description
            let isAdded = shared.deliveries.add(to: queue, isQuick: true) { call.showTyping(true) }
            if isAdded { state.unfinished[run]?.isTyping = true }
        }
    }

    /// Shows that the robot has stopped writing, after what the run has sent.
    func endTyping(of call: RemoteListenerCall) {
        let queue = call.message.room.id.description
        _ = shared.deliveries.add(to: queue, isLimited: false, isQuick: true) { call.showTyping(false) }
    }
}
