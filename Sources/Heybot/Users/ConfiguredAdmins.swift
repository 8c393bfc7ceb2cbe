/// The admins named in the settings, each assigned to an adapter.
struct ConfiguredAdmins {
    /// The admins' user ids.
    private(set) var ids: Set<User.ID> = []
    /// The problems with invalid names, a line each.
    private(set) var problems: [String] = []
    private var names: [(adapter: any ConfiguredUserRecognition, names: [String])] = []

    /// - Parameter admins: The names as in the settings: with the adapter in front, or without if there is only one.
    init(_ admins: Set<String>, _ adapters: [any Adapter]) {
        var known: [String: [String]] = [:]
        for admin in admins.sorted() {
            let id = User.ID(admin)
            let named = adapters.first { $0.name == id?.adapter }
            // Without an adapter in front, another user could have that id on another network.
            guard let adapter = named ?? (adapters.count == 1 ? adapters[0] : nil) else {
                guard let first = adapters.first else { continue }
                let problem = id.map { "there is no adapter \($0.adapter)" } ?? "the adapter is ambiguous"
                problems.append(
                    """
                    the admin \(admin) is invalid: \(problem); \
                    put the adapter's name first, as in \(first.name):\(id?.value ?? admin)
                    """)
                continue
            }
            let name = named == nil ? admin : id?.value ?? admin
            do {
                let value = try (adapter as? any ConfiguredUserRecognition)?.userID(named: name) ?? name
                ids.insert(adapter.id(value))
                known[adapter.name, default: []].append(name)
            } catch {
                problems.append("the admin \(admin) is invalid: \(error)")
            }
        }
        names = adapters.compactMap { adapter in
            (adapter as? any ConfiguredUserRecognition).map { ($0, known[adapter.name] ?? []) }
        }
    }

    /// Replaces the admins that each adapter recognizes.
    func recognize() {
        for (adapter, names) in names { adapter.recognize(names) }
    }
}
