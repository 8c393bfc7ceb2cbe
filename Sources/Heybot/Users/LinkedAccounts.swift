/// The linked accounts of all people who have proved that they have several accounts.
///
/// An account belongs to one person at most.
package struct LinkedAccounts: Codable, Hashable, Sendable {
    /// The key of this value in the brain.
    package static let key = BrainKey<LinkedAccounts>("heybot.links")
    private static let mostAccounts = 8
    /// Limited, because the brain stores all of them as one value.
    private static let mostPeople = 1_000

    /// The accounts of each person.
    package private(set) var people: [[User]]
    /// The index of each account's person.
    private let places: [User.ID: Int]

    /// Creates a list without accounts.
    package init() { self.init(people: []) }

    private init(people: [[User]]) {
        self.people = people
        let entries = people.enumerated().flatMap { place, accounts in accounts.map { ($0.id, place) } }
        places = Dictionary(entries, uniquingKeysWith: { first, _ in first })
    }

    /// Returns all accounts of the person who has an account; empty if that is the only one.
    package func accounts(of id: User.ID) -> [User] {
        if places.isEmpty { return [] }
        return places[id].map { people[$0] } ?? []
    }

    /// Makes the owners of two accounts one person.
    ///
    /// - Returns: False if they are one already.
    /// - Throws: A ``Refusal`` if there would be too many accounts.
    mutating func link(_ one: User, _ other: User) throws(Refusal) -> Bool {
        let (first, second) = (places[one.id], places[other.id])
        if let first, first == second { return false }
        let accounts = (first.map { people[$0] } ?? [one]) + (second.map { people[$0] } ?? [other])
        guard accounts.count <= Self.mostAccounts else {
            throw Refusal("A person can link \(Self.mostAccounts) accounts at most. Unlink one first.")
        }
        let others = people.indices.filter { $0 != first && $0 != second }.map { people[$0] }
        guard others.count < Self.mostPeople else {
            throw Refusal("Too many people have linked accounts, and I can't remember more. Ask one of my admins.")
        }
        self = Self(people: others + [accounts])
        return true
    }

    /// Removes an account from its person.
    ///
    /// - Returns: False if it isn't linked.
    mutating func unlink(_ id: User.ID) -> Bool {
        guard let place = places[id] else { return false }
        var people = people
        people[place].removeAll { $0.id == id }
        if people[place].count < 2 { people.remove(at: place) }
        self = Self(people: people)
        return true
    }
}

extension LinkedAccounts {
    private enum CodingKeys: String, CodingKey { case people }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(people: try container.decode([[User]].self, forKey: .people))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(people, forKey: .people)
    }
}

extension Robot {
    /// The accounts of a user on all networks, as far as they are linked: the given one first.
    ///
    /// An anonymous user has only one, because anyone can take a nick.
    package func accounts(of user: User) -> [User] { users.accounts(of: user) }

    /// Whether anybody has linked accounts.
    package var hasLinkedAccounts: Bool { users.hasLinkedAccounts }

    /// Makes the owners of two accounts one person, who has the roles of both.
    ///
    /// The caller must know that both belong to one person. The change is stored in the brain; robots that share the brain
    /// apply it within half a minute.
    ///
    /// - Returns: False if they are one already.
    /// - Throws: A ``Refusal`` if an account isn't verified, or there would be too many; what the brain throws.
    package func link(_ one: User, to other: User) async throws -> Bool {
        guard !one.isAnonymous, !other.isAnonymous else { throw Refusal("I can't verify who you are.") }
        return try await users.link(one, other)
    }

    /// Removes an account from its person, so that it no longer has the roles of the other accounts.
    ///
    /// - Returns: False if it isn't linked.
    package func unlink(_ id: User.ID) async throws -> Bool { try await users.unlink(id) }
}
