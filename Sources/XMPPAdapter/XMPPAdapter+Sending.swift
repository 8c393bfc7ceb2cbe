public import Heybot
package import HeybotXMPP
import Logging
import NetworkAdapter

// Sends messages: to the session's queue, or to the offline queue if there is no session.

extension XMPPAdapter: OutboundQueueing, PrivateMessaging, MemberListing, CommandLimiting {
    public var queuedMessages: Int { driver.waiting }

    public var status: AdapterStatus { driver.status }

    public var commandLimit: CommandLimit? { configuration.commandLimit }

    public func warn(_ text: String, _ envelope: Envelope) { driver.act { $0.warn(text, envelope, at: $1) } }

    public func privateRoom(of user: User) -> Room {
        Room(id: Room.ID(adapter: name, value: user.id.value), name: user.id.value, isPrivate: true)
    }

    public func users(in room: Room) async -> [User] {
        guard let address = try? target(room) else { return [] }
        return driver.withLock { $0.users(in: address) }
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
        driver.act { delegate, now in
            let target = delegate.reachableTarget(target, for: envelope, at: now)
            delegate.say(
                [OutgoingMessage(to: target, text, since: now, requester: delegate.requester(envelope))], at: now)
        }
    }

    private func target(_ room: Room) throws -> JID {
        do { return try JID(room.id.value) } catch { throw AdapterError(.invalidName, "\(error)") }
    }

    /// Sends an IQ request (RFC 6120 section 8.2.3) and waits for the response.
    ///
    /// - Parameters:
    ///   - to: The addressee; nil for the server.
    ///   - limit: The timeout.
    /// - Returns: The payload of the response; nil if it is empty.
    /// - Throws: The ``HeybotXMPP/StanzaError`` in the response; `not-connected` if there is no connection,
    ///   `remote-server-timeout` if no response came in time, `cancelled` if the task was cancelled.
    package func ask(
        _ payload: Element, _ type: String = "get", to: JID? = nil, within limit: Duration? = nil
    ) async throws(StanzaError) -> Element? {
        let name = driver.withLock { $0.nextQueryName() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                driver.act { $0.ask(payload, type, to: to, within: limit, at: $1, as: name, continuation) }
                if Task.isCancelled { driver.withLock { $0.cancelQuery(name) } }
            }
        } onCancel: {
            driver.withLock { $0.cancelQuery(name) }
        }
        return try result.get()
    }
}
