import Synchronization

/// Finds the listeners that match a message, without trying all of them.
///
/// The result is that of a linear scan: all matches in registration order, with the catch-alls at the end. The listeners are
/// fixed.
package final class ListenerIndex: Sendable {
    /// All listeners, in registration order; the prefilters know them by their index.
    private let registered: [IndexedListener]
    /// The listeners that aren't in a prefilter, by kind.
    private let others: [Listener.Trigger: [IndexedListener]]
    private let catchAlls: [IndexedListener]
    /// The catch-alls that also match messages that aren't addressed to the robot; usually none.
    private let openCatchAlls: [IndexedListener]
    /// The catch-alls that also match messages without a text.
    private let remoteCatchAlls: [IndexedListener]
    private let hasRemoteListeners: Bool
    /// Locked, because a search changes a prefilter.
    private let prefilters: Mutex<Prefilters>

    fileprivate struct Prefilters: ~Copyable {
        var hear: Prefilter
        var respond: Prefilter
    }

    /// - Parameters:
    ///   - listeners: The listeners in registration order. If two have the same id, the second is ignored.
    ///   - foldsSpecials: Whether texts are folded completely. If not, matches are missed: the negative control of the tests.
    package convenience init(_ listeners: [Listener] = [], foldsSpecials: Bool = true) {
        let indexed = listeners.enumerated().map { IndexedListener($0.element, order: $0.offset) }
        self.init(indexed: indexed, foldsSpecials: foldsSpecials)
    }

    /// - Parameters:
    ///   - indexed: The listeners in registration order. If two have the same id, the second is ignored.
    ///   - foldsSpecials: Whether texts are folded completely.
    init(indexed: [IndexedListener], foldsSpecials: Bool = true) {
        var registered: [IndexedListener] = []
        registered.reserveCapacity(indexed.count)
        var ids = Set<String>()
        var hear = Prefilter(foldsSpecials: foldsSpecials)
        var respond = Prefilter(foldsSpecials: foldsSpecials)
        var others: [Listener.Trigger: [IndexedListener]] = [:]
        for new in indexed where ids.insert(new.listener.id).inserted {
            let listener = new.listener
            switch listener.trigger {
            case .hear: hear.insert(registered.count, listener.requirements)
            case .respond: respond.insert(registered.count, listener.requirements)
            case .listen where !listener.requirements.isEmpty: hear.insert(registered.count, listener.requirements)
            case .catchAll: break
            case .enter, .leave, .topic, .reaction, .retraction, .profile, .listen:
                others[listener.trigger, default: []].append(new)
            }
            registered.append(new)
        }
        self.registered = registered
        self.others = others
        hasRemoteListeners = registered.contains { $0.listener.isRemote }
        catchAlls = registered.filter { $0.listener.trigger == .catchAll }
        openCatchAlls = catchAlls.filter { !$0.listener.isForAddressed }
        remoteCatchAlls = catchAlls.filter(\.listener.isRemote)
        prefilters = Mutex(Prefilters(hear: hear, respond: respond))
    }

    /// All listeners in registration order, with the catch-alls at the end.
    var listeners: [Listener] { (ordinary + catchAlls).map(\.listener) }

    private var ordinary: [IndexedListener] { registered.filter { $0.listener.trigger != .catchAll } }

    /// The listeners that match the message, in order.
    ///
    /// - Parameter linearScan: Whether to try every listener instead of using the prefilter: the oracle of the tests.
    package func listeners(matching input: RoutingInput, linearScan: Bool = false) -> [Listener] {
        var matches = linearScan ? matchesByLinearScan(input) : matches(input)
        var listeners: [Listener] = []
        while let match = matches.next({ $0.listener.match($1) }) {
            matches.markHandled()
            listeners.append(match.listener)
        }
        return listeners
    }

    /// The number of listeners that are tried for a message.
    package func candidateCount(for input: RoutingInput) -> Int { matches(input).count }

    /// Iterates over the matches of a message; tries only the candidates that the prefilters find.
    func matches(_ input: RoutingInput) -> ListenerMatchIterator {
        prefilters.withLock { prefilters in
            let retries = input.otherReadings.map { (listeners: commands(for: $0, &prefilters), input: $0) }
            return ListenerMatchIterator(
                self, found(input, &prefilters), input, retries: retries,
                catchAlls: catchAlls(for: input))
        }
    }

    /// Whether any listener may match a message that isn't addressed to the robot.
    func mayMatch(toOthers message: Message) -> Bool {
        let input = RoutingInput(toOthers: message)
        guard catchAlls(for: input).isEmpty else { return true }
        return prefilters.withLock { !found(input, &$0).isEmpty }
    }

    /// Iterates over the matches of a message; tries every listener.
    ///
    /// This is the oracle for ``matches(_:)``.
    func matchesByLinearScan(_ input: RoutingInput) -> ListenerMatchIterator {
        // The name gate: `respond` listeners are tried only if the message is addressed to the robot.
        let open = ordinary.filter { registered in
            let words = registered.listener.isRemote ? input.remoteAddressed : input.addressed
            return words != nil || !registered.listener.isForAddressed
        }
        let retries = input.otherReadings.map { input in
            (listeners: ordinary.filter { $0.listener.trigger == .respond }, input: input)
        }
        return ListenerMatchIterator(self, open, input, retries: retries, catchAlls: catchAlls(for: input))
    }

    /// The catch-alls for a message.
    private func catchAlls(for input: RoutingInput) -> [IndexedListener] {
        // To Hubot, every message that nothing handles is one for the catch-alls.
        if input.text == nil { return remoteCatchAlls }
        return input.addressed == nil ? openCatchAlls : catchAlls
    }

    /// The `respond` listeners that may match an addressed message, in registration order.
    private func commands(for input: RoutingInput, _ prefilters: inout Prefilters) -> [IndexedListener] {
        guard let words = input.addressed else { return [] }
        var found: [IndexedListener] = []
        prefilters.respond.search(words) { found.append(registered[$0]) }
        return found.sorted()
    }

    /// The listeners that may match a message, without the catch-alls, in registration order.
    private func found(_ input: RoutingInput, _ prefilters: inout Prefilters) -> [IndexedListener] {
        var found = others.isEmpty ? [] : others[.listen] ?? []
        switch input.message.content {
        case .text(let text):
            prefilters.hear.search(text[...]) { found.append(registered[$0]) }
            if let words = input.addressed { prefilters.respond.search(words) { found.append(registered[$0]) } }
        case .enter: found += others[.enter] ?? []
        case .leave: found += others[.leave] ?? []
        case .reaction: found += others[.reaction] ?? []
        case .retraction: found += others[.retraction] ?? []
        case .profile: found += others[.profile] ?? []
        case .topic(let topic):
            found += others[.topic] ?? []
            // To Hubot, a topic is a text.
            if hasRemoteListeners {
                var texts: [Int] = []
                prefilters.hear.search(topic[...]) { texts.append($0) }
                if let words = input.remoteAddressed { prefilters.respond.search(words) { texts.append($0) } }
                found += texts.map { registered[$0] }.filter(\.listener.isRemote)
            }
        }
        if found.count > 1 { found.sort() }
        return found
    }
}
