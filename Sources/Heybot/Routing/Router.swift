import HeybotPatterns
import Synchronization

/// The listeners, and which of them a message may be for.
///
/// What it finds is what trying every listener in turn would find, in the same order: registration order, and those for
/// what nothing else matched at the end. Listeners may come and go at any time; a message meets those that are there when
/// it is matched.
package final class Router: Sendable {
    fileprivate struct State: ~Copyable {
        /// By number; a number is free again when its listener has gone.
        var registered: [RegisteredListener?] = []
        var freeNumbers: [Int] = []
        var numbers: [String: Int] = [:]
        /// How many there have ever been.
        var count = 0

        var hear = Prefilter()
        var respond = Prefilter()
        /// The numbers of those that aren't found by words.
        var others: [Listener.Trigger: [Int]] = [:]
        /// In registration order.
        var catchAlls: [RegisteredListener] = []
        /// Those of them that take what isn't addressed to the robot too: seldom any.
        var openCatchAlls: [RegisteredListener] = []
    }

    private let state = Mutex(State())

    /// - Parameter listeners: Where two have the same id, the second isn't taken.
    package init(_ listeners: [Listener] = []) {
        for listener in listeners { add([listener]) }
    }

    /// A router that loses matches, to see that the tests notice.
    init(withoutFolding listeners: [Listener]) {
        state.withLock {
            $0.hear.foldsSpecials = false
            $0.respond.foldsSpecials = false
        }
        add(listeners)
    }

    /// In registration order, those for what nothing else matched at the end.
    var listeners: [Listener] {
        let (ordinary, catchAlls) = state.withLock { state in
            (state.registered.compactMap { $0?.listener.trigger == .catchAll ? nil : $0 }, state.catchAlls)
        }
        return (ordinary.sorted() + catchAlls).map(\.listener)
    }

    /// Adds listeners, behind those that are there; none where an id is taken.
    ///
    /// One without an id gets one.
    ///
    /// - Returns: Their ids, and those that are taken.
    @discardableResult
    package func add(_ listeners: [Listener]) -> (ids: [String], taken: [String]) {
        state.withLock { state in
            let listeners = state.named(listeners)
            var ids = Set<String>()
            let taken = listeners.map(\.id).filter { !ids.insert($0).inserted || state.numbers[$0] != nil }
            if taken.isEmpty { for listener in listeners { state.add(listener) } }
            return (listeners.map(\.id), taken)
        }
    }

    /// Takes those with these ids out.
    @discardableResult
    package func remove(_ ids: [String]) -> [RegisteredListener] {
        // They come to their ends outside the lock: what they hold may call us then.
        state.withLock { state in ids.compactMap { state.remove($0) } }
    }

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
        state.withLock { state in
            let unpunctuated = candidate.unpunctuated.map { (state.commands(for: $0), $0) }
            return Matches(
                state.found(candidate), candidate, unpunctuated: unpunctuated, catchAlls: state.catchAlls(candidate))
        }
    }

    /// What may match the message where nothing is ruled out: the same, slowly, as the measure of ``matches(_:)``.
    func matchesOneByOne(_ candidate: Candidate) -> Matches {
        state.withLock { state in
            let all = state.registered.lazy.compactMap(\.self)
            let ordinary = all.filter { $0.listener.trigger != .catchAll }
            // The name gate: what asks to be addressed isn't even looked at otherwise.
            let open = ordinary.filter { candidate.addressed != nil || !$0.listener.isForAddressed }
            let unpunctuated = candidate.unpunctuated.map { candidate in
                (ordinary.filter { $0.listener.trigger == .respond }.sorted(), candidate)
            }
            return Matches(
                open.sorted(), candidate, unpunctuated: unpunctuated, catchAlls: state.catchAlls(candidate))
        }
    }
}

extension Router.State {
    mutating func add(_ listener: Listener) {
        let number = freeNumbers.popLast() ?? registered.count
        let new = RegisteredListener(listener, order: count)
        if number == registered.count { registered.append(new) } else { registered[number] = new }
        numbers[listener.id] = number
        count += 1
        switch listener.trigger {
        case .hear: hear.insert(number, listener.needs)
        case .respond: respond.insert(number, listener.needs)
        case .listen where !listener.needs.isNothing: hear.insert(number, listener.needs)
        case .catchAll:
            catchAlls.append(new)
            if !listener.isForAddressed { openCatchAlls.append(new) }
        case .enter, .leave, .topic, .listen: others[listener.trigger, default: []].append(number)
        }
    }

    mutating func remove(_ id: String) -> RegisteredListener? {
        guard let number = numbers.removeValue(forKey: id), let old = registered[number] else { return nil }
        registered[number] = nil
        freeNumbers.append(number)
        switch old.listener.trigger {
        case .hear: hear.remove(number)
        case .respond: respond.remove(number)
        case .listen where !old.listener.needs.isNothing: hear.remove(number)
        case .catchAll:
            catchAlls.removeAll { $0 === old }
            openCatchAlls.removeAll { $0 === old }
        case .enter, .leave, .topic, .listen: others[old.listener.trigger]?.removeAll { $0 == number }
        }
        return old
    }

    /// The same, with ids for those that have none: their script's name, and how many listeners there have been.
    func named(_ listeners: [Listener]) -> [Listener] {
        var number = count
        return listeners.map { listener in
            number += 1
            guard listener.id.isEmpty else { return listener }
            var named = listener
            named.id = "\(listener.script).\(number)"
            return named
        }
    }

    /// What is tried where nothing else matches.
    func catchAlls(_ candidate: Candidate) -> [RegisteredListener] {
        if candidate.text == nil { return [] }
        return candidate.addressed == nil ? openCatchAlls : catchAlls
    }

    /// The commands that what is said to the robot may match, in registration order.
    mutating func commands(for candidate: Candidate) -> [RegisteredListener] {
        guard let words = candidate.addressed else { return [] }
        let registered = registered
        var found: [RegisteredListener] = []
        respond.search(words) { number in
            if let listener = registered[number] { found.append(listener) }
        }
        return found.sorted()
    }

    /// Those that the message may match, catch-alls left out, in registration order.
    mutating func found(_ candidate: Candidate) -> [RegisteredListener] {
        let registered = registered
        var found: [RegisteredListener] = []
        func take(_ number: Int) {
            if let listener = registered[number] { found.append(listener) }
        }
        if !others.isEmpty { others[.listen]?.forEach(take) }
        switch candidate.message.content {
        case .text(let text):
            hear.search(text[...], take)
            if let words = candidate.addressed { respond.search(words, take) }
        case .enter: others[.enter]?.forEach(take)
        case .leave: others[.leave]?.forEach(take)
        case .topic: others[.topic]?.forEach(take)
        }
        if found.count > 1 { found.sort() }
        return found
    }
}
