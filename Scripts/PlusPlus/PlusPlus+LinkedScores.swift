import Heybot

// The points of two people who turn out to be one: those that the second one had so far count for the first one too.

extension PlusPlus {
    /// Moves the points of a person to the name of another one, because both have turned out to be one.
    ///
    /// Names aren't accounts, and anyone can take a nick. So only points for a name that is the account's own are moved, and
    /// only if the robot knows nobody else with that name. If the accounts are unlinked later, the points stay together.
    ///
    /// - Parameters:
    ///   - person: The linked accounts of the person whose points are moved.
    ///   - other: The linked accounts of the person who gets them.
    /// - Returns: The names from which and to which they were moved; nil if there were none.
    static func moveScore(
        of person: [User], to other: [User], _ robot: Robot
    ) async throws -> (from: String, to: String)? {
        guard let account = person.first, let from = name(account.name[...]), isOwn(from, of: account),
            let to = other.first.flatMap({ name($0.name[...]) }), from != to,
            try await robot.brain.recall(scores, from).map({ $0 != 0 }) == true
        else { return nil }
        let accounts = Set((person + other).map(\.id))
        for adapter in robot.adapters {
            // Everybody whom the robot knows on the network.
            let anywhere = Room(id: adapter.id(""))
            let namesakes = await robot.users(in: anywhere).filter { name($0.name[...]) == from }
            guard namesakes.allSatisfy({ accounts.contains($0.id) }) else { return nil }
        }
        // Both are taken before they are added, so that two links at the same time don't count them twice.
        guard let score = try await take(scores, from, robot.brain) else { return nil }
        do {
            try await add(score, to: to, robot.brain)
        } catch {
            try await add(score, to: from, robot.brain)
            throw error
        }
        if let moved = try await take(reasons, from, robot.brain) { try await add(moved, to: to, robot.brain) }
        return (from, to)
    }

    /// Whether a name is that of the account itself, or the part of its address before the `@`.
    private static func isOwn(_ name: String, of user: User) -> Bool {
        let id = user.id.value
        return [id[...], id.prefix { $0 != "@" }].contains { self.name($0) == name }
    }

    /// Removes and returns what a name has; nil if that is nothing.
    private static func take<Value: Codable & Sendable>(
        _ collection: BrainCollection<Value>, _ name: String, _ brain: Brain
    ) async throws -> Value? {
        try await brain.update(collection, name) { (value: inout Value?) -> Value? in
            defer { value = nil }
            return value
        }
    }

    private static func add(_ points: Int, to name: String, _ brain: Brain) async throws {
        try await brain.update(scores, name, default: 0) { (score: inout Int) -> Void in
            score = sum(score, points)
        }
    }

    /// Adds points by reason; of too many reasons, those with the most points are kept.
    private static func add(_ moved: [String: Int], to name: String, _ brain: Brain) async throws {
        try await brain.update(reasons, name, default: [:]) { (reasons: inout [String: Int]) -> Void in
            for (reason, points) in moved {
                let known = self.known(reason, in: reasons) ?? reason
                reasons[known] = sum(reasons[known] ?? 0, points)
            }
            reasons = reasons.filter { $0.value != 0 }
            guard reasons.count > mostReasons else { return }
            let sorted = reasons.sorted { ($1.value.magnitude, $0.key) < ($0.value.magnitude, $1.key) }
            reasons = Dictionary(uniqueKeysWithValues: sorted.prefix(mostReasons).map { ($0.key, $0.value) })
        }
    }
}
