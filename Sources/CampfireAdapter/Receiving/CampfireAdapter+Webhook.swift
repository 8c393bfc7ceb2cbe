public import Heybot
import HeybotSupport
import Synchronization

// Receiving messages from the webhook, and responding to its requests.

extension CampfireAdapter {
    /// How long a webhook response may take to reach the room before the next message is posted.
    private static let responseLatency: Duration = .milliseconds(250)

    /// Registers `POST /campfire/SECRET`, or `POST /campfire/NAME/SECRET` for an adapter with another name than `campfire`, if the
    /// configuration has a secret.
    public func register(on robot: inout RobotBuilder) {
        guard let secret = configuration.webhookSecret else { return }
        robot.post(name == "campfire" ? "/campfire/:secret" : "/campfire/\(name)/:secret") { [self] request in
            guard WebRequest.isSame(request.parameters["secret"], secret) else {
                throw WebRefusal(404, "Not found.")
            }
            return await answer(try request.json())
        }
    }

    /// Handles a webhook event.
    ///
    /// Campfire posts the response as a message or a file, unless it has neither body nor type.
    func answer(_ event: WebhookEvent) async -> WebResponse {
        guard let inbox = inbox.withLock({ $0 }) else { return WebResponse(status: 503) }
        switch event {
        case .message(let incoming) where messages.withLock { $0.insert(incoming.id.text) }:
            return await hold(message(incoming, id: incoming.id.text), inbox)
        case .action(let incoming, let isSelected) where isSelected && actions.withLock { $0.insert(incoming.id.text) }:
            await inbox.receive(message(incoming, id: "action-\(incoming.id.text)"))
            return .empty
        case .message, .action, .unknown:
            return .empty
        }
    }

    private func message(_ incoming: WebhookMessage, id: String) -> Message {
        Message(
            id: self.id(id), user: user(incoming.user.id, incoming.user.name),
            room: room(incoming.room.id.text, incoming.room.name, isPrivate: incoming.room.name == nil),
            content: .text(incoming.text), time: date(), isAddressed: true)
    }

    func user(_ id: CampfireID, _ name: String) -> User {
        User(id: self.id(id.text), name: SafeText.visible(name, limit: 1_000, lineBreak: nil))
    }

    func room(_ id: String, _ name: String?, isPrivate: Bool = false) -> Room {
        Room(
            id: self.id(id), name: name.map { SafeText.visible($0, limit: 1_000, lineBreak: nil) },
            isPrivate: isPrivate)
    }

    /// Holds the request open until the message has been handled, a text has been held for long enough, the time limit is
    /// reached, or the task is canceled.
    private func hold(_ message: Message, _ inbox: Inbox) async -> WebResponse {
        let (signals, signal) = AsyncStream<OutgoingPostQueue.HeldWebhookSignal>.makeStream()
        queue.withLock { $0.open(message, signal) }
        var waiting = [
            Task {
                await inbox.handle(message)
                signal.yield(.over)
            },
            end(signal, after: configuration.answerDeadline)
        ]
        defer { for task in waiting { task.cancel() } }
        for await event in signals {
            if event == .over { break }
            waiting.append(end(signal, after: configuration.replyDelay))
        }
        guard let held = queue.withLock({ $0.close(message.id) }) else { return .empty }
        if Task.isCancelled {
            postLater(held.post, held.ticket)
            return .empty
        }
        Task {
            try? await sleep(Self.responseLatency)
            queue.withLock { $0.leave(held.ticket) }
        }
        return WebResponse(headers: ["Content-Type": held.post.body.type], body: held.post.body.bytes)
    }

    private func end(
        _ signal: AsyncStream<OutgoingPostQueue.HeldWebhookSignal>.Continuation, after time: Duration
    ) -> Task<Void, Never> {
        Task {
            guard (try? await sleep(time)) != nil else { return }
            signal.yield(.over)
        }
    }
}
