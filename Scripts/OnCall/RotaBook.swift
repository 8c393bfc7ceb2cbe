import Heybot

/// The rotas by name, in the brain.
struct RotaBook: Sendable {
    private static let rotas = BrainCollection<Rota>("oncall.rotas")
    private static let most = 50

    let brain: Brain

    /// Returns all rotas, sorted by name.
    func all() async throws -> [(name: String, rota: Rota)] {
        var rotas: [(name: String, rota: Rota)] = []
        for try await (name, rota) in brain.entries(Self.rotas) { rotas.append((name: name, rota: rota)) }
        return rotas.sorted { $0.name < $1.name }
    }

    /// Returns the rota that a command names, or else the only one.
    ///
    /// - Throws: A ``Refusal`` if there is no such rota, or the command names none and there are several.
    func rota(named typed: Substring?) async throws -> (name: String, rota: Rota) {
        if let name = typed?.lowercased(), let rota = try await brain.recall(Self.rotas, name) { return (name, rota) }
        let known = try await all()
        guard let first = known.first else { throw Self.noRota }
        let names = known.map(\.name).joined(separator: ", ")
        if let typed { throw Refusal("There is no rota \(String(oneLine: typed, limit: 40)). I have: \(names).") }
        guard known.count == 1 else { throw Refusal("Which rota? I have: \(names).") }
        return first
    }

    /// Adds or replaces a rota.
    ///
    /// - Throws: A ``Refusal`` if there are too many.
    func set(_ rota: Rota, named name: String) async throws {
        if try await brain.recall(Self.rotas, name) == nil, try await all().count >= Self.most {
            throw Refusal("I can keep at most \(Self.most) rotas.")
        }
        try await brain.remember(Self.rotas, name, rota)
    }

    /// Changes a rota atomically, and returns the new one.
    ///
    /// - Throws: A ``Refusal`` if the rota has been removed, and what the change throws.
    func change(_ name: String, _ change: @Sendable (Rota) throws -> Rota) async throws -> Rota {
        try await brain.update(Self.rotas, name) { rota in
            guard let present = rota else { throw Self.noRota }
            let changed = try change(present)
            rota = changed
            return changed
        }
    }

    /// Removes a rota.
    func remove(_ name: String) async throws { try await brain.forget(Self.rotas, name) }

    /// The refusal if there is no rota.
    static let noRota = Refusal(
        "There is no rota yet. An admin makes one by saying, for example: "
            + "on call rota ops: ada, grace weekly from monday 9:00")
}
