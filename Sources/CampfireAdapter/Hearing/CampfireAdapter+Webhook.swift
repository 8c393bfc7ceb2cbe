public import Heybot
import HeybotSupport
import Synchronization

// What the webhook brings, and how its requests are answered.

extension CampfireAdapter {
    /// How long what was said by a webhook's answer has to get there, before something else is posted.
    private static let settling: Duration = .milliseconds(250)

    /// Answers `POST /campfire/SECRET`, if the configuration has a secret.
    public func register(on robot: inout RobotBuilder) {
        guard let secret = configuration.webhookSecret else { return }
        robot.post("/campfire/:secret") { [self] request in
            guard WebRequest.isSame(request.parameters["secret"], secret) else {
                throw WebRefusal(404, "There is nothing here.")
            }
            return await answer(try request.json())
        }
    }

    /// Deals with what the webhook brings.
    ///
    /// Without a body or a type Campfire says nothing; of anything else it makes a message or a file.
    func answer(_ event: WebhookEvent) async -> WebResponse {
        guard let inbox = inbox.withLock({ $0 }) else { return WebResponse(status: 503) }
        switch event {
        case .message(let heard) where messages.withLock { $0.insert(heard.id.text) }:
            return await hold(message(heard, id: heard.id.text), inbox)
        case .action(let heard, let isSelected) where isSelected && actions.withLock { $0.insert(heard.id.text) }:
            await inbox.receive(message(heard, id: "action-\(heard.id.text)"))
            return .empty
        case .message, .action, .unknown:
            return .empty
        }
    }

    private func message(_ heard: Heard, id: String) -> Message {
        Message(
            id: Message.ID(adapter: name, value: id), user: user(heard.user.id, heard.user.name),
            room: room(heard.room.id.text, heard.room.name, isPrivate: heard.room.name == nil),
            content: .text(heard.text), time: date(), isAddressed: true)
    }

    func user(_ id: Identifier, _ name: String) -> User {
        User(
            id: User.ID(adapter: self.name, value: id.text), name: SafeText.visible(name, limit: 1_000, lineBreak: nil))
    }

    func room(_ id: String, _ name: String?, isPrivate: Bool = false) -> Room {
        Room(
            id: Room.ID(adapter: self.name, value: id),
            name: name.map { SafeText.visible($0, limit: 1_000, lineBreak: nil) },
            isPrivate: isPrivate)
    }

    /// Holds the request open until the message has been dealt with, or what was said has waited long enough, or it is
    /// high time, or the task is cancelled.
    private func hold(_ message: Message, _ inbox: Inbox) async -> WebResponse {
        let (signals, signal) = AsyncStream<Desk.Signal>.makeStream()
        desk.withLock { $0.open(message, signal) }
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
            waiting.append(end(signal, after: configuration.patience))
        }
        guard let kept = desk.withLock({ $0.close(message.id) }) else { return .empty }
        if Task.isCancelled {
            postLater(kept.saying, kept.turn)
            return .empty
        }
        Task {
            try? await sleep(Self.settling)
            desk.withLock { $0.leave(kept.turn) }
        }
        return WebResponse(headers: ["Content-Type": kept.saying.body.type], body: kept.saying.body.bytes)
    }

    private func end(_ signal: AsyncStream<Desk.Signal>.Continuation, after time: Duration) -> Task<Void, Never> {
        Task {
            guard (try? await sleep(time)) != nil else { return }
            signal.yield(.over)
        }
    }
}
