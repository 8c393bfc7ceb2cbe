public import Heybot
import HeybotXMPP
import NetworkAdapter

// Sends messages, and changes of them: to the session's queue, or to the offline queue if there is no session.

extension XMPPAdapter: OutboundQueueing, PrivateMessaging, UserCommandRateLimiting, MessageChanging {
    public var queuedMessages: Int { driver.waiting }

    public var status: AdapterStatus { driver.status }

    public var commandLimit: UserCommandRateLimit? { configuration.commandLimit }

    public func warn(_ text: String, _ envelope: Envelope) { driver.act { $0.warn(text, envelope, at: $1) } }

    public func privateRoom(of user: User) -> Room {
        Room(id: Room.ID(adapter: name, value: user.id.value), name: user.id.value, isPrivate: true)
    }

    public var messageFeatures: Set<MessageFeature> { Set(MessageFeature.allCases) }

    /// Sends an utterance as soon as the server and the rate limit allow; without a connection it is kept for five minutes.
    ///
    /// A topic isn't kept, because somebody else may set it in the meantime.
    public func send(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID? {
        let target = try target(envelope.room)
        guard case .topic(let topic) = utterance else {
            return driver.act { $0.send(utterance, to: target, envelope, at: $1) }
        }
        guard driver.withLock({ $0.state.session?.fitsInOneStanza(topic) }) ?? true else {
            throw AdapterError(
                .tooLong, "a topic of \(topic.utf8.count) bytes exceeds the server's limit: shorten it")
        }
        guard driver.act({ $0.setSubject(topic, of: target, at: $1) }) else {
            throw AdapterError(.notInRoom, "I'm not in \(target) right now, so I can't set its topic")
        }
        return nil
    }

    public func change(_ message: Message.ID, _ change: MessageChange, in envelope: Envelope) async throws -> Bool {
        driver.act { $0.change(message, change, envelope, at: $1) }
    }

    func target(_ room: Room) throws -> JID {
        do { return try JID(room.id.value) } catch { throw AdapterError(.invalidName, "\(error)") }
    }
}
