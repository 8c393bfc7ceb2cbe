import Logging

/// One listener's part in one message: what a ``Response`` works with.
struct Exchange: Sendable {
    let robot: Robot
    let listener: Listener
    let delivery: Delivery

    var message: Message { delivery.message }

    var envelope: Envelope {
        Envelope(room: message.room, user: message.user, message: message.id)
    }

    var logger: Logger {
        var logger = robot.logger
        logger[metadataKey: "script"] = "\(listener.script)"
        logger[metadataKey: "listener"] = "\(listener.id)"
        logger[metadataKey: "room"] = "\(message.room.id)"
        logger[metadataKey: "user"] = "\(message.user.id)"
        return logger
    }

    func finish() {
        delivery.finish()
    }

    /// Says it in answer to the message.
    ///
    /// A closure that has been given up can't speak any more.
    func say(_ utterance: Utterance) async throws {
        var utterance = utterance
        for middleware in robot.middleware.response {
            guard let next = try await middleware.run(utterance, envelope, robot) else { return }
            utterance = next
        }
        try Task.checkCancellation()
        try await robot.deliver(utterance, to: envelope)
    }
}
