/// The reactions of users and of the robot to the latest messages: a new set of reactions replaces the former (XEP-0444).
struct LatestReactions: Sendable {
    private struct Key: Hashable {
        /// The robot's id of the message.
        let message: String
        /// The user's id for rate limits; nil for the robot.
        let person: String?
    }

    private static let limit = 1_000
    /// The number of the robot's reactions to a message; further ones take the place of the oldest.
    private static let mostOwn = 20

    private var sets: [Key: [String]] = [:]
    /// A ring buffer once it is full.
    private var latest: [Key] = []
    /// The index of the oldest entry.
    private var oldest = 0

    /// Replaces the reactions of a user to a message.
    ///
    /// - Returns: The reactions that the user has added, and those that the user has removed.
    mutating func set(
        _ reactions: [String], of person: String, to message: String
    ) -> (added: [String], removed: [String]) {
        let key = Key(message: message, person: person)
        let former = sets[key] ?? []
        store(reactions, for: key)
        return (reactions.filter { !former.contains($0) }, former.filter { !reactions.contains($0) })
    }

    /// Adds a reaction of the robot to a message, or removes it.
    ///
    /// - Returns: All reactions of the robot to the message.
    mutating func change(_ reaction: String, isAdded: Bool, to message: String) -> [String] {
        let key = Key(message: message, person: nil)
        let all = (sets[key] ?? []).filter { $0 != reaction } + (isAdded ? [reaction] : [])
        let reactions = Array(all.suffix(Self.mostOwn))
        store(reactions, for: key)
        return reactions
    }

    private mutating func store(_ reactions: [String], for key: Key) {
        // A user without reactions takes no space.
        if reactions.isEmpty, sets[key] == nil { return }
        guard sets.updateValue(reactions, forKey: key) == nil else { return }
        guard latest.count >= Self.limit else { return latest.append(key) }
        sets[latest[oldest]] = nil
        latest[oldest] = key
        oldest = (oldest + 1) % Self.limit
    }
}
