import Heybot

// Sends what no message has just asked for: to rooms, and to people in private.

extension Robot {
    /// Posts a text of a script in a room; does nothing if the script is disabled there.
    ///
    /// - Throws: ``NotInRoomError`` if the robot isn't in the room, and what the adapter throws.
    func post(_ text: String, in id: Room.ID, for script: String) async throws {
        let room = Room(id: id)
        guard switches.isOn(script, in: room) else { return }
        try await requireMembership(in: room)
        try await messageRoom(id, text)
    }

    /// Throws ``NotInRoomError`` if the robot isn't in a room, as far as the network tells.
    func requireMembership(in room: Room) async throws {
        if await isIn(room) == false { throw NotInRoomError(room: room.id) }
    }

    /// Sends a text to a person in private, at the first of their accounts that can be reached.
    ///
    /// - Returns: False if the robot can't tell on any network who the person is there.
    /// - Throws: What the last adapter throws, if all that could reach the person fail.
    func sendPrivately(_ text: String, to person: User) async throws -> Bool {
        var failure: (any Error)?
        for account in try await PersonalAccounts(brain: brain).all(of: person) {
            let messenger = adapters.first { $0.name == account.id.adapter } as? any PrivateMessaging
            guard let messenger, let user = await messenger.locate(account), user.proves(toBe: account) else {
                continue
            }
            do {
                try await deliver(.text(text), to: Envelope(room: messenger.privateRoom(of: user), user: user))
                return true
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return false
    }

    /// Whether a room is a private conversation on a network with rooms.
    ///
    /// It isn't a place for what is posted later: by then, another user may have the name.
    func isConversation(_ room: Room) -> Bool {
        room.isPrivate && adapter(of: room, as: (any PrivateMessaging).self) != nil
    }
}

/// The robot isn't in a room in which it has to post.
struct NotInRoomError: Error, Hashable, CustomStringConvertible {
    let room: Room.ID

    var description: String { "the robot isn't in \(room): invite it, or tell it to join" }
}
