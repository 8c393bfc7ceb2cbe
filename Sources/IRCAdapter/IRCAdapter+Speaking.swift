public import Heybot
import HeybotIRC
import Logging
import NetworkAdapter

// What the robot says: into the session's queue, or kept until there is a session.

extension IRCAdapter: PrivateMessaging, Paging, Attendance, RateLimited {
    public var commandLimit: CommandLimit? { configuration.commandLimit }

    public func unsaidLines(for envelope: Envelope) -> Int { driver.withLock { $0.unsaidLines(for: envelope) } }

    public func warn(_ text: String, _ envelope: Envelope) { driver.act { $0.warn(text, envelope, at: $1) } }

    public func privateRoom(of user: User) -> Room {
        let key = driver.withLock { $0.fold(user.name) }
        return Room(id: Room.ID(adapter: name, value: key), name: user.name, isPrivate: true)
    }

    public func users(in room: Room) async -> [User] { driver.withLock { $0.users(in: room.name) } }

    /// Says it as soon as the network and the pace allow; without a connection it is kept for five minutes.
    ///
    /// A topic isn't kept, since somebody else may set it meanwhile.
    public func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        let target = try target(envelope.room)
        switch utterance {
        case .text, .attachment:
            driver.act { $0.say(Chat(to: target, utterance.content), page: true, envelope, at: $1) }
        case .reply(let text):
            driver.act { $0.say(Chat(to: target, envelope.plainReply(text)), page: true, envelope, at: $1) }
        case .emote(let text):
            driver.act { $0.say(Chat(to: target, text, isAction: true), page: false, envelope, at: $1) }
        case .topic(let topic):
            guard driver.act({ $0.setTopic(topic, of: target, envelope, at: $1) }) else {
                throw IRCError.notConnected(name)
            }
        }
    }

    public func showMore(_ envelope: Envelope) async throws -> Bool {
        let target = try target(envelope.room)
        return driver.act { $0.showMore(target, envelope, at: $1) }
    }

    /// What a room is to the network: one nick or one channel.
    private func target(_ room: Room) throws -> String {
        let name = room.name
        guard let first = name.utf8.first, first != UInt8(ascii: ":"), name.utf8.count <= 200,
            !name.utf8.contains(where: { $0 <= 32 || $0 == UInt8(ascii: ",") })
        else { throw IRCError.noTarget(name) }
        return name
    }
}

/// Why something can't be said on IRC.
public enum IRCError: Error, Hashable, CustomStringConvertible {
    /// There is no connection for now.
    case notConnected(String)
    /// There is no server to connect to.
    case noServer(String)
    /// That isn't the fingerprint of a certificate.
    case notAFingerprint(String)
    /// That can't be the name of a channel or of somebody.
    case noTarget(String)
    /// There is no connection to join a channel by.
    case away(String)
    /// That is no channel on the network.
    case noChannel(String)
    /// A channel doesn't let us in, for the server's reason.
    case notLetIn(String, String)
    /// The server doesn't say whether a channel lets us in.
    case noAnswer(String)
    /// We are in no such channel.
    case notThere(String)
    /// Nobody can be called that, for this reason.
    case noPerson(String, String)

    public var description: String {
        switch self {
        case .notConnected(let adapter): "\(adapter) isn't connected just now, so the topic stays as it is"
        case .noServer(let adapter): "\(adapter) has no server to connect to: set one"
        case .notAFingerprint(let text): "\"\(text)\" isn't a fingerprint: that has 64 hexadecimal digits"
        case .noTarget(let name): "\"\(name)\" can't be a channel or somebody's nick"
        case .away(let adapter): "\(adapter) isn't connected just now"
        case .noChannel(let name): "\(name) is no channel: channels begin with #"
        case .notLetIn(let name, let reason): "\(name) doesn't let me in: \(reason)"
        case .noAnswer(let name): "the server doesn't say whether \(name) lets me in"
        case .notThere(let name): "I'm not in \(name)"
        case .noPerson(_, let reason): reason
        }
    }
}

extension IRCError: SpokenError {
    public var spoken: String {
        let words = "\(self)"
        return words.prefix(1).uppercased() + words.dropFirst() + "."
    }
}
