// Shows others that the robot is writing (IRCv3 client-only tag typing). What others write is ignored.

import HeybotSupport

/// A typing notification.
struct TypingNotification: Sendable {
    /// No notification may follow another one within this time.
    static let interval: Duration = .seconds(3)
    /// After this time, clients no longer show that somebody writes.
    static let lifetime: Duration = .seconds(6)

    /// When it was sent.
    let since: Duration
    /// Whether clients show that the robot is writing, because it has neither stopped nor said anything.
    var isActive: Bool

    /// Whether it makes a difference for the next one.
    func matters(at now: Duration) -> Bool { now - since < (isActive ? Self.lifetime : Self.interval) }
}

extension Session {
    private static let maxTyping = 100

    /// Shows in a channel or to a user that the robot is writing, or that it has stopped.
    ///
    /// A message shows that it has stopped too.
    ///
    /// - Parameters:
    ///   - target: The channel or the nick of the conversation.
    ///   - requester: The user whom the robot answers.
    package mutating func showTyping(
        _ isTyping: Bool, in target: String, requester: RequesterIdentity?, at now: Duration
    ) -> [Action] {
        // What waits would arrive later than this.
        guard phase == .ready, !isCongested, queue.isEmpty, queue.bucket.isAvailable(at: now), passes(.typing),
            let recipient = recipient(of: target, for: requester)
        else { return [] }
        let key = fold(recipient)
        let last = typing[key]
        if let last, now - last.since < TypingNotification.interval { return [] }
        // What stopped longer ago, clients have noticed themselves.
        if !isTyping {
            guard let last, last.isActive, last.matters(at: now) else { return [] }
        }
        if last == nil, typing.count >= Self.maxTyping {
            typing = typing.filter { now - $0.value.since < TypingNotification.interval }
            guard typing.count < Self.maxTyping else { return [] }
        }
        typing[key] = TypingNotification(since: now, isActive: isTyping)
        let name = renames[fold(recipient)] ?? recipient
        return sendNow(
            IRCMessage(tags: [ClientTag.typing.key: isTyping ? "active" : "done"], "TAGMSG", name), at: now)
    }

    /// Records that a message to a target shows that the robot has stopped writing there.
    mutating func endTyping(in target: String, at now: Duration) {
        let key = fold(target)
        typing[key]?.isActive = false
        typing = typing.filter { $0.value.matters(at: now) }
    }
}
