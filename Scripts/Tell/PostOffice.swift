import FoundationEssentials
import Heybot
import Synchronization

/// The mailboxes in the brain, and in memory the users for whom there are some.
final class PostOffice: Sendable {
    private static let boxes = BrainCollection<Mailbox>("tell.mailboxes")
    /// The maximum number of mailboxes.
    private static let most = 2_000
    /// The maximum number of letters of one author.
    private static let mostLetters = 20

    private struct State {
        /// The keys of the mailboxes for each user: by the keys of ``MessageRecipient/keys(for:_:)``.
        var index: [String: Set<String>] = [:]
        /// The number of additions.
        var additions = 0
    }

    private let state = Mutex(State())

    // MARK: Who has letters

    /// The keys of the mailboxes that may have letters for a user.
    func boxes(for user: User, _ robot: Robot) -> Set<String> {
        let index = state.withLock { $0.index }
        if index.isEmpty { return [] }
        return MessageRecipient.keys(for: user, robot).reduce(into: []) { $0.formUnion(index[$1] ?? []) }
    }

    /// Reads which mailboxes there are: another robot with the same brain may have added some, and users may have named further
    /// accounts.
    func readIndex(_ brain: Brain) async throws {
        let additions = state.withLock { $0.additions }
        var index: [String: Set<String>] = [:]
        for try await (key, box) in brain.entries(Self.boxes) {
            for user in try await Self.users(of: box.recipient, brain) { index[user, default: []].insert(key) }
        }
        let read = index
        state.withLock { state in
            // A mailbox that was added meanwhile may be missing in what was read.
            let isComplete = state.additions == additions
            state.index = isComplete ? read : state.index.merging(read) { $0.union($1) }
        }
    }

    /// Removes letters that have waited for too long.
    func removeOldLetters(_ robot: Robot) async throws {
        let now = robot.date
        for try await (key, box) in robot.brain.entries(Self.boxes) where box.hasOldLetters(at: now) {
            try await change(key, robot.brain) { $0.removeOldLetters(at: now) }
        }
    }

    /// The keys of a recipient's users: of all accounts of the same person.
    private static func users(of recipient: MessageRecipient, _ brain: Brain) async throws -> [String] {
        guard recipient.isAccount else { return [recipient.key] }
        let user = User(id: recipient.id, name: recipient.name)
        return try await PersonalAccounts(brain: brain).all(of: user).map(\.id.description)
    }

    // MARK: Leaving letters

    /// Adds a letter for each of some recipients.
    ///
    /// - Throws: A ``Refusal`` if there are too many letters, and what the brain throws.
    func add(_ letter: Mailbox.Letter, for recipients: [MessageRecipient], _ brain: Brain) async throws {
        var boxes: [String: Int] = [:]
        for try await (key, box) in brain.entries(Self.boxes) {
            if box.hasOldLetters(at: letter.date) {
                try await change(key, brain) { $0.removeOldLetters(at: letter.date) }
            }
            let letters = box.lettersToKeep(at: letter.date)
            if !letters.isEmpty { boxes[key] = letters.count { $0.sender == letter.sender } }
        }
        let newBoxes = recipients.count { boxes[$0.key] == nil }
        guard newBoxes == 0 || boxes.count + newBoxes <= Self.most else {
            throw Refusal("Too many people have messages waiting, so I can't take more.")
        }
        let waiting = boxes.values.reduce(0, +)
        guard waiting + recipients.count <= Self.mostLetters else {
            throw Refusal(
                "\(waiting) messages from you are waiting already, and I keep \(Self.mostLetters) at most. To see them, say \"messages I left\"."
            )
        }
        for recipient in recipients { try await add(letter, for: recipient, brain) }
    }

    private func add(_ letter: Mailbox.Letter, for recipient: MessageRecipient, _ brain: Brain) async throws {
        try await brain.update(Self.boxes, recipient.key, default: Mailbox(for: recipient)) {
            (box: inout Mailbox) -> Void in try box.add(letter)
        }
        let users = try await Self.users(of: recipient, brain)
        state.withLock { state in
            state.additions += 1
            for user in users { state.index[user, default: []].insert(recipient.key) }
        }
    }

    /// Returns the letters of an author that wait, each with its recipient, the oldest first.
    ///
    /// - Parameter authors: The accounts of the author.
    func waiting(
        by authors: [User], _ brain: Brain
    ) async throws -> [(recipient: MessageRecipient, letter: Mailbox.Letter)] {
        var found: [String: [(recipient: MessageRecipient, letter: Mailbox.Letter)]] = [:]
        for try await (key, box) in brain.entries(Self.boxes) {
            let letters = box.letters.filter { $0.isBy(authors) }
            found[key] = letters.map { (recipient: box.recipient, letter: $0) }
        }
        return found.values.flatMap { $0 }.sorted {
            ($0.letter.date, $0.recipient.key) < ($1.letter.date, $1.recipient.key)
        }
    }

    /// Withdraws the letters of an author to a recipient.
    ///
    /// - Parameter authors: The accounts of the author.
    /// - Returns: Their number.
    func withdraw(by authors: [User], to recipient: MessageRecipient, _ robot: Robot) async throws -> Int {
        let now = robot.date
        var count = 0
        try await change(recipient.key, robot.brain) { count = $0.withdraw(by: authors, at: now) }
        return count
    }

    /// Removes letters from all mailboxes.
    ///
    /// - Returns: Their number.
    func remove(_ brain: Brain, where isMeant: @Sendable (Mailbox.Letter) -> Bool) async throws -> Int {
        var count = 0
        for try await (key, box) in brain.entries(Self.boxes) where box.letters.contains(where: isMeant) {
            var removed = 0
            try await change(key, brain) { removed = $0.removeAll(where: isMeant) }
            count += removed
        }
        return count
    }

    // MARK: Delivering letters

    /// Delivers what waits for the author of a message.
    ///
    /// A letter is removed once it is delivered: if the robot's process ends in between, it is delivered again. A letter whose
    /// author is ignored by now is removed too.
    func deliver(
        _ keys: Set<String>, for message: Message, _ robot: Robot, _ zones: UserAndRoomTimeZones
    ) async throws {
        let accounts = try await PersonalAccounts(brain: robot.brain).all(of: message.user)
        let delivery = LetterDelivery(message: message, robot: robot)
        let now = robot.date
        for key in keys.sorted() {
            guard let box = try await robot.brain.recall(Self.boxes, key) else {
                forgetBox(key)
                continue
            }
            guard box.recipient.isMeant(message.user, accounts: accounts, robot) else { continue }
            var taken: [Mailbox.Letter] = []
            try await change(key, robot.brain) { box in
                box.removeOldLetters(at: now)
                box.removeAll { delivery.isByIgnoredUser($0) }
                taken = box.take(at: now) { delivery.room(for: $0) != nil }
            }
            guard !taken.isEmpty else { continue }
            let letters = taken
            do {
                let zone = try await zones.zone(for: message, robot.brain)
                for (room, letters) in delivery.rooms(of: letters) {
                    try await delivery.deliver(letters, in: room, zone)
                    try await change(key, robot.brain) { $0.remove(letters) }
                }
            } catch {
                // Those that were delivered aren't in the mailbox any more.
                try await change(key, robot.brain) { $0.putBack(letters) }
                throw error
            }
        }
    }

    /// Changes a mailbox if it exists, and removes it if it is empty.
    private nonisolated(nonsending) func change(
        _ key: String, _ brain: Brain, _ body: (inout Mailbox) -> Void
    ) async throws {
        let isGone = try await brain.update(Self.boxes, key) { (stored: inout Mailbox?) -> Bool in
            guard var box = stored else { return true }
            body(&box)
            stored = box.isEmpty ? nil : box
            return box.isEmpty
        }
        if isGone { forgetBox(key) }
    }

    private func forgetBox(_ key: String) {
        state.withLock { state in
            state.index = state.index.mapValues { $0.subtracting([key]) }.filter { !$0.value.isEmpty }
        }
    }
}
