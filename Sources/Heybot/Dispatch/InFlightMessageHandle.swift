/// A message on its way through the robot, for code that runs scripts outside of this process.
///
/// Such code knows the message by its number, and by nothing else.
package struct InFlightMessageHandle: Sendable {
    let inbound: InFlightMessage

    /// The message that caused the code that is running; nil if no message did.
    package static var current: InFlightMessageHandle? {
        MessageContext.cause?.inbound.map { InFlightMessageHandle(inbound: $0) }
    }

    /// A number that no other message of this process has.
    package var number: Int { inbound.number }
    /// The message, as middleware and scripts have left it.
    package var message: Message { inbound.message }
    /// Where the message comes from if a script has put it into the robot.
    package var injection: InjectionOrigin? { inbound.injection }
    /// The number of messages of scripts and commands that led to this one, including itself; 0 if an adapter has received it.
    package var depth: Int { inbound.depth }

    /// Calls `action` once the robot has finished with the message; at once if it has already.
    package func atEnd(_ action: @escaping @Sendable () -> Void) { inbound.atEnd(action) }
}

/// The origin of a message that a script has put into the robot, as if an adapter had received it.
package struct InjectionOrigin: Hashable, Sendable {
    /// By what the script knows the message.
    package let token: Int
    /// The process in which the script knows it.
    package let process: Int
    /// How many messages of scripts led to this one, including itself.
    package let depth: Int

    package init(token: Int, process: Int, depth: Int) {
        (self.token, self.process, self.depth) = (token, process, depth)
    }
}

extension Robot {
    /// Puts a message of a script into the inbox, as if an adapter had received it.
    ///
    /// While the inbox is full, this waits for a moment; then the newest message of the user who sent most is dropped.
    package func inject(_ message: Message, _ injection: InjectionOrigin) async {
        await enqueue(InFlightMessage(message, inFlight: nil, injection: injection))
    }
}
