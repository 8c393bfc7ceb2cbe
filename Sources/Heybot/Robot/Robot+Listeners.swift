extension Robot {
    /// Every listener, in the order they are tried.
    public var listeners: [Listener] { router.listeners }

    /// Has more listeners from now on, behind those it has; messages that have come in already don't meet them.
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
        var builder = RobotBuilder(script: script, count: router.count)
        register(&builder)
        var problems = builder.problems
        if !builder.hasOnlyListeners {
            problems.append("\(script) registers more than listeners, which it can do at the start only")
        }
        if problems.isEmpty {
            problems = router.add(builder.listeners).map { "two listeners have the id \($0): give one another id" }
        }
        guard problems.isEmpty else { throw .misconfigured(problems) }
        return builder.listeners.map(\.id)
    }

    /// Has those listeners no more; messages that have come in already still meet them.
    ///
    /// An id that no listener has is passed over.
    public func removeListeners(_ ids: some Sequence<String>) { router.remove(ids) }
}
