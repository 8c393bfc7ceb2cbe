import FoundationEssentials
import Heybot
import Synchronization

/// The commands of each room, in the brain, and for help in memory.
final class RoomCommands: Sendable {
    private static let rooms = BrainCollection<[CustomCommand]>("customcommands.rooms")
    /// The maximum number of commands in a room, and of those that one user has made there.
    private static let most = (inRoom: 50, perAuthor: 20)
    /// The maximum number of rooms that have commands.
    private static let mostRooms = 500

    /// The consent of an anonymous user to what a command runs.
    private struct Consent: Hashable {
        let room: Room.ID
        let usage: String
        let text: String
        let date: Date
        let user: User.ID
        let origin: String?

        init(to command: CustomCommand, of message: Message) {
            (room, user, origin) = (message.room.id, message.user.id, message.origin)
            (usage, text, date) = (command.usage, command.text, command.date)
        }
    }

    /// The maximum number of consents of anonymous users that are remembered.
    private static let mostConsents = 1_000

    private let known = Mutex<[String: [CustomCommand]]>([:])
    /// In memory only: later, somebody else may have the nick.
    private let consents = Mutex<Set<Consent>>([])

    /// The commands of a user in a room as of the last half minute, by usage.
    func listed(for user: User, in room: Room) -> [CustomCommand] {
        Self.commands(known.withLock { $0[room.id.description] ?? [] }, for: user, in: room)
    }

    /// Returns the commands of a user in a room, by usage.
    func commands(for user: User, in room: Room, _ brain: Brain) async throws -> [CustomCommand] {
        let stored = try await brain.recall(Self.rooms, room.id.description) ?? []
        return Self.commands(stored, for: user, in: room)
    }

    /// Returns those of a room's commands that a user has: in a private conversation, only what the user has made.
    ///
    /// Somebody else may have had a private conversation under the same name.
    private static func commands(_ commands: [CustomCommand], for user: User, in room: Room) -> [CustomCommand] {
        room.isPrivate ? commands.filter { user.proves(toBe: $0.author) } : commands
    }

    /// Reads the commands of all rooms: another robot with the same brain may have made some.
    func read(_ brain: Brain) async throws {
        var read: [String: [CustomCommand]] = [:]
        for try await (room, commands) in brain.entries(Self.rooms) { read[room] = commands }
        let rooms = read
        known.withLock { $0 = rooms }
    }

    /// Adds a command to a room.
    ///
    /// - Returns: Whether it replaces one.
    /// - Throws: A ``Refusal`` if there are too many, or if it would take the place of a command that the user may not
    ///   change.
    func add(_ command: CustomCommand, in room: Room, _ robot: Robot) async throws -> Bool {
        let template = command.template
        let key = template.key
        let isFull = known.withLock { $0.count } >= Self.mostRooms
        return try await change(room, robot) { commands in
            guard !commands.isEmpty || !isFull else {
                throw Refusal("\(Self.mostRooms) rooms have commands already, and that's all I can keep.")
            }
            var added = command
            if let index = Self.index(of: key, in: commands, room, command.author) {
                guard commands[index].canBeChanged(by: command.author, robot) else {
                    throw Self.notYours(commands[index])
                }
                added.roles = commands[index].roles
                commands[index] = added
                return true
            }
            // Of two commands that match, the one with more words is meant.
            let covered = commands.first { other in
                other.template.wordCount <= template.wordCount && other.template.overlaps(template)
                    && !other.canBeChanged(by: command.author, robot)
            }
            // In a private conversation, nobody uses a command of somebody else.
            if let covered, !room.isPrivate {
                throw Refusal(
                    "\(covered.author.name) has made \"\(covered.usage)\", which can mean the same. Choose another name."
                )
            }
            guard commands.count < Self.most.inRoom else {
                throw Refusal("There are \(Self.most.inRoom) commands in this room already, and that's all I can keep.")
            }
            guard commands.count(where: { $0.isBy(command.author) }) < Self.most.perAuthor else {
                throw Refusal("You've made \(Self.most.perAuthor) commands in this room already.")
            }
            commands.append(added)
            commands.sort { $0.usage < $1.usage }
            return false
        }
    }

    /// Returns the index of a command, as a user finds it: in a private conversation, nobody finds a command of somebody else.
    private static func index(
        of key: String, in commands: [CustomCommand], _ room: Room, _ user: User
    ) -> Int? {
        commands.firstIndex { $0.template.key == key && (!room.isPrivate || $0.isBy(user)) }
    }

    /// Removes a command.
    ///
    /// - Returns: False if there is none.
    /// - Throws: A ``Refusal`` if the user may not.
    func remove(_ template: CommandTemplate, in room: Room, by user: User, _ robot: Robot) async throws -> Bool {
        let key = template.key
        return try await change(room, robot) { commands in
            guard let index = Self.index(of: key, in: commands, room, user) else { return false }
            guard commands[index].canBeChanged(by: user, robot) else { throw Self.notYours(commands[index]) }
            commands.remove(at: index)
            return true
        }
    }

    /// Sets the roles of which a user needs one to use a command; nil for everyone.
    ///
    /// - Returns: False if there is no such command.
    /// - Throws: A ``Refusal`` if the user may not.
    func set(
        roles: Set<String>?, of template: CommandTemplate, in room: Room, by user: User, _ robot: Robot
    ) async throws -> Bool {
        let key = template.key
        return try await change(room, robot) { commands in
            guard let index = Self.index(of: key, in: commands, room, user) else { return false }
            guard commands[index].canBeChanged(by: user, robot) else { throw Self.notYours(commands[index]) }
            commands[index].roles = roles
            return true
        }
    }

    /// Whether an anonymous author of a message has agreed to what a command runs since the robot started.
    func hasConsent(to command: CustomCommand, of message: Message) -> Bool {
        let consent = Consent(to: command, of: message)
        return message.user.isAnonymous && message.origin != nil && consents.withLock { $0.contains(consent) }
    }

    /// Remembers that the author of a message has agreed to what a command runs, unless it was changed meanwhile.
    func noteConsent(to agreed: CustomCommand, of message: Message, _ robot: Robot) async throws {
        let (room, user) = (message.room, message.user)
        guard !user.isAnonymous else {
            let consent = Consent(to: agreed, of: message)
            return consents.withLock { consents in
                if consents.count >= Self.mostConsents { consents = [] }
                consents.insert(consent)
            }
        }
        _ = try await change(room, robot) { commands in
            let index = commands.firstIndex { $0.usage == agreed.usage && $0.date == agreed.date }
            guard let index, commands[index].text == agreed.text else { return false }
            commands[index].noteConsent(of: user)
            return true
        }
    }

    private static func notYours(_ command: CustomCommand) -> Refusal {
        Refusal("\(command.author.name) has made \"\(command.usage)\". Ask them to change it, or one of my admins.")
    }

    private nonisolated(nonsending) func change(
        _ room: Room, _ robot: Robot, _ body: (inout [CustomCommand]) throws -> Bool
    ) async throws -> Bool {
        let key = room.id.description
        var changed: [CustomCommand] = []
        let result = try await robot.brain.update(Self.rooms, key) { (stored: inout [CustomCommand]?) -> Bool in
            var commands = stored ?? []
            let result = try body(&commands)
            stored = commands.isEmpty ? nil : commands
            changed = commands
            return result
        }
        let commands = changed
        known.withLock { $0[key] = commands.isEmpty ? nil : commands }
        return result
    }
}
