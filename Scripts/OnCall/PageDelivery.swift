import Heybot
import Logging

/// Sends what a page has to say: to people in private, and to the room in which it was asked for.
struct PageDelivery: Sendable {
    let page: Page
    let robot: Robot

    /// Sends a text to the page's room.
    func send(_ text: String) async {
        // The author of a private page may have another nick by now, and somebody else the old one.
        if page.room.isPrivate, messenger(on: page.room.id.adapter) != nil {
            _ = await sendPrivately(text, toAccount: page.author)
        } else {
            await deliver(text, to: Envelope(room: page.room))
        }
    }

    /// Sends a text to a person in private, on each network on which they have an account.
    ///
    /// - Returns: False if no adapter accepted it.
    func send(_ text: String, to person: User) async throws -> Bool {
        var isSent = false
        for account in try await PersonalAccounts(brain: robot.brain).all(of: person) {
            if await sendPrivately(text, toAccount: account) { isSent = true }
        }
        return isSent
    }

    private func sendPrivately(_ text: String, toAccount account: User) async -> Bool {
        guard let messenger = messenger(on: account.id.adapter), let user = await messenger.locate(account),
            user.proves(toBe: account)
        else { return false }
        return await deliver(text, to: Envelope(room: messenger.privateRoom(of: user), user: user))
    }

    private func messenger(on network: String) -> (any PrivateMessaging)? {
        robot.adapters.first { $0.name == network } as? any PrivateMessaging
    }

    @discardableResult
    private func deliver(_ text: String, to envelope: Envelope) async -> Bool {
        do {
            try await robot.deliver(.text(text), to: envelope)
            return true
        } catch {
            robot.logger.warning("can't send page \(page.number) to \(envelope.room.id): \(error)")
            return false
        }
    }
}
