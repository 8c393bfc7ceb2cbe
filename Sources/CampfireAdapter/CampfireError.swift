public import Heybot
import HeybotSupport

/// Why something can't be said on Campfire, or heard there.
public enum CampfireError: Error, Hashable {
    /// A bot can't set topics.
    case noTopics
    /// There is no such room, or the bot isn't in it.
    case unknownRoom(String)
    /// Too much waits to be said in that room.
    case crowded(String)
    /// The Campfire doesn't know the bot's key.
    case wrongKey(host: String)
    /// The Campfire answered with another status than it should, and perhaps when to try again.
    case refused(host: String, status: Int, retryAfter: Duration? = nil)
    /// The Campfire didn't answer.
    case trouble(HTTPError)
}

extension CampfireError: SpokenError, CustomStringConvertible {
    public var description: String {
        switch self {
        case .noTopics: spoken
        case .unknownRoom(let room):
            "there is no room \(SafeText.visible(room, limit: 64)), or the bot isn't in it: add it to the room"
        case .crowded(let room): "too much waits to be said in the room \(room) already"
        case .wrongKey(let host):
            "\(host) doesn't know the bot's key: check the key, and http or https in the address"
        case .refused(let host, let status, _): "\(host) answered with status \(status)"
        case .trouble(let error): "\(error)"
        }
    }

    public var spoken: String {
        switch self {
        case .noTopics: "Topics can't be set on Campfire."
        case .unknownRoom: "I'm not in that room."
        case .crowded, .wrongKey, .refused, .trouble: "I can't get through to Campfire just now."
        }
    }

    public var isFailure: Bool { self != .noTopics }
}
