/// The listeners of scripts, and the numbers that the host's present process has given them.
struct ListenerRegistry: Sendable {
    /// The listeners that were announced before the robot was built, in order.
    private(set) var first: [AnnouncedListener] = []
    /// Those that were announced later, in order.
    private(set) var late: [AnnouncedListener] = []
    private var isFrozen = false
    /// The keys of all listeners in ``first``, once it is complete, and in ``late``.
    private var known: Set<ListenerKey> = []
    private var ids: [ListenerKey: Int] = [:]
    private var keys: [Int: ListenerKey] = [:]

    var count: Int { ids.count }

    /// The number that the host's process knows a listener by; nil if it doesn't know it.
    func id(of key: ListenerKey) -> Int? { ids[key] }

    mutating func add(_ listener: AnnouncedListener) {
        let key = listener.key
        if let old = ids[key] { keys[old] = nil }
        ids[key] = listener.id
        keys[listener.id] = key
        if !isFrozen {
            first.append(listener)
        } else if known.insert(key).inserted {
            late.append(listener)
        }
    }

    mutating func remove(_ id: Int) {
        guard let key = keys.removeValue(forKey: id) else { return }
        ids[key] = nil
        if let index = late.firstIndex(where: { $0.key == key }) {
            late.remove(at: index)
            known.remove(key)
        }
        if !isFrozen { first.removeAll { $0.key == key } }
    }

    /// The robot is built from the listeners announced until now.
    mutating func freeze() {
        isFrozen = true
        known = Set(first.map(\.key))
    }

    /// The process has ended; the next one gives other numbers.
    mutating func forgetProcess() {
        known.subtract(late.map(\.key))
        (ids, keys, late) = ([:], [:], [])
        if !isFrozen { first = [] }
    }
}

extension AnnouncedListener {
    /// What identifies it also after a restart.
    package var key: ListenerKey { ListenerKey(script ?? "", ordinal) }
}
