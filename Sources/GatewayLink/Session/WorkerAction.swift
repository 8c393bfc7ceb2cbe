package import Heybot

/// What a ``WorkerSession`` wants done.
///
/// Cases with large payloads are `indirect`, as in ``GatewayFrame``.
package enum WorkerAction: Hashable, Sendable {
    /// Send the gateway a frame.
    case send(WorkerFrame)
    /// Make the robot, and call ``WorkerSession/isReady()`` when messages may come.
    indirect case prepare(Welcome)
    /// Put a message into the robot's inbox, and call ``WorkerSession/ended(_:)`` when everything that it has caused has ended.
    indirect case hear(NumberedMessage)
    /// A call is over.
    indirect case finish(call: Int, CallOutcome)
    /// The facts of adapters have changed.
    case adaptersChanged([AdapterFacts])
    /// Read again what the robot has read from the brain.
    case reload
    /// Fire no more timers of scripts: the next worker does.
    case endTimers
    /// Stop all timers of the robot, as one in a single process does when it stops.
    case stopTimers
    /// Call ``WorkerSession/becameIdle()`` when no code of the robot runs.
    case waitUntilIdle
    /// Send a pong with this number from the threads that also run the robot: if all of them are blocked, none is sent.
    case answerPing(Int)
    /// Send a report with this number.
    case report(Int)
    /// Send the commands that a user may use in a room, with this number.
    indirect case listCommands(Int, User, Room)
    /// Stop the robot, and end; with the reason if it is a failure.
    case leave(reason: String?)
}
