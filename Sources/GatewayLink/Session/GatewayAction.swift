package import FoundationEssentials
package import Heybot
package import Logging

/// What a ``GatewaySession`` wants done.
///
/// Cases with large payloads are `indirect`, as in ``GatewayFrame``.
package enum GatewayAction: Hashable, Sendable {
    /// Start a worker.
    case start(generation: Int)
    /// Send a worker a frame.
    case send(GatewayFrame, to: Int)
    /// End a worker's process: it doesn't answer any more, or isn't needed.
    case kill(generation: Int)
    /// Have an adapter carry out a call, and report the outcome with this token; nil if nobody waits for it.
    indirect case perform(AdapterCall, token: Int?)
    /// A message is done.
    case finish(number: Int)
    /// Say something in the robot's name.
    indirect case tell(Envelope, String)
    /// Say something to the admins.
    case tellAdmins(String)
    /// Pass on a worker's answer to the question with this number.
    indirect case answer(number: Int, WorkerFrame)
    /// There is room for messages again.
    case resume
    /// Log a line, of a script if it is known.
    indirect case log(Logger.Level, String, script: String?)
    /// Stop the robot: a script has asked for it.
    case stopRobot
    /// All workers have ended, and there will be no more; with the exit status if the first one couldn't start.
    case stopped(status: Int?)
}

/// How a worker's process has ended.
package struct WorkerEnd: Hashable, Sendable {
    /// How it has ended, for the log, such as `signal 11`.
    package var reason: String
    /// The exit status; nil if a signal has ended it.
    package var status: Int?
    /// The id of the process; nil if that isn't known.
    package var process: Int?
    /// What it was running when it crashed; nil if that isn't known.
    package var crash: WorkerCrash?

    /// Creates a description of an end.
    package init(_ reason: String, status: Int? = nil, process: Int? = nil, crash: WorkerCrash? = nil) {
        (self.reason, self.status, self.process, self.crash) = (reason, status, process, crash)
    }
}

/// What a worker was running when it crashed, as its signal handler has recorded it.
package struct WorkerCrash: Hashable, Sendable {
    /// The name of the signal.
    package var signal: String
    /// The script.
    package var script: String
    /// The listener, or another part of the script.
    package var listener: String?
    /// The message.
    package var message: Message.ID?
    /// When it crashed.
    package var date: Date

    /// Creates a record of a crash.
    package init(signal: String, script: String, listener: String? = nil, message: Message.ID? = nil, date: Date) {
        (self.signal, self.script, self.listener) = (signal, script, listener)
        (self.message, self.date) = (message, date)
    }

    /// The crash in words, for the log.
    var words: String {
        var text = "script \(script)"
        if let listener { text += ", listener \(listener)" }
        if let message { text += ", on message \(message)" }
        return "\(text) (\(signal))"
    }
}
