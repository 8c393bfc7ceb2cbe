import Synchronization

/// The listeners, and which of them a message may be for.
///
/// What it finds is what trying every listener in turn would find, in the same order: registration order, and those for
/// what nothing else matched at the end. The listeners are those that it was made with.
package final class Router: Sendable {
    /// By number: in registration order.
    private let registered: [RegisteredListener]
    /// Those that aren't found by words.
    private let others: [Listener.Trigger: [RegisteredListener]]
    private let catchAlls: [RegisteredListener]
    /// Those of them that take what isn't addressed to the robot too: seldom any.
    private let openCatchAlls: [RegisteredListener]
    /// Locked, since a search takes notes.
    private let prefilters: Mutex<Prefilters>

    fileprivate struct Prefilters: ~Copyable {
        var hear: Prefilter
        var respond: Prefilter
    }

    /// - Parameters:
    ///   - listeners: One without an id gets one. If two have the same, the second isn't taken.
    ///   - foldsSpecials: Whether texts are folded as they must be; otherwise matches are lost, which the tests must notice.
    package init(_ listeners: [Listener] = [], foldsSpecials: Bool = true) {
        var registered: [RegisteredListener] = []
        var ids = Set<String>()
        var hear = Prefilter(foldsSpecials: foldsSpecials)
        var respond = Prefilter(foldsSpecials: foldsSpecials)
        var others: [Listener.Trigger: [RegisteredListener]] = [:]
        for (number, listener) in Self.named(listeners).enumerated() where ids.insert(listener.id).inserted {
            let new = RegisteredListener(listener, order: number)
            switch listener.trigger {
            case .hear: hear.insert(registered.count, listener.needs)
            case .respond: respond.insert(registered.count, listener.needs)
            case .listen where !listener.needs.isNothing: hear.insert(registered.count, listener.needs)
            case .catchAll: break
            case .enter, .leave, .topic, .listen: others[listener.trigger, default: []].append(new)
            }
            registered.append(new)
        }
        self.registered = registered
        self.others = others
        catchAlls = registered.filter { $0.listener.trigger == .catchAll }
        openCatchAlls = catchAlls.filter { !$0.listener.isForAddressed }
        prefilters = Mutex(Prefilters(hear: hear, respond: respond))
    }

    /// The same, with ids for those that have none: their script's name, and how many there are up to this one.
    private static func named(_ listeners: [Listener]) -> [Listener] {
        listeners.enumerated().map { number, listener in
            guard listener.id.isEmpty else { return listener }
            var named = listener
            named.id = "\(listener.script).\(number + 1)"
            return named
        }
    }

    /// In registration order, those for what nothing else matched at the end.
    var listeners: [Listener] { (ordinary + catchAlls).map(\.listener) }

    private var ordinary: [RegisteredListener] { registered.filter { $0.listener.trigger != .catchAll } }

    /// The listeners that match the message, in order.
    ///
    /// - Parameter oneByOne: Tries every listener in turn: the same, slowly, as the measure of the other way.
    package func listeners(matching candidate: Candidate, oneByOne: Bool = false) -> [Listener] {
        var matches = oneByOne ? matchesOneByOne(candidate) : matches(candidate)
        var listeners: [Listener] = []
        while let match = matches.next({ $0.listener.attempt($1) }) {
            matches.take()
            listeners.append(match.listener)
        }
        return listeners
    }

    /// How many listeners would be tried for the message.
    package func tried(for candidate: Candidate) -> Int { matches(candidate).count }

    /// What may match the message, as far as that can be told without trying.
    func matches(_ candidate: Candidate) -> Matches {
        prefilters.withLock { prefilters in
            let unpunctuated = candidate.unpunctuated.map { (commands(for: $0, &prefilters), $0) }
            return Matches(
                found(candidate, &prefilters), candidate, unpunctuated: unpunctuated,
                catchAlls: catchAlls(for: candidate))
        }
    }

    /// What may match the message if nothing is ruled out: the same, slowly, as the measure of ``matches(_:)``.
    func matchesOneByOne(_ candidate: Candidate) -> Matches {
        // The name gate: what asks to be addressed isn't even looked at otherwise.
        let open = ordinary.filter { candidate.addressed != nil || !$0.listener.isForAddressed }
        let unpunctuated = candidate.unpunctuated.map { candidate in
            (ordinary.filter { $0.listener.trigger == .respond }, candidate)
        }
        return Matches(open, candidate, unpunctuated: unpunctuated, catchAlls: catchAlls(for: candidate))
    }

    /// What is tried if nothing else matches.
    private func catchAlls(for candidate: Candidate) -> [RegisteredListener] {
        if candidate.text == nil { return [] }
        return candidate.addressed == nil ? openCatchAlls : catchAlls
    }

    /// The commands that what is said to the robot may match, in registration order.
    private func commands(for candidate: Candidate, _ prefilters: inout Prefilters) -> [RegisteredListener] {
        guard let words = candidate.addressed else { return [] }
        var found: [RegisteredListener] = []
        prefilters.respond.search(words) { found.append(registered[$0]) }
        return found.sorted()
    }

    /// Those that the message may match, catch-alls left out, in registration order.
    private func found(_ candidate: Candidate, _ prefilters: inout Prefilters) -> [RegisteredListener] {
        var found = others.isEmpty ? [] : others[.listen] ?? []
        switch candidate.message.content {
        case .text(let text):
            prefilters.hear.search(text[...]) { found.append(registered[$0]) }
            if let words = candidate.addressed { prefilters.respond.search(words) { found.append(registered[$0]) } }
        case .enter: found += others[.enter] ?? []
        case .leave: found += others[.leave] ?? []
        case .topic: found += others[.topic] ?? []
        }
        if found.count > 1 { found.sort() }
        return found
    }
}
