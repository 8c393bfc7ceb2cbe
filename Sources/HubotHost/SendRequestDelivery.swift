import FoundationEssentials
import Heybot

/// Something that a Hubot script sends, on its way to a network.
struct SendRequestDelivery: Sendable {
    private let request: SendRequest
    private let call: RemoteListenerCall?
    private let envelope: Envelope?
    private let user: User?

    /// - Parameter call: The message that the script answers; nil if there is none, or it is long over.
    init(_ request: SendRequest, call: RemoteListenerCall?, _ names: HubotRoomAndUserNames) {
        (self.request, self.call) = (request, call)
        let user = request.user.map { names.user(named: $0) }
        self.user = user
        // In its own room, an answer keeps everything that the network knows about the message.
        if let call, request.room == names.name(of: call.message.room.id) {
            var envelope = call.envelope
            if let user, user.id != call.message.user.id { envelope.user = user }
            self.envelope = envelope
        } else {
            envelope = request.room.map { Envelope(room: names.room(named: $0), user: user) }
        }
    }

    /// The room, in which things keep their order; nil if it goes to a user only.
    var room: String? { envelope?.room.id.description }

    /// Whether no code of scripts runs before it is sent.
    var isQuick: Bool { call.map { !$0.hasResponseMiddleware } ?? true }

    /// Sends it.
    ///
    /// - Returns: The reason if it can't be sent.
    func deliver(_ robot: Robot?) async -> String? {
        guard let robot else { return "the robot isn't connected yet" }
        do {
            let envelope = try envelope ?? privateEnvelope(robot)
            for text in request.strings {
                guard let utterance = utterance(text, in: envelope.room, robot) else { continue }
                if let call {
                    try await call.send(utterance, to: envelope)
                } else {
                    try await robot.deliver(utterance, to: envelope)
                }
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func privateEnvelope(_ robot: Robot) throws -> Envelope {
        guard let user else { throw RefusedSend(description: "the message names neither a room nor a user") }
        if let call, !call.reachesSender, user.id == call.message.user.id {
            throw RefusedSend(description: "\(user.name) isn't seen now, and somebody else may have the name")
        }
        let network = Room(id: Room.ID(adapter: user.id.adapter, value: user.id.value))
        guard let adapter = robot.adapter(of: network, as: (any PrivateMessaging).self) else {
            throw RefusedSend(description: "\(user.id.adapter) has no direct messages: name a room")
        }
        return Envelope(room: adapter.privateRoom(of: user), user: user)
    }

    /// The text as the robot sends it; nil for a sound if the room's network plays none.
    private func utterance(_ text: String, in room: Room, _ robot: Robot) -> Utterance? {
        switch request.kind {
        case "reply": .reply(text)
        case "emote": .emote(text)
        case "topic": .topic(text)
        case "play": robot.adapter(of: room, as: (any SoundPlaying).self).map { Utterance.text($0.text(playing: text)) }
        default: .text(text)
        }
    }
}

/// Something can't be sent.
private struct RefusedSend: Error, CustomStringConvertible {
    let description: String
}

/// A message that a Hubot script puts into the robot.
enum InjectedHubotMessage {
    /// How many messages of scripts may lead to one another.
    static let greatestDepth = 10

    /// The message; nil if it has no room or no user.
    static func message(of request: InjectionRequest, _ names: HubotRoomAndUserNames, at time: Date) -> Message? {
        let said = request.message
        guard let room = said.room, let author = said.user else { return nil }
        let place = names.room(named: room)
        let content: Message.Content =
            switch said.kind {
            case "enter": .enter
            case "leave": .leave(reason: said.text)
            case "topic": .topic(said.text ?? "")
            default: .text(said.text ?? "")
            }
        return Message(
            id: Message.ID(adapter: place.id.adapter, value: said.id ?? "hubot-\(request.request)"),
            user: names.user(named: author.id, name: author.name), room: place, content: content, time: time)
    }
}
