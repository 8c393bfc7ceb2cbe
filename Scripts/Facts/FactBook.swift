import Heybot
import HeybotSupport

/// The facts in the brain.
struct FactBook: Sendable {
    static let facts = BrainCollection<Fact>("facts")
    /// The maximum number of facts, and of those that one user has taught.
    static let most = (inAll: 2_000, perAuthor: 200)
    /// The maximum number of subjects that are suggested.
    private static let mostNear = 3
    /// The minimum length of a subject in which a slip is recognized, in characters.
    private static let shortestSlip = 4
    /// The maximum number of other names that are followed.
    private static let longestChain = 5

    let brain: Brain

    /// Stores a fact.
    ///
    /// - Returns: The fact about the same subject that it replaces; nil if there was none.
    /// - Throws: A ``Refusal`` if there are too many facts, or it is another name for an unknown subject.
    func teach(_ fact: Fact) async throws -> Fact? {
        if let target = fact.target {
            guard let meant = try await self.fact(target) else {
                throw Refusal("I don't know anything about \(String(oneLine: fact.text, limit: 60)).")
            }
            guard meant.key != fact.key else { throw Refusal("Those are two names for the same thing already.") }
        }
        if try await brain.recall(Self.facts, fact.key) == nil {
            // An entry may occur twice.
            var authors: [String: User.ID] = [:]
            for try await (key, known) in brain.entries(Self.facts) { authors[key] = known.author }
            guard authors.count < Self.most.inAll else {
                throw Refusal("I know \(Self.most.inAll) facts already, and that's all I can keep.")
            }
            guard authors.values.count(where: { $0 == fact.author }) < Self.most.perAuthor else {
                throw Refusal("You've taught me \(Self.most.perAuthor) facts already. Please let me forget some first.")
            }
        }
        return try await brain.update(Self.facts, fact.key) { (stored: inout Fact?) -> Fact? in
            let known = stored
            stored = fact
            return known
        }
    }

    /// Returns what is known about a subject, also by another name; nil if nothing is.
    func fact(_ key: String) async throws -> Fact? {
        var key = key
        for _ in 0...Self.longestChain {
            guard let found = try await brain.recall(Self.facts, key) else { return nil }
            guard let target = found.target else { return found }
            key = target
        }
        return nil
    }

    /// Forgets a subject or another name of one.
    ///
    /// - Returns: What was known, and the subject's other names, which are forgotten too; nil if nothing was.
    func forget(_ key: String) async throws -> (fact: Fact, otherNames: [String])? {
        let known: Fact? = try await brain.update(Self.facts, key) { (stored: inout Fact?) -> Fact? in
            defer { stored = nil }
            return stored
        }
        guard let known else { return nil }
        // Its other names mean nothing any more.
        var names: [String: String] = [:]
        for try await (name, other) in brain.entries(Self.facts) where other.target == key {
            names[name] = other.subject
            try await brain.forget(Self.facts, name)
        }
        return (known, names.values.sorted())
    }

    /// Returns the known subjects that somebody may mean with an unknown one: with one slip, or with further words.
    func subjects(near key: String) async throws -> [String] {
        let words = Set(key.split(separator: " "))
        guard !words.isEmpty, !Fact.pronouns.contains(key) else { return [] }
        var found: [String: String] = [:]
        for try await (known, fact) in brain.entries(Self.facts) {
            let isSlip = key.count >= Self.shortestSlip && key.slips(from: known, atMost: 1) != nil
            if isSlip || words.isSubset(of: Set(known.split(separator: " "))) { found[known] = fact.subject }
        }
        return found.sorted { $0.key < $1.key }.prefix(Self.mostNear).map(\.value)
    }

    /// Returns the facts that contain all of these words, by subject.
    func facts(with words: [Substring]) async throws -> [Fact] {
        var found: [String: Fact] = [:]
        for try await (key, fact) in brain.entries(Self.facts) where fact.has(words) { found[key] = fact }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }
}
