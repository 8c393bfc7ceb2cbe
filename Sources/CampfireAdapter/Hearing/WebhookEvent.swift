/// What Campfire tells a bot's webhook.
///
/// `room.path` is not read: it holds the bot's key.
enum WebhookEvent: Sendable {
    /// Somebody mentioned the bot, or wrote to it.
    case message(Heard)
    /// Somebody used a button of a message; the text is its value.
    case action(Heard, isSelected: Bool)
    /// Something that isn't known here.
    case unknown
}

/// What somebody said, and where.
struct Heard: Sendable {
    struct Person: Decodable, Sendable {
        let id: Identifier
        let name: String
    }

    struct Place: Decodable, Sendable {
        let id: Identifier
        /// Rooms of two have none.
        let name: String?
    }

    let id: Identifier
    let user: Person
    let room: Place
    let text: String
}

extension WebhookEvent: Decodable {
    private struct Kind: Decodable { let type: String? }
    private struct Source: Decodable {
        let user: Heard.Person
        let room: Heard.Place
    }
    private struct Said: Decodable {
        struct Body: Decodable { let plain: String }
        struct Message: Decodable {
            let id: Identifier
            let body: Body
        }
        let message: Message
    }
    private struct Used: Decodable {
        struct Action: Decodable {
            let value: String
            let selected: Bool
        }
        let id: Identifier
        let action: Action
    }

    init(from decoder: any Decoder) throws {
        func heard(_ id: Identifier, _ text: String) throws -> Heard {
            let source = try Source(from: decoder)
            return Heard(id: id, user: source.user, room: source.room, text: text)
        }
        // Older servers say no type.
        switch try Kind(from: decoder).type ?? "message" {
        case "message":
            let message = try Said(from: decoder).message
            self = .message(try heard(message.id, message.body.plain))
        case "action":
            let used = try Used(from: decoder)
            self = .action(try heard(used.id, used.action.value), isSelected: used.action.selected)
        default:
            self = .unknown
        }
    }
}
