public import Heybot

/// Gives people a message when they next say something or enter a room.
public struct Tell: Script {
    private static let longest = 500
    private static let mostListed = 20
    /// Words that name no single person.
    private static let nobody: Set<String> = [
        "all", "anybody", "anyone", "everybody", "everyone", "he", "her", "here", "him", "people", "she", "somebody",
        "someone", "them", "they"
    ]

    public init() {}

    public var topic: ScriptTopic { .people }
    public var settings: [any AnyScriptSetting] { [Clock.timeZone] }

    public func register(on robot: inout RobotBuilder) {
        let zones = UserAndRoomTimeZones(usual: robot.value(of: Clock.timeZone))
        let office = PostOffice()
        robot.observe { message, robot in
            switch message.content {
            case .text, .enter: break
            case .leave, .topic, .reaction, .retraction, .profile: return nil
            }
            let boxes = office.boxes(for: message.user, robot)
            guard !boxes.isEmpty else { return nil }
            return { try await office.deliver(boxes, for: message, robot, zones) }
        }
        robot.readBrain(every: .seconds(30)) { try await office.readIndex($0.brain) }
        robot.every(.hours(24)) { try await office.removeOldLetters($0) }
        registerCommands(office, on: &robot)
    }

    private func registerCommands(_ office: PostOffice, on robot: inout RobotBuilder) {
        robot.respond(
            /(?s)tell (?!(?:me|us|you)\b)(?<names>(?:["“][^"”]{1,100}["”]|[^\s,"“]{1,400})(?:,(?:["“][^"”]{1,100}["”]|[^\s,"“]{1,400})){0,9}),? (?:that )?(?<text>\S.*)$/,
            help: """
                tell <name> <text> - Give someone a message when they next speak here, or come in
                tell <name>,<name> <text> - Give several people a message; in private if you ask me in private
                """,
            example: "tell ada the build is green again"
        ) { res in
            // Invisible characters don't count, however many there are.
            let words = String(oneLine: res.match.text.prefix(4 * Self.longest), limit: Self.longest + 1)
            guard words.count <= Self.longest else {
                throw Refusal("That's too long: I can remember \(Self.longest) characters.")
            }
            let said = LetterText(words)
            let text = said.text
            guard !text.isEmpty else { throw Refusal("What should I say to them?") }
            let recipients = try await Self.recipients(res.match.names, res)
            try Self.refusePrivateMessages(to: recipients, res)
            let message = res.message
            let letter = Mailbox.Letter(
                number: 0, author: message.user.id, authorName: String(oneLine: message.user.name, limit: 60),
                origin: message.user.isAnonymous ? message.origin ?? message.user.id.value : nil,
                room: message.room.isPrivate ? nil : message.room.id, text: text, date: res.robot.date)
            try await office.add(letter, for: recipients, res.brain)
            let place = message.room.isPrivate ? " in private" : ""
            let names = Self.names(of: recipients, res)
            let shown = said.isShortened ? " \"\(text)\"" : ""
            try await res.reply("OK, I'll tell \(names)\(shown)\(place) when they next speak or come in.")
        }

        robot.respond(
            /(?:(?:my )?(?:untold|waiting) messages|messages I(?:['’]ve| have)? left)\?*$/,
            help: "messages I left - List your messages that I haven't passed on yet", example: "messages I left"
        ) { res in
            let room = res.message.room
            let all = try await office.waiting(by: Self.accounts(res), res.brain)
            // What was said elsewhere isn't for the people here.
            let shown = room.isPrivate ? all : all.filter { $0.letter.room == room.id }
            var lines = shown.prefix(Self.mostListed).map { found in
                "\(found.recipient.name): \(String(oneLine: found.letter.text, limit: 100))"
            }
            let others = all.count - lines.count
            if others > 0 {
                lines.append(lines.isEmpty ? "\(others) from elsewhere; ask me in private." : "and \(others) more")
            }
            guard !lines.isEmpty else { throw Refusal("No message of yours is waiting.") }
            try await res.send(lines.joined(separator: "\n"))
        }

        robot.respond(
            /(?:don['’]t|do not) tell (?<names>["“][^"”]{1,100}["”]|[^\s,"“]{1,400})(?: (?:anything|that|about it|it))?$/,
            help: "don't tell <name> - Withdraw your messages for someone", example: "don't tell ada"
        ) { res in
            let recipients = try await Self.recipients(res.match.names, res)
            let authors = try await Self.accounts(res)
            for recipient in recipients {
                let count = try await office.withdraw(by: authors, to: recipient, res.robot)
                guard count > 0 else { throw Refusal("No message of yours is waiting for \(recipient.name).") }
                let messages = count == 1 ? "your message" : "your \(count) messages"
                try await res.reply("OK, I've thrown \(messages) for \(recipient.name) away.")
            }
        }

        robot.respond(
            /remove messages by @?(?<name>\S.*)$/,
            help: "remove messages by <name> - Throw away the messages that someone, or everyone, has left",
            example: "remove messages by mallory", allow: .admins
        ) { res in
            let typed = String(oneLine: res.match.name.unquoted, limit: 400)
            let folded = typed.lowercased()
            let count = try await office.remove(res.brain) { letter in
                let names = [letter.authorName, letter.author.value, letter.author.description]
                return folded == "everyone" || names.contains { $0.lowercased() == folded }
            }
            guard count > 0 else { throw Refusal("No message by \(String(oneLine: typed, limit: 40)) is waiting.") }
            try await res.reply("OK, I've thrown \(count == 1 ? "the message" : "the \(count) messages") away.")
        }
    }

    /// Returns the accounts of the message's author.
    private static func accounts<Match>(_ res: Response<Match>) async throws -> [User] {
        try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
    }

    // MARK: Recipients

    /// Returns the users that a list of names means: on this network, on others, or by name only.
    private static func recipients<Match>(
        _ typed: Substring, _ res: Response<Match>
    ) async throws -> [MessageRecipient] {
        var recipients: [MessageRecipient] = []
        for name in typed.split(separator: ",") {
            var name = name.unquoted.drop { $0 == "@" }
            if name.last == ":" { name = name.dropLast() }
            let recipient = try await recipient(String(oneLine: name, limit: 400), res)
            if !recipients.contains(where: { $0.key == recipient.key }) { recipients.append(recipient) }
        }
        guard !recipients.isEmpty else { throw Refusal("Whom should I tell? Say their name.") }
        return recipients
    }

    private static func recipient<Match>(_ name: String, _ res: Response<Match>) async throws -> MessageRecipient {
        let (robot, message) = (res.robot, res.message)
        let folded = name.lowercased()
        guard !name.isEmpty, !nobody.contains(folded) else { throw Refusal("Whom should I tell? Say their name.") }
        if folded == robot.name.lowercased() || folded == robot.alias?.lowercased() {
            throw Refusal("You're telling me already.")
        }
        if let id = User.ID(name), robot.adapters.contains(where: { $0.name == id.adapter }) {
            let user = try await OnCall.user(name[...], res)
            return try checked(MessageRecipient(user, robot), res)
        }
        let here = message.room.id.adapter
        let users = await known(folded, on: here, message.room, robot)
        if users.count > 1 { throw which(name, users) }
        if let user = users.first { return try checked(MessageRecipient(user, robot), res) }
        var others: [User] = []
        for adapter in robot.adapters where adapter.name != here {
            let lobby = Room(id: adapter.id(""))
            others += await known(folded, on: adapter.name, lobby, robot)
        }
        // The robot remembers people for longer than it knows them.
        for sighting in try await SightingRecords(brain: res.brain).last(of: name, nil) {
            let user = sighting.user
            let isReachable = robot.adapters.contains { $0.name == user.id.adapter } && !user.isAnonymous
            if isReachable, !others.contains(where: { $0.id == user.id }) { others.append(user) }
        }
        // Anyone can take an address as a name.
        let isAddress = name.contains("@")
        if others.isEmpty, isAddress { others = accounts(at: name, robot) }
        let nearby = others.filter { $0.id.adapter == here }
        let found = nearby.isEmpty ? others : nearby
        if found.count > 1 { throw which(name, found) }
        if let user = found.first { return try checked(MessageRecipient(user, robot), res) }
        guard !isAddress else {
            throw Refusal("I know no network with addresses like \(String(oneLine: name, limit: 40)). Say their name.")
        }
        return MessageRecipient(named: name, on: here, robot)
    }

    /// Returns the users who have an address as their id, on the networks that have such ids.
    private static func accounts(at address: String, _ robot: Robot) -> [User] {
        robot.adapters.compactMap { adapter -> User? in
            let network = adapter as? any ConfiguredUserRecognition
            guard let id = try? network?.userID(named: address) else { return nil }
            return User(id: adapter.id(id))
        }
    }

    /// Returns the users whom the robot knows on a network by a name or an id; of users with the same name, the authenticated
    /// ones.
    private static func known(_ folded: String, on adapter: String, _ room: Room, _ robot: Robot) async -> [User] {
        let users = await robot.users(in: room).filter { user in
            user.id.value.lowercased() == folded || !folded.contains("@") && user.name.lowercased() == folded
        }
        let authenticated = users.filter { !$0.isAnonymous }
        // Anonymous users of the same name can't be distinguished.
        return authenticated.isEmpty ? Array(users.prefix(1)) : authenticated
    }

    /// - Throws: A ``Refusal`` if the recipient is the message's author.
    private static func checked<Match>(
        _ recipient: MessageRecipient, _ res: Response<Match>
    ) throws(Refusal) -> MessageRecipient {
        let own = MessageRecipient(res.message.user, res.robot)
        guard recipient.key != own.key else { throw Refusal("You know that already.") }
        return recipient
    }

    private static func which(_ name: String, _ users: [User]) -> Refusal {
        let ids = users.prefix(5).map { String(oneLine: $0.id.description, limit: 100) }
        return Refusal("Which \(String(oneLine: name, limit: 40))? Write \(ids.joined(separator: " or ")).")
    }

    /// - Throws: A ``Refusal`` if a private message would go to anyone who takes a name, on a network that verifies users.
    private static func refusePrivateMessages<Match>(
        to recipients: [MessageRecipient], _ res: Response<Match>
    ) throws(Refusal) {
        // If the author isn't verified, maybe nobody is; then no private message could be left.
        let author = res.message.user
        guard res.message.room.isPrivate, !author.isAnonymous,
            let recipient = recipients.first(where: { !$0.isAccount })
        else { return }
        throw Refusal(
            "I can't tell who \(recipient.name) is, so I won't pass on a private message. "
                + "Say it in a room, or give me their account.")
    }

    /// Returns the names of recipients for an answer, which says who can't be verified.
    private static func names<Match>(of recipients: [MessageRecipient], _ res: Response<Match>) -> String {
        var names = recipients.filter(\.isAccount).map { name($0, res) }
        let others = recipients.filter { !$0.isAccount }.map { name($0, res) }
        if !others.isEmpty { names.append("anyone called \(others.joined(separator: " or "))") }
        return names.joined(separator: ", ")
    }

    /// Returns the name of a recipient, with the account or the network if it is another network than the message's.
    private static func name<Match>(_ recipient: MessageRecipient, _ res: Response<Match>) -> String {
        let (name, network) = (recipient.name, recipient.id.adapter)
        if network == res.message.room.id.adapter { return name }
        guard recipient.isAccount else { return "\(name) on \(network)" }
        return "\(name) (\(String(oneLine: recipient.id.description, limit: 100)))"
    }
}
