/// The admins that settings name, each matched with the adapter that knows them.
struct NamedAdmins {
    /// Their ids in the form that their adapters give to users.
    private(set) var ids: Set<User.ID> = []
    /// What is wrong with those that can't be right, a line each.
    private(set) var problems: [String] = []
    private var names: [(adapter: any UserRecognition, names: [String])] = []

    /// - Parameter admins: As settings have them: with the adapter in front, or without if there is only one.
    init(_ admins: Set<String>, _ adapters: [any Adapter]) {
        var known: [String: [String]] = [:]
        for admin in admins.sorted() {
            let id = User.ID(admin)
            let named = adapters.first { $0.name == id?.adapter }
            // Without an adapter in front, somebody else could have that id on another network.
            guard let adapter = named ?? (adapters.count == 1 ? adapters[0] : nil) else {
                guard let first = adapters.first else { continue }
                let problem = id.map { "there is no adapter \($0.adapter)" } ?? "it could be on any adapter"
                problems.append(
                    "the admin \(admin) can't be right: \(problem); say which, as \(first.name):\(id?.value ?? admin)")
                continue
            }
            let name = named == nil ? admin : id?.value ?? admin
            do {
                let value = try (adapter as? any UserRecognition)?.userID(named: name) ?? name
                ids.insert(User.ID(adapter: adapter.name, value: value))
                known[adapter.name, default: []].append(name)
            } catch {
                problems.append("the admin \(admin) can't be right: \(error)")
            }
        }
        names = adapters.compactMap { adapter in
            (adapter as? any UserRecognition).map { ($0, known[adapter.name] ?? []) }
        }
    }

    /// Has each adapter recognize its admins from now on, and none that it recognized before.
    func recognize() {
        for (adapter, names) in names { adapter.recognize(names) }
    }
}
