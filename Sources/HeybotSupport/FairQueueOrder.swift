import DequeModule

/// The user who requested elements, or the target of elements that no user requested.
///
/// Requesters take turns.
private enum FairQueueRequester: Hashable {
    case user(String)
    case target(String, isPrivate: Bool)
}

extension FairQueueFlow {
    fileprivate var queueRequester: FairQueueRequester {
        requester.map(FairQueueRequester.user) ?? .target(target, isPrivate: isPrivate)
    }
}

/// The number and cost of the elements of one requester that wait.
private struct RequesterBacklog {
    /// The number of elements.
    var count = 0
    /// The cost of the elements.
    var cost = 0
    /// The place in the line; the lowest has waited longest.
    var place: Int
}

/// The priority of a flow in the next turn: the lowest goes first.
private struct TurnPriority: Comparable {
    /// Whether the flow's requester was served last.
    let wasLast: Bool
    /// When the flow's kind of target, direct conversation or room, was served last.
    let kindServed: Int
    /// The cost of the requester's elements that wait; 0 in turns that don't depend on it.
    let cost: Int
    let place: Int

    static func < (one: TurnPriority, other: TurnPriority) -> Bool {
        if one.wasLast != other.wasLast { return other.wasLast }
        return (one.kindServed, one.cost, one.place) < (other.kindServed, other.cost, other.place)
    }
}

/// The order in which a ``FairQueue`` serves its elements, which it knows by number.
///
/// It isn't generic, because the code of a generic type looks up the types that it uses at each call.
@usableFromInline
struct FairQueueOrder: Sendable {
    /// An element.
    struct Entry: Hashable, Sendable {
        let number: Int
        /// What it costs to serve it, at least 1.
        let cost: Int
    }

    /// The flow of an element.
    typealias Flow = FairQueueFlow

    /// The number of elements in the queue.
    private(set) var count = 0
    private let limit: Int
    private var waiting: [Flow: Deque<Entry>] = [:]
    /// The flows that have elements; those served last are at the end.
    private var order: [Flow] = []
    private var backlogs: [FairQueueRequester: RequesterBacklog] = [:]
    /// The turns in which a direct conversation and a room were served last.
    private var servedPrivate = 0
    private var servedRoom = 0
    private var lastRequester: FairQueueRequester?
    /// The flow whose element was served in part last, if the rest stays together with that.
    private var unfinished: Flow?
    /// The number of turns since the requester who had waited longest was served.
    private var turnsByCost = 0
    /// The place at the end of the line.
    private var end = 0

    init(limit: Int) { self.limit = max(limit, 1) }

    @usableFromInline var isEmpty: Bool { count == 0 }

    /// All elements: those of one flow in order.
    var numbers: [Int] { order.flatMap { waiting[$0, default: []].map(\.number) } }

    /// The number of elements of a flow.
    func count(of flow: Flow) -> Int { waiting[flow]?.count ?? 0 }

    /// The cost of the elements that a user has requested.
    func cost(requestedBy requester: String) -> Int {
        backlogs[.user(requester)]?.cost ?? 0
    }

    /// Appends an element.
    ///
    /// - Returns: The element that was dropped because the queue is full: the newest of the requester with the highest cost.
    mutating func append(_ entry: Entry, in flow: Flow) -> Int? {
        enter(flow, entry.cost)
        waiting[flow, default: []].append(entry)
        guard count > limit else { return nil }
        // The new element is only dropped if no other flow has more.
        let victim = longest(than: flow)
        guard let dropped = waiting[victim]?.popLast() else { return nil }
        leave(victim, dropped.cost)
        removeIfEmpty(victim)
        return dropped.number
    }

    /// Puts an element back before the others of its flow: the rest of one that was sent in part.
    ///
    /// - Parameter staysTogether: Whether it is next, unless somebody else waits for as little.
    mutating func prepend(_ entry: Entry, in flow: Flow, staysTogether: Bool) {
        unfinished = staysTogether ? flow : nil
        enter(flow, entry.cost)
        waiting[flow, default: []].prepend(entry)
    }

    /// Removes and returns the next element among the flows whose first element satisfies a condition.
    mutating func popFirst(where fits: (Int) -> Bool) -> Int? {
        if let rest = popUnfinished(where: fits) { return rest }
        var best: (index: Int, turn: TurnPriority)?
        for (index, flow) in order.enumerated() {
            guard let first = waiting[flow]?.first, fits(first.number) else { continue }
            let turn = turn(of: flow)
            if let best, best.turn <= turn { continue }
            best = (index, turn)
        }
        guard let best else { return nil }
        let flow = order.remove(at: best.index)
        order.append(flow)
        guard let entry = waiting[flow]?.popFirst() else { return nil }
        recordTurn(of: flow)
        backlogs[flow.queueRequester]?.place = end
        leave(flow, entry.cost)
        removeIfEmpty(flow)
        return entry.number
    }

    /// Records that an element was served that waited alone, outside of the order.
    @usableFromInline
    mutating func serveAlone(_ flow: FairQueueFlow) { recordTurn(of: flow) }

    private mutating func recordTurn(of flow: Flow) {
        end += 1
        if flow.isPrivate { servedPrivate = end } else { servedRoom = end }
        turnsByCost = isByCost ? turnsByCost + 1 : 0
        lastRequester = flow.queueRequester
    }

    /// Removes and returns the rest of the element that was served in part last, if it is next; this is no turn of its own.
    private mutating func popUnfinished(where fits: (Int) -> Bool) -> Int? {
        guard let flow = unfinished else { return nil }
        unfinished = nil
        guard let first = waiting[flow]?.first, fits(first.number) else { return nil }
        let isShortest = backlogs.allSatisfy { requester, backlog in
            requester == flow.queueRequester || backlog.cost > first.cost
        }
        guard isShortest, let rest = waiting[flow]?.popFirst() else { return nil }
        leave(flow, rest.cost)
        removeIfEmpty(flow)
        return rest.number
    }

    /// Whether a flow's first element satisfies a condition, so that ``popFirst(where:)`` would return one.
    func hasFirst(where fits: (Int) -> Bool) -> Bool {
        order.contains { waiting[$0]?.first.map { fits($0.number) } ?? false }
    }

    /// Removes the elements that satisfy a condition.
    mutating func removeAll(where matches: (Int) -> Bool) {
        let before = count
        for flow in order {
            for entry in waiting[flow] ?? [] where matches(entry.number) { leave(flow, entry.cost) }
            waiting[flow]?.removeAll { matches($0.number) }
        }
        for flow in order { removeIfEmpty(flow) }
        if count < before { unfinished = nil }
    }

    /// Whether the next turn goes to the lowest cost.
    private var isByCost: Bool { turnsByCost < 2 }

    private func turn(of flow: Flow) -> TurnPriority {
        let backlog = backlogs[flow.queueRequester]
        return TurnPriority(
            wasLast: lastRequester == flow.queueRequester, kindServed: flow.isPrivate ? servedPrivate : servedRoom,
            cost: isByCost ? backlog?.cost ?? 0 : 0, place: backlog?.place ?? 0)
    }

    /// Counts an element that is added.
    private mutating func enter(_ flow: Flow, _ cost: Int) {
        count += 1
        if waiting[flow] == nil { order.append(flow) }
        if backlogs[flow.queueRequester] == nil {
            end += 1
            backlogs[flow.queueRequester] = RequesterBacklog(place: end)
        }
        backlogs[flow.queueRequester]?.count += 1
        backlogs[flow.queueRequester]?.cost += cost
    }

    /// Counts an element that is removed.
    private mutating func leave(_ flow: Flow, _ cost: Int) {
        count -= 1
        backlogs[flow.queueRequester]?.count -= 1
        backlogs[flow.queueRequester]?.cost -= cost
    }

    /// Of the requester with the highest cost, the flow with most elements; the given flow if no other has more.
    private func longest(than flow: Flow) -> Flow {
        func length(_ flow: Flow) -> (Int, Int) { (backlogs[flow.queueRequester]?.cost ?? 0, count(of: flow)) }
        var longest = flow
        for other in order where length(other) > length(longest) { longest = other }
        return longest
    }

    private mutating func removeIfEmpty(_ flow: Flow) {
        guard waiting[flow]?.count == 0 else { return }
        waiting[flow] = nil
        if unfinished == flow { unfinished = nil }
        order.removeAll { $0 == flow }
        if backlogs[flow.queueRequester]?.count == 0 { backlogs[flow.queueRequester] = nil }
    }
}
