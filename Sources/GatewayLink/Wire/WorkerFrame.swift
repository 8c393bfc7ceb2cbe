package import Heybot

/// What a worker tells its gateway.
///
/// Cases with large payloads are `indirect`, so that a frame is small and cheap to pass on.
package enum WorkerFrame: Hashable, Sendable {
    /// The first frame: the versions that the worker speaks, and its process.
    indirect case hello(LinkVersions, process: Int)
    /// The brain is open, and all scripts are registered: messages may come.
    case ready
    /// Everything that these messages have caused has ended, or waits for an answer of a user.
    case done([Int])
    /// A request to an adapter.
    indirect case call(AdapterCall)
    /// A question is open.
    indirect case claim(Claim)
    /// No question is open there any more.
    indirect case release(Claim)
    /// The answer to ``GatewayFrame/ping(_:)``.
    case pong(Int)
    /// The answer to ``GatewayFrame/report(_:)``.
    indirect case report(Int, WorkerReport)
    /// The answer to ``GatewayFrame/commands(_:_:_:)``.
    case commands(Int, [HelpLine])
    /// Everything was handled; the worker ends.
    case drained
    /// A script has stopped the robot: all of it is to end, and the worker ends.
    case stop
    /// A frame of a newer version.
    case unknown(String)
}

/// A conversation in which a worker waits for a user's answer.
package struct Claim: Codable, Hashable, Sendable {
    /// The sender whose messages may be the answer.
    package var sender: User.ID
    /// The user who was asked.
    package var user: User
    /// The room.
    package var room: Room

    /// Creates a claim for the answers to a question that a message has led to.
    package init(_ message: Message) { (sender, user, room) = (message.sender, message.user, message.room) }

    /// What users get to read if a question to them can't be answered any more.
    package static let apology =
        "Sorry, I had to restart, and forgot what I asked you. Please give me the command again."

    /// Whether a message may be the answer.
    package func mayCover(_ message: Message) -> Bool {
        message.room.id == room.id && (message.sender == sender || message.user.id == user.id)
    }
}

/// A worker's part of the robot's health.
package struct WorkerReport: Codable, Hashable, Sendable {
    /// The health of the worker's robot.
    package var health: Health
    /// The port of its web server; nil if there is none.
    package var webPort: Int?

    /// Creates a report.
    package init(health: Health, webPort: Int? = nil) { (self.health, self.webPort) = (health, webPort) }
}

extension WorkerFrame: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, versions, process, numbers, number, claim, report, commands
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func number() throws -> Int { try container.decode(Int.self, forKey: .number) }
        switch try container.decode(String.self, forKey: .type) {
        case "hello":
            let versions = try container.decode(LinkVersions.self, forKey: .versions)
            self = .hello(versions, process: try container.decode(Int.self, forKey: .process))
        case "ready": self = .ready
        case "done": self = .done(try container.decode([Int].self, forKey: .numbers))
        case "call": self = .call(try AdapterCall(from: decoder))
        case "claim": self = .claim(try container.decode(Claim.self, forKey: .claim))
        case "release": self = .release(try container.decode(Claim.self, forKey: .claim))
        case "pong": self = .pong(try number())
        case "report":
            self = .report(try number(), try container.decode(WorkerReport.self, forKey: .report))
        case "commands":
            self = .commands(try number(), try container.decode([HelpLine].self, forKey: .commands))
        case "drained": self = .drained
        case "stop": self = .stop
        case let type: self = .unknown(type)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .hello(let versions, let process):
            try container.encode("hello", forKey: .type)
            try container.encode(versions, forKey: .versions)
            try container.encode(process, forKey: .process)
        case .ready: try container.encode("ready", forKey: .type)
        case .done(let numbers):
            try container.encode("done", forKey: .type)
            try container.encode(numbers, forKey: .numbers)
        case .call(let call):
            try container.encode("call", forKey: .type)
            try call.encode(to: encoder)
        case .claim(let claim):
            try container.encode("claim", forKey: .type)
            try container.encode(claim, forKey: .claim)
        case .release(let claim):
            try container.encode("release", forKey: .type)
            try container.encode(claim, forKey: .claim)
        case .pong(let number):
            try container.encode("pong", forKey: .type)
            try container.encode(number, forKey: .number)
        case .report(let number, let report):
            try container.encode("report", forKey: .type)
            try container.encode(number, forKey: .number)
            try container.encode(report, forKey: .report)
        case .commands(let number, let commands):
            try container.encode("commands", forKey: .type)
            try container.encode(number, forKey: .number)
            try container.encode(commands, forKey: .commands)
        case .drained: try container.encode("drained", forKey: .type)
        case .stop: try container.encode("stop", forKey: .type)
        case .unknown(let type): try container.encode(type, forKey: .type)
        }
    }
}
