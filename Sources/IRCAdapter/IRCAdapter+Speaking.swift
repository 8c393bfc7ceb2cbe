public import Heybot
import HeybotIRC
import Logging
import NetworkAdapter

// What the robot says: into the session's queue, or kept until there is a session.

extension IRCAdapter: Paced, PrivateMessaging, Paging, Attendance, RateLimited {
    public var status: AdapterStatus { driver.status }

    public var unsaid: Int { driver.waiting }

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
                throw AdapterError(.notConnected, "\(name) isn't connected just now, so the topic stays as it is")
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
        else { throw AdapterError(.badName, "\"\(name)\" can't be a channel or somebody's nick") }
        return name
    }
}
