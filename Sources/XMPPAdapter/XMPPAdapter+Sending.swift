public import Heybot
import HeybotXMPP
import NetworkAdapter

// Sends messages: to the session's queue, or to the offline queue if there is no session.

extension XMPPAdapter: OutboundQueueing, PrivateMessaging, UserCommandRateLimiting {
    public var queuedMessages: Int { driver.waiting }

    public var status: AdapterStatus { driver.status }

    public var commandLimit: UserCommandRateLimit? { configuration.commandLimit }

    public func warn(_ text: String, _ envelope: Envelope) { driver.act { $0.warn(text, envelope, at: $1) } }

    public func privateRoom(of user: User) -> Room {
        Room(id: Room.ID(adapter: name, value: user.id.value), name: user.id.value, isPrivate: true)
    }

    /// Sends an utterance as soon as the server and the rate limit allow; without a connection it is kept for five minutes.
    ///
    /// A topic isn't kept, because somebody else may set it in the meantime.
    public func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        let target = try target(envelope.room)
        driver.withLock { $0.recordAnswer(envelope) }
        switch utterance {
        case .text, .attachment: say(utterance.content, target, envelope)
        case .reply(let text): say(envelope.plainReply(text), target, envelope)
        // XEP-0245.
        case .emote(let text): say("/me \(text)", target, envelope)
        case .topic(let topic):
            guard driver.withLock({ $0.state.session?.fitsInOneStanza(topic) }) ?? true else {
                throw AdapterError(
                    .tooLong, "a topic of \(topic.utf8.count) bytes exceeds the server's limit: shorten it")
            }
            guard driver.act({ $0.setSubject(topic, of: target, at: $1) }) else {
                throw AdapterError(.notInRoom, "I'm not in \(target) right now, so I can't set its topic")
            }
        }
    }

    private func say(_ text: String, _ target: JID, _ envelope: Envelope) {
        driver.act { manager, now in
            let target = manager.reachableTarget(target, for: envelope, at: now)
            manager.say(
                [OutgoingMessage(to: target, text, since: now, requester: manager.requester(envelope))], at: now)
        }
    }

    func target(_ room: Room) throws -> JID {
        do { return try JID(room.id.value) } catch { throw AdapterError(.invalidName, "\(error)") }
    }
}
