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

    init(_ listeners: [Listener]) {
        let ordinary = listeners.filter { $0.trigger != .catchAll }
        self.listeners = ordinary + listeners.filter { $0.trigger == .catchAll }
        firstCatchAll = ordinary.count
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
        for index in range {
            let listener = listeners[index]
            // The name gate: what asks to be addressed isn't even looked at otherwise.
            if listener.trigger == .respond, candidate.addressed == nil { continue }
            guard isOn(listener) else { continue }
            looking(index)
            if let work = listener.attempt(candidate) { return Hit(index: index, work: work) }
        }
        return nil
    }
}
