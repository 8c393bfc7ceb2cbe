import Heybot

/// Sends a user, who has just said something or has entered a room, the letters that wait for them.
struct LetterDelivery: Sendable {
    /// What the user said or did.
    let message: Message
    let robot: Robot

    /// Returns the room in which a letter is delivered; nil if it has to wait for another occasion.
    ///
    /// What was said in a room stays in that room, or goes to the recipient in private. What was said in private stays private.
    func room(for letter: Mailbox.Letter) -> Room? {
        if message.room.isPrivate || letter.room == message.room.id { return message.room }
        let messenger = robot.adapters.first { $0.name == message.room.id.adapter } as? any PrivateMessaging
        return messenger?.privateRoom(of: message.user)
    }

    /// Whether the robot ignores the author of a letter by now.
    func isByIgnoredUser(_ letter: Mailbox.Letter) -> Bool {
        [letter.author, letter.sender].contains { id in
            robot.ignores(User(id: id, name: letter.authorName, isAnonymous: letter.user.isAnonymous))
        }
    }

    /// Returns the letters that can be delivered now, by the rooms in which they are delivered.
    func rooms(of letters: [Mailbox.Letter]) -> [(room: Room, letters: [Mailbox.Letter])] {
        var rooms: [(room: Room, letters: [Mailbox.Letter])] = []
        for letter in letters {
            guard let room = room(for: letter) else { continue }
            if let index = rooms.firstIndex(where: { $0.room.id == room.id }) {
                rooms[index].letters.append(letter)
            } else {
                rooms.append((room, [letter]))
            }
        }
        return rooms
    }

    /// Sends letters in one message.
    func deliver(_ letters: [Mailbox.Letter], in room: Room, _ zone: IANATimeZone) async throws {
        let now = FormattedLocalTime(robot.date, in: zone)
        let lines = letters.map { letter in
            let time = FormattedLocalTime(letter.date, in: zone).adverb(at: now)
            return "a message from \(author(of: letter, in: room)), \(time): \(letter.text)"
        }
        // Only an answer in the room of the message answers it.
        let answered = room.id == message.room.id ? message.id : nil
        let text = lines.joined(separator: "\n")
        let shown = room.isPrivate ? text.prefix(1).uppercased() + text.dropFirst() : text
        try await robot.deliver(.reply(shown), to: Envelope(room: room, user: message.user, message: answered))
    }

    /// Returns the author's name, outside the room of the letter with the id unless that is just the name.
    ///
    /// Anyone can take a name, and only there people may have noticed.
    private func author(of letter: Mailbox.Letter, in room: Room) -> String {
        let (id, name) = (letter.author, letter.authorName)
        let isName =
            MessageRecipient.folded(name, on: id.adapter, robot)
            == MessageRecipient.folded(id.value, on: id.adapter, robot)
        if isName || room.id == letter.room { return name }
        return "\(name) (\(String(oneLine: id.description, limit: 100)))"
    }
}
