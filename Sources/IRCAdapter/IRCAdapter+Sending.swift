public import Heybot
import HeybotIRC
import Logging
import NetworkAdapter

// Sending messages: into the session's queue, or into the offline queue.

extension IRCAdapter: OutboundQueueing, PrivateMessaging, AnswerPaging, UserCommandRateLimiting, MessageChanging {
    public var status: AdapterStatus { driver.status }

    public var queuedMessages: Int { driver.waiting }

    public var commandLimit: UserCommandRateLimit? { configuration.commandLimit }

    public func queuedLines(for envelope: Envelope) -> Int { driver.withLock { $0.queuedLines(for: envelope) } }

    public func warn(_ text: String, _ envelope: Envelope) { driver.act { $0.warn(text, envelope, at: $1) } }

    public func privateRoom(of user: User) -> Room {
        let key = driver.withLock { $0.fold(user.name) }
        return Room(id: id(key), name: user.name, isPrivate: true)
    }

    /// Returns a user with the nick that they have now.
    ///
    /// If no channel shows them, it is nil, unless a nick is all that identifies them.
    public func locate(_ user: User) async -> User? { driver.withLock { $0.locate(user) } }

    /// Queues an utterance, which is sent as soon as the rate limit allows; while disconnected, it is kept for up to five
    /// minutes.
    ///
    /// A topic isn't kept, because another user may set it meanwhile.
    ///
    /// - Returns: Nil, because on IRC a message can't be changed, unless the server is to confirm the message.
    public func send(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID? {
        let target = try target(envelope.room)
        switch utterance {
        case .text(let text): return say(text, to: target, envelope)
        case .attachment(let attachment):
            guard let text = attachment.plainText else { throw AdapterError(cannotSend: attachment, "IRC") }
            return say(text, to: target, envelope)
        case .reply(let text): return say(envelope.plainReply(text), to: target, isReply: true, envelope)
        case .emote(let text): return say(text, to: target, isAction: true, envelope)
        case .topic(let topic):
            guard driver.act({ $0.setTopic(topic, of: target, envelope, at: $1) }) else {
                throw AdapterError(.notConnected, "\(name) isn't connected, so the topic can't be set")
            }
        }
        return nil
    }

    private func say(
        _ text: String, to target: String, isReply: Bool = false, isAction: Bool = false, _ envelope: Envelope
    ) -> Message.ID? {
        driver.act { manager, now in
            var outgoing = OutgoingMessage(to: target, text, isAction: isAction)
            if isReply { outgoing.reply = manager.repliedID(envelope) }
            let id = manager.track(envelope)
            outgoing.tracking = id?.value
            manager.say(outgoing, page: !isAction, envelope, at: now)
            return id
        }
    }

    /// Shows that the robot is writing, if the server passes that on.
    public func showTyping(_ isTyping: Bool, in envelope: Envelope) {
        guard let target = try? target(envelope.room) else { return }
        driver.act { $0.showTyping(isTyping, in: target, envelope, at: $1) }
    }

    /// Waits until the server has received a message, if it has the capability `labeled-response`.
    public func waitUntil(
        _ message: Message.ID, is stage: DeliveryStage, within limit: Duration, in envelope: Envelope
    ) async throws -> Bool {
        await driver.waitUntil(message.value, is: stage, within: limit)
    }

    /// What the server passes on, if it has the capability `message-tags`, and whether it confirms messages.
    public var messageFeatures: Set<MessageFeature> { driver.withLock { $0.messageFeatures } }

    public func change(_ message: Message.ID, _ change: MessageChange, in envelope: Envelope) async throws -> Bool {
        let target = try target(envelope.room)
        return driver.act { $0.change(message, change, in: target, envelope, at: $1) }
    }

    public func showMore(_ envelope: Envelope) async throws -> Bool {
        let target = try target(envelope.room)
        return driver.act { $0.showMore(target, envelope, at: $1) }
    }

    /// Returns the IRC target of a room: a nick or a channel.
    private func target(_ room: Room) throws -> String {
        let name = room.name
        guard let first = name.utf8.first, first != UInt8(ascii: ":"), name.utf8.count <= 200,
            !name.utf8.contains(where: { $0 <= 32 || $0 == UInt8(ascii: ",") })
        else { throw AdapterError(.invalidName, "\"\(name)\" isn't a valid channel or nick") }
        return name
    }
}
