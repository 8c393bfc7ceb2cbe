import FoundationEssentials
import Heybot

/// A command that somebody has made in a room.
struct CustomCommand: Codable, Hashable, Sendable {
    enum Action: String, Codable, Sendable {
        /// Says the text.
        case say
        /// Handles the text as a command of the user.
        case run
    }

    private static let longest = 500
    /// The maximum length in characters of the text with the arguments.
    private static let longestFilled = 1_000
    /// The maximum number of users whose consent is remembered.
    private static let mostTrusting = 200

    let usage: String
    let action: Action
    let text: String
    let author: User
    let date: Date
    /// The roles of which a user needs one; nil if everyone may use it.
    var roles: Set<String>?
    /// The users who have agreed that it runs the text as if they had said it.
    private(set) var trusting: Set<User.ID> = []

    /// Creates a command.
    ///
    /// - Throws: A ``Refusal`` if the text is too long, or has a placeholder that the usage doesn't have.
    init(
        _ template: CommandTemplate, _ action: Action, _ typed: Substring, by author: User, date: Date
    ) throws(Refusal) {
        let typed = typed.unquoted
        guard typed.utf8.count <= Self.longest * 4, typed.count <= Self.longest else {
            throw Refusal("That's too long: a command's text has at most \(Self.longest) characters.")
        }
        let text = String(oneLine: typed, limit: Self.longest)
        guard !text.isEmpty else { throw Refusal("What should I do then?") }
        let unknown = CommandTemplate.placeholders(in: text).subtracting(template.placeholders)
            .subtracting(CommandTemplate.known)
        if let name = unknown.min() {
            throw Refusal("What is <\(name)>? It isn't in \"\(template.usage)\".")
        }
        (usage, self.action, self.text) = (template.usage, action, text)
        self.author = User(id: author.id, name: author.shortName, isAnonymous: author.isAnonymous)
        self.date = date
    }

    var template: CommandTemplate { CommandTemplate(stored: usage) }

    var access: Access { Access.everyone.roles(roles) }

    /// The command for help and for schedules.
    var listed: RuntimeCommand {
        let (verb, template) = (action == .say ? "Say" : "Run", template)
        return RuntimeCommand(
            usage: usage, purpose: "\(verb): \(String(oneLine: text, limit: 80))", access: access,
            matches: { template.arguments(in: $0) != nil })
    }

    /// Returns the text with a user's arguments.
    func text(with arguments: [String: String], for message: Message) -> String {
        var values = arguments
        values["user"] = message.user.name
        values["room"] = message.room.name
        return String(oneLine: CommandTemplate.fill(text, with: values), limit: Self.longestFilled)
    }

    /// Whether a user has made it.
    ///
    /// What an anonymous user has made isn't by the authenticated one with the same id, because anyone can take a nick.
    func isBy(_ user: User) -> Bool { user.id == author.id && user.isAnonymous == author.isAnonymous }

    /// Whether a user may change or remove it.
    func canBeChanged(by user: User, _ robot: Robot) -> Bool { isBy(user) || robot.isAdmin(user) }

    /// Whether a user should agree first to what it runs, because another one has made it.
    ///
    /// The text is handled as if the user had said it, with their name and their rights. ``RoomCommands`` knows whether an
    /// anonymous user has agreed.
    func needsConsent(of user: User) -> Bool {
        guard action == .run, !isBy(user) else { return false }
        return user.isAnonymous || !trusting.contains(user.id)
    }

    /// Remembers that a user has agreed; of an anonymous user it isn't known who that is.
    mutating func noteConsent(of user: User) {
        guard !user.isAnonymous, trusting.count < Self.mostTrusting else { return }
        trusting.insert(user.id)
    }

    /// Finds the command that a message means, with its arguments; of several the one with the most words.
    static func find(
        _ text: String, in commands: [CustomCommand]
    ) -> (command: CustomCommand, arguments: [String: String])? {
        var best: (command: CustomCommand, arguments: [String: String], words: Int)?
        for command in commands {
            let template = command.template
            guard template.wordCount > best?.words ?? 0, let arguments = template.arguments(in: text) else { continue }
            best = (command, arguments, template.wordCount)
        }
        return best.map { ($0.command, $0.arguments) }
    }
}
