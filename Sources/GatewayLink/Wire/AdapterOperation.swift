package import Heybot

/// What a worker wants an adapter of the gateway to do.
package enum AdapterOperation: Hashable, Sendable {
    case deliver(Utterance, Envelope)
    case change(Message.ID, MessageChange, Envelope)
    case showTyping(Bool, Envelope)
    case waitUntil(Message.ID, DeliveryStage, milliseconds: Int, Envelope)
    case showMore(Envelope)
    case users(Room)
    case isPresent(User.ID)
    case locate(User)
    case isIn(Room)
    case join(String, password: String?)
    case leave(String)
    case member(String, Room)
    case restriction(RoomRestriction.Kind, RoomMember, Room)
    case restrictionOfAbsent(RoomRestriction.Kind, User, Room)
    case latestMessage(RoomMember, Room)
    case author(Message.ID, Room)
    case moderate(ModerationAction, Room)
    case block(String)
    case unblock(String)
    case blockedAddresses
    case recognize([String])
    /// Return the metrics of the gateway itself; no adapter is asked.
    case metrics
    /// An operation of a newer version.
    case unknown(String)

    /// Where it changes what people see, or what the network keeps; nil if it doesn't.
    ///
    /// If a message is handled again, it must not be performed again there.
    package var place: String? {
        switch self {
        case .deliver(_, let envelope), .change(_, _, let envelope), .showMore(let envelope): "in \(envelope.room.id)"
        case .join(let room, _): "join \(room)"
        case .leave(let room): "leave \(room)"
        case .moderate(_, let room): "moderate \(room.id)"
        case .block(let address): "block \(address)"
        case .unblock(let address): "unblock \(address)"
        case .showTyping, .waitUntil, .users, .isPresent, .locate, .isIn, .member, .restriction, .restrictionOfAbsent,
            .latestMessage, .author, .blockedAddresses, .recognize, .metrics, .unknown:
            nil
        }
    }

    /// Whether the worker waits for its outcome.
    package var hasOutcome: Bool {
        switch self {
        case .showTyping, .recognize: false
        default: true
        }
    }

    /// The content of the file that it sends; nil if it sends none.
    ///
    /// It isn't in the JSON, which would take four times as much.
    package var fileContent: [UInt8]? {
        get {
            switch self {
            case .deliver(.attachment(let file), _), .change(_, .edit(.attachment(let file)), _): file.bytes
            default: nil
            }
        }
        set {
            switch self {
            case .deliver(.attachment(var file), let envelope):
                file.bytes = newValue ?? []
                self = .deliver(.attachment(file), envelope)
            case .change(let message, .edit(.attachment(var file)), let envelope):
                file.bytes = newValue ?? []
                self = .change(message, .edit(.attachment(file)), envelope)
            default: break
            }
        }
    }
}
