package import Logging

/// What the session with a script host wants done.
package enum HostAction: Hashable, Sendable {
    /// Send the host a message.
    case write(RobotMessage)
    /// Send the host a message, but not before the next ``write(_:)``.
    case writeLater(RobotMessage)
    /// End the host's process: it doesn't answer any more.
    case kill
    /// Log a line, of a script if it is known.
    case log(Logger.Level, String, script: String?)
    /// All scripts were loaded for the first time: the robot can be built.
    case loaded
    /// Read Hubot's brain, and call ``HostSession/remember(_:)``.
    case readBrain
    /// Pass the answer to the caller that asked.
    case answer(RunResult)
    /// Tell the caller that asked that there will be no answer, because the host has ended.
    case lost(run: Int, hasMatched: Bool = false)
    /// Tell the caller that asked to ask the host that takes over.
    case handedOver(run: Int)
    /// The asynchronous part of a run is over.
    case ended(run: Int)
    /// Tell the user of a run something, in the robot's name.
    case tell(run: Int, String)
    /// Forget a run: nothing more comes of it.
    case forget(run: Int)
    /// Send something to a room.
    case send(SendRequest)
    /// Put a message into the robot.
    case receive(InjectionRequest)
    /// Store changed entries of Hubot's brain.
    case store([BrainEntry])
    /// Carry out an operation on the data store.
    case useDatastore(DatastoreRequest)
    /// Answer a web request.
    case answerRequest(id: Int, WebOutcome)
    /// Count a failure of a script that has blocked or ended the host's process.
    case countFailure(script: String, isTimeout: Bool)
    /// The host has sent everything that it has stored: another one may take over.
    case retired
}

/// What became of a web request.
package enum WebOutcome: Hashable, Sendable {
    case answered(WebAnswer)
    /// The answer was broken off, or is too long.
    case broken
    /// The host has ended before it answered.
    case lost
    /// The host that takes over answers it.
    case handedOver
}

/// The answer of a web route.
package struct WebAnswer: Hashable, Sendable {
    package var status: Int
    /// Pairs of name and value.
    package var headers: [[String]]
    package var body: [UInt8] = []
}

/// A listener of a script, whichever number the host's present process has given it.
package struct ListenerKey: Hashable, Sendable {
    package var script: String
    package var ordinal: Int

    package init(_ script: String, _ ordinal: Int) { (self.script, self.ordinal) = (script, ordinal) }
}
