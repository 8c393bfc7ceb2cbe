public import Heybot
import HeybotXMPP
import NetworkAdapter

// Sends messages, and changes of them: to the session's queue, or to the offline queue if there is no session.

extension XMPPAdapter: OutboundQueueing, PrivateMessaging, UserCommandRateLimiting, MessageChanging {
    /// The number of messages that wait to be sent, and of forms that wait for their answer.
    public var queuedMessages: Int {
        driver.withLock { manager in
            guard manager.state.session?.isOnline == true else { return 0 }
            return manager.state.waiting + manager.commandAnswers.count
        }
    }

    public var status: AdapterStatus { driver.status }

    public var commandLimit: UserCommandRateLimit? { configuration.commandLimit }

    public func warn(_ text: String, _ envelope: Envelope) { driver.act { $0.warn(text, envelope, at: $1) } }

    public func privateRoom(of user: User) -> Room {
        Room(id: id(user.id.value), isPrivate: true)
    }

    /// Everything, but without typing if the robot is to show no activity.
    public var messageFeatures: Set<MessageFeature> {
        let showsActivity = driver.withLock { $0.configuration.session.showsActivity }
        var features = Set(MessageFeature.allCases)
        if !showsActivity { features.remove(.typing) }
        return features
    }

    /// Sends an utterance as soon as the server and the rate limit allow; without a connection it is kept for five minutes.
    ///
    /// A topic isn't kept, because somebody else may set it in the meantime. A file is uploaded first.
    public func send(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID? {
        let target = try target(envelope.room)
        switch utterance {
        case .text, .reply, .emote: return driver.act { $0.send(utterance, to: target, envelope, at: $1) }
        case .attachment(let attachment): return try await share(attachment, to: target, envelope)
        case .topic(let topic):
            try setTopic(topic, of: target)
            return nil
        }
    }

    private func setTopic(_ topic: String, of target: JID) throws {
        guard driver.withLock({ $0.state.session?.fitsInOneStanza(topic) }) ?? true else {
            throw AdapterError(
                .tooLong, "a topic of \(topic.utf8.count) bytes exceeds the server's limit: shorten it")
        }
        guard driver.act({ $0.setSubject(topic, of: target, at: $1) }) else {
            throw AdapterError(.notInRoom, "I'm not in \(target) right now, so I can't set its topic")
        }
    }

    /// Waits until a room has repeated a message, or a person's client has confirmed it (XEP-0184 and XEP-0333).
    ///
    /// - Throws: ``Heybot/AdapterError`` if the message should be seen by a room.
    public func waitUntil(
        _ message: Message.ID, is stage: DeliveryStage, within limit: Duration, in envelope: Envelope
    ) async throws -> Bool {
        if stage == .seen, !envelope.room.isPrivate {
            throw AdapterError(.unsupported, "I can't tell who has read a message in a room, only in private")
        }
        return await driver.waitUntil(message.value, is: stage, within: limit)
    }

    public func change(_ message: Message.ID, _ change: MessageChange, in envelope: Envelope) async throws -> Bool {
        driver.act { $0.change(message, change, envelope, at: $1) }
    }

    /// Shows that the robot is writing (XEP-0085); to a person only if their client has shown that it does so too.
    public func showTyping(_ isTyping: Bool, in envelope: Envelope) {
        guard let target = try? target(envelope.room) else { return }
        driver.act { $0.showTyping(isTyping, to: target, envelope, at: $1) }
    }

    func target(_ room: Room) throws -> JID {
        do { return try JID(room.id.value) } catch { throw AdapterError(.invalidName, "\(error)") }
    }
}
