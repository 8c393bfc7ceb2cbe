extension Robot {
    /// Gives people roles for the robots that use this brain; the store is open.
    ///
    /// - Throws: A ``Refusal`` if there would be too many people, ``StoreError``, ``BrainError``.
    package static func give(_ roles: [(user: User, roles: Set<String>)], in brain: Brain) async throws {
        try await brain.update(standingsMemory, default: Standings()) { standings in
            for (user, roles) in roles {
                for role in roles { _ = try standings.set(role, of: user, to: true) }
            }
        }
    }
}
