/// An event of Campfire's webhook.
///
/// `room.path` isn't read, because it contains the bot's key.
enum WebhookEvent: Sendable {
    /// A user mentioned the bot, or sent it a direct message.
    case message(WebhookMessage)
    /// A user pressed a message's button; the text is its value.
    case action(WebhookMessage, isSelected: Bool)
    /// An unknown event.
    case unknown
}

/// A message and its context.
struct WebhookMessage: Sendable {
    struct Sender: Decodable, Sendable {
        let id: CampfireID
        let name: String
    }

    struct Room: Decodable, Sendable {
        let id: CampfireID
        /// Nil for a direct room.
        let name: String?
    }

    let id: CampfireID
    let user: Sender
    let room: Room
    let text: String
}

extension WebhookEvent: Decodable {
    private struct TypePayload: Decodable { let type: String? }
    private struct SenderAndRoomPayload: Decodable {
        let user: WebhookMessage.Sender
        let room: WebhookMessage.Room
    }
    private struct MessagePayload: Decodable {
        struct Body: Decodable { let plain: String }
        struct Message: Decodable {
            let id: CampfireID
            let body: Body
        }
        let message: Message
    }
    private struct ButtonPressPayload: Decodable {
        struct Button: Decodable {
            let value: String
            let selected: Bool
        }
        let id: CampfireID
        let action: Button
    }

    init(from decoder: any Decoder) throws {
        func makeMessage(_ id: CampfireID, _ text: String) throws -> WebhookMessage {
            let source = try SenderAndRoomPayload(from: decoder)
            return WebhookMessage(id: id, user: source.user, room: source.room, text: text)
        }
        // Older servers send no type.
        switch try TypePayload(from: decoder).type ?? "message" {
        case "message":
            let message = try MessagePayload(from: decoder).message
            self = .message(try makeMessage(message.id, message.body.plain))
        case "action":
            let payload = try ButtonPressPayload(from: decoder)
            self = .action(try makeMessage(payload.id, payload.action.value), isSelected: payload.action.selected)
        default:
            self = .unknown
        }
    }
}
