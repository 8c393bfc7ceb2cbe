package import FoundationEssentials
package import Heybot

/// What a gateway tells a worker.
///
/// Cases with large payloads are `indirect`, so that a frame is small and cheap to pass on.
package enum GatewayFrame: Hashable, Sendable {
    /// The answer to ``WorkerFrame/hello(_:process:)``: the worker may prepare its robot.
    indirect case welcome(Welcome)
    /// A message to handle.
    indirect case message(NumberedMessage)
    /// The outcome of a call.
    indirect case result(call: Int, CallOutcome)
    /// The present facts of all adapters.
    case adapters([AdapterFacts])
    /// Another worker has ended: what the robot has read from the brain must be read again.
    case reload
    /// The robot stops when it has handled its messages: fire no more timers.
    case endTimers
    /// Another worker takes over, or the robot stops: handle what was received, and end.
    ///
    /// If the robot stops, open questions aren't waited for.
    case drain(keepsQuestions: Bool)
    /// Asks for a ``WorkerFrame/pong(_:)``.
    case ping(Int)
    /// Asks for a ``WorkerFrame/report(_:_:)``.
    case report(Int)
    /// Asks for ``WorkerFrame/commands(_:_:)``: those that a user may use in a room.
    indirect case commands(Int, User, Room)
    /// A frame of a newer version.
    case unknown(String)
}

/// What a worker needs to begin.
package struct Welcome: Codable, Hashable, Sendable {
    /// The version of the link that both speak from now on.
    package var version: Int
    /// The worker's number: what an earlier one does is refused.
    package var generation: Int
    /// The adapters.
    package var adapters: [AdapterFacts]
    /// The scripts to disable, because they have crashed workers, with the times of the crashes.
    package var crashes: [String: [Date]]?

    /// Creates a welcome.
    package init(version: Int, generation: Int, adapters: [AdapterFacts], crashes: [String: [Date]]? = nil) {
        (self.version, self.generation, self.adapters, self.crashes) = (version, generation, adapters, crashes)
    }
}

/// A message with the number by which a worker acknowledges it.
package struct NumberedMessage: Codable, Hashable, Sendable {
    /// The number, unique in the gateway.
    package var number: Int
    /// How often it was given to a worker, including this time.
    package var attempt: Int
    /// The message.
    package var message: Message

    /// Creates a message with a number.
    package init(number: Int, attempt: Int = 1, message: Message) {
        (self.number, self.attempt, self.message) = (number, attempt, message)
    }
}

extension GatewayFrame: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, call, outcome, adapters, number, keepsQuestions, user, room
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func number() throws -> Int { try container.decode(Int.self, forKey: .number) }
        switch try container.decode(String.self, forKey: .type) {
        case "welcome": self = .welcome(try Welcome(from: decoder))
        case "message": self = .message(try NumberedMessage(from: decoder))
        case "result":
            let call = try container.decode(Int.self, forKey: .call)
            self = .result(call: call, try container.decode(CallOutcome.self, forKey: .outcome))
        case "adapters": self = .adapters(try container.decode([AdapterFacts].self, forKey: .adapters))
        case "reload": self = .reload
        case "endTimers": self = .endTimers
        case "drain": self = .drain(keepsQuestions: try container.decode(Bool.self, forKey: .keepsQuestions))
        case "ping": self = .ping(try number())
        case "report": self = .report(try number())
        case "commands":
            let user = try container.decode(User.self, forKey: .user)
            self = .commands(try number(), user, try container.decode(Room.self, forKey: .room))
        case let type: self = .unknown(type)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .welcome(let welcome):
            try container.encode("welcome", forKey: .type)
            try welcome.encode(to: encoder)
        case .message(let message):
            try container.encode("message", forKey: .type)
            try message.encode(to: encoder)
        case .result(let call, let outcome):
            try container.encode("result", forKey: .type)
            try container.encode(call, forKey: .call)
            try container.encode(outcome, forKey: .outcome)
        case .adapters(let adapters):
            try container.encode("adapters", forKey: .type)
            try container.encode(adapters, forKey: .adapters)
        case .reload: try container.encode("reload", forKey: .type)
        case .endTimers: try container.encode("endTimers", forKey: .type)
        case .drain(let keepsQuestions):
            try container.encode("drain", forKey: .type)
            try container.encode(keepsQuestions, forKey: .keepsQuestions)
        case .ping(let number):
            try container.encode("ping", forKey: .type)
            try container.encode(number, forKey: .number)
        case .report(let number):
            try container.encode("report", forKey: .type)
            try container.encode(number, forKey: .number)
        case .commands(let number, let user, let room):
            try container.encode("commands", forKey: .type)
            try container.encode(number, forKey: .number)
            try container.encode(user, forKey: .user)
            try container.encode(room, forKey: .room)
        case .unknown(let type): try container.encode(type, forKey: .type)
        }
    }
}
