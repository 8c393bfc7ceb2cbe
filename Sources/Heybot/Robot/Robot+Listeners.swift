extension Robot {
    /// Every listener, in the order they are tried.
    public var listeners: [Listener] { router.listeners }

    /// Has more listeners from now on, behind those it has.
    ///
    /// - Parameters:
    ///   - script: The script they belong to, one of the robot's ``scripts``.
    ///   - register: Registers them. Listeners are all it can register, since the rest of a script is there from the start.
    /// - Returns: Their ids, for ``removeListeners(_:)``.
    /// - Throws: ``RobotError`` where something is wrong with one of them; then none is added.
    @discardableResult
    public func addListeners(
        to script: String, _ register: (inout RobotBuilder) -> Void
    ) throws(RobotError) -> [String] {
        guard scripts.contains(script) else {
            throw .misconfigured(["there is no script \(script); there are \(scripts.joined(separator: ", "))"])
        }
        var builder = RobotBuilder(script: script, settings: settingValues, known: knownSettings[script] ?? [])
        register(&builder)
        var problems = builder.problems
        if !builder.hasOnlyListeners {
            problems.append("\(script) registers more than listeners, which it can do at the start only")
        }
        var ids: [String] = []
        if problems.isEmpty {
            let taken: [String]
            (ids, taken) = router.add(builder.listeners)
            problems = taken.map { "two listeners have the id \($0): give one another id" }
        }
        guard problems.isEmpty else { throw .misconfigured(problems) }
        return ids
    }

    /// Has those listeners no more.
    ///
    /// What one of them does already, it does to the end. An id that no listener has is passed over.
    public func removeListeners(_ ids: some Sequence<String>) {
        for listener in router.remove(Array(ids)) { listener.forget() }
    }
}
