public import Heybot
package import HeybotXMPP
import Logging
import NetworkAdapter

// What the robot says: into the session's queue, or kept until there is a session.

extension XMPPAdapter: Paced, PrivateMessaging, Attendance, RateLimited {
    public var unsaid: Int { driver.waiting }

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

    /// Says it as soon as the server and the pace allow; without a connection it is kept for five minutes.
    ///
    /// A topic isn't kept, since somebody else may set it meanwhile.
    public func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        let target = try target(envelope.room)
        driver.withLock { $0.noteAnswer(envelope) }
        switch utterance {
        case .text, .attachment: say(utterance.content, target, envelope)
        case .reply(let text): say(envelope.plainReply(text), target, envelope)
        // XEP-0245.
        case .emote(let text): say("/me \(text)", target, envelope)
        case .topic(let topic):
            guard driver.withLock({ $0.state.session?.takesWhole(topic) }) ?? true else {
                throw AdapterError(
                    .tooLong, "a topic of \(topic.utf8.count) bytes is longer than the server takes: shorten it")
            }
            guard driver.act({ $0.setSubject(topic, of: target, at: $1) }) else {
                throw AdapterError(.notThere, "I'm not in \(target) just now, so its topic stays as it is")
            }
        }
    }

    private func say(_ text: String, _ target: JID, _ envelope: Envelope) {
        driver.act { controller, now in
            let target = controller.audible(target, for: envelope, at: now)
            controller.say([Chat(to: target, text, since: now, asker: controller.asker(envelope))], at: now)
        }
    }

    private func target(_ room: Room) throws -> JID {
        do { return try JID(room.id.value) } catch { throw AdapterError(.badName, "\(error)") }
    }

    /// Asks somebody something that XMPP has a question for (RFC 6120 section 8.2.3).
    ///
    /// - Parameters:
    ///   - to: Whom to ask; nil for the server.
    ///   - limit: How long the answer may take.
    /// - Returns: What the answer holds; nil if it is empty.
    /// - Throws: The ``HeybotXMPP/StanzaError`` that came back; `not-connected` if there is no connection,
    ///   `remote-server-timeout` if no answer came in time, and `cancelled` if the task was.
    package func ask(
        _ payload: Element, _ type: String = "get", to: JID? = nil, within limit: Duration? = nil
    ) async throws(StanzaError) -> Element? {
        let name = driver.withLock { $0.nameQuestion() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                driver.act { $0.ask(payload, type, to: to, within: limit, at: $1, as: name, continuation) }
                if Task.isCancelled { driver.withLock { $0.giveUp(name) } }
            }
        } onCancel: {
            driver.withLock { $0.giveUp(name) }
        }
        return try result.get()
    }
}
