public import Heybot
import HeybotSupport

/// Why something can't be sent to or received from Campfire.
public enum CampfireError: Error, Hashable {
    /// Bots can't set topics.
    case noTopics
    /// The room doesn't exist, or the bot isn't in it.
    case unknownRoom(String)
    /// Too many messages are queued for the room.
    case queueFull(String)
    /// The Campfire rejected the bot's key.
    case wrongKey(host: String)
    /// The Campfire answered with an unexpected status, and perhaps a `Retry-After`.
    case refused(host: String, status: Int, retryAfter: Duration? = nil)
    /// The request failed without an answer.
    case requestFailed(HTTPError)
}

extension CampfireError: UserFacingError, CustomStringConvertible {
    public var description: String {
        switch self {
        case .noTopics: userMessage
        case .unknownRoom(let room):
            "there is no room \(SafeText.visible(room, limit: 64)), or the bot isn't in it: add the bot to the room"
        case .queueFull(let room): "too many messages are queued for the room \(room)"
        case .wrongKey(let host):
            "\(host) rejected the bot's key: check the key, and whether the URL should begin with http or https"
        case .refused(let host, let status, _): "\(host) answered with status \(status)"
        case .requestFailed(let error): "\(error)"
        }
    }

    public var userMessage: String {
        switch self {
        case .noTopics: "Topics can't be set on Campfire."
        case .unknownRoom: "I'm not in that room."
        case .queueFull, .wrongKey, .refused, .requestFailed: "I can't reach Campfire right now."
        }
    }

    public var isFailure: Bool { self != .noTopics }
}
