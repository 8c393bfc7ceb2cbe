/// Finds the listeners that match a message, in registration order.
struct Router: Sendable {
    /// Where a listener matched, and what it wants to run.
    struct Hit: Sendable {
        let index: Int
        let work: Listener.Work
    }

    /// In registration order, those for what nothing else matched at the end.
    let listeners: [Listener]
    private let firstCatchAll: Int
    /// Those that may match what isn't addressed to the robot.
    private let unaddressed: [Int]

    init(_ listeners: [Listener]) {
        let ordinary = listeners.filter { $0.trigger != .catchAll }
        self.listeners = ordinary + listeners.filter { $0.trigger == .catchAll }
        firstCatchAll = ordinary.count
        unaddressed = self.listeners.indices.filter { [listeners = self.listeners] in listeners[$0].trigger != .respond
        }
    }

    /// The first listener that matches; for words that none does, the first catch-all.
    ///
    /// - Parameters:
    ///   - isOn: Leaves out listeners that are switched off.
    ///   - looking: Told each listener before its matcher runs, so that one that never ends can be named.
    func first(
        _ candidate: Candidate, isOn: (Listener) -> Bool = { _ in true }, looking: (Int) -> Void = { _ in }
    ) -> Hit? {
        search(candidate, 0..<firstCatchAll, isOn, looking)
            ?? search(candidate, firstCatchAll..<listeners.count, isOn, looking)
    }

    /// The next that matches after that one; after a catch-all the next catch-all.
    func next(
        _ candidate: Candidate, after hit: Hit, isOn: (Listener) -> Bool = { _ in true },
        looking: (Int) -> Void = { _ in }
    ) -> Hit? {
        let end = hit.index < firstCatchAll ? firstCatchAll : listeners.count
        return search(candidate, hit.index + 1..<end, isOn, looking)
    }

    private func search(
        _ candidate: Candidate, _ range: Range<Int>, _ isOn: (Listener) -> Bool, _ looking: (Int) -> Void
    ) -> Hit? {
        // The name gate: what asks to be addressed isn't even looked at otherwise.
        guard candidate.addressed == nil else {
            for index in range { if let hit = attempt(index, candidate, isOn, looking) { return hit } }
            return nil
        }
        for index in unaddressed where range.contains(index) {
            if let hit = attempt(index, candidate, isOn, looking) { return hit }
        }
        return nil
    }

    private func attempt(
        _ index: Int, _ candidate: Candidate, _ isOn: (Listener) -> Bool, _ looking: (Int) -> Void
    ) -> Hit? {
        if let required = listeners[index].required, !(candidate.text.map(required.isIn) ?? false) { return nil }
        guard isOn(listeners[index]) else { return nil }
        looking(index)
        return listeners[index].attempt(candidate).map { Hit(index: index, work: $0) }
    }
}
