/// The flow of an element in a fair queue: the target and the requester that it is accounted to.
package struct FairQueueFlow: Hashable, Sendable {
    /// Whether the target is a user rather than a room.
    package var isPrivate: Bool
    /// The room or user that the element is for.
    package var target: String
    /// The user whose message caused it; nil if there is none.
    package var requester: String?

    package init(isPrivate: Bool, target: String, requester: String? = nil) {
        self.isPrivate = isPrivate
        self.target = target
        self.requester = requester
    }

    fileprivate var queueRequester: FairQueueRequester {
        requester.map(FairQueueRequester.user) ?? .target(target, isPrivate: isPrivate)
    }
}

// These types aren't nested in the queue because it is generic: the runtime would look up nested types of a generic type at each
// use.

/// The user who requested elements, or the target of elements that no user requested.
///
/// Requesters take turns.
private enum FairQueueRequester: Hashable {
    case user(String)
    case target(String, isPrivate: Bool)
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

/// A bounded queue that serves its requesters in turn, so that none can delay all others by filling it.
///
/// - Elements of one flow leave in the order they came. A requester's flows take turns.
/// - Nobody is served twice in a row while others wait, and direct conversations and rooms alternate. But what is served in parts
///   may stay together: nobody who waits for more than the rest of it comes between.
/// - Otherwise, the requester with the lowest cost waiting goes first. But every third turn goes to the one who has waited longest.
///
/// So a requester of something short waits for about two elements, however many elements a dozen others have queued for however
/// many targets, and however often it asks; and nobody waits forever. Newcomers don't pass those who wait for as little.
package struct FairQueue<Element: Sendable>: Sendable {
    /// The flow of an element.
    package typealias Flow = FairQueueFlow

    private struct ElementQueue {
        var elements: [(element: Element, cost: Int)] = []
        /// The index of the first element that hasn't left.
        var head = 0

        var count: Int { elements.count - head }
        var first: Element? { head < elements.count ? elements[head].element : nil }
        var firstCost: Int { head < elements.count ? elements[head].cost : 0 }

        mutating func popFirst() -> (element: Element, cost: Int) {
            defer {
                head += 1
                if head * 2 > elements.count {
                    elements.removeFirst(head)
                    head = 0
                }
            }
            return elements[head]
        }

        mutating func prepend(_ element: Element, _ cost: Int) {
            if head > 0 {
                head -= 1
                elements[head] = (element, cost)
            } else {
                elements.insert((element, cost), at: 0)
            }
        }
    }

    /// The number of elements in the queue.
    package private(set) var count = 0
    private let limit: Int
    private var waiting: [Flow: ElementQueue] = [:]
    /// The flows that have elements; those served last are at the end.
    private var order: [Flow] = []
    private var backlogs: [FairQueueRequester: RequesterBacklog] = [:]
    /// The turns in which a direct conversation and a room were served last.
    private var servedPrivate = 0
    private var servedRoom = 0
    private var lastRequester: FairQueueRequester?
    /// The flow whose element was served in part last, if the rest stays together with that.
    private var unfinished: Flow?
    /// The number of turns since the one who had waited longest was served.
    private var turnsByCost = 0
    /// The place at the end of the line.
    private var end = 0

    /// - Parameter limit: The capacity, at least 1.
    package init(limit: Int) {
        self.limit = max(limit, 1)
    }

    package var isEmpty: Bool { count == 0 }

    /// All elements: those of one flow in order.
    package var elements: [Element] {
        order.flatMap { flow in waiting[flow].map { $0.elements[$0.head...].map(\.element) } ?? [] }
    }

    /// The number of elements of a flow.
    package func count(of flow: Flow) -> Int { waiting[flow]?.count ?? 0 }

    /// The cost of the elements that a user has requested.
    package func cost(requestedBy requester: String) -> Int {
        backlogs[.user(requester)]?.cost ?? 0
    }

    /// Appends an element.
    ///
    /// - Parameter cost: What it costs to serve the element, at least 1: the number of lines of a message.
    /// - Returns: The element that was dropped because the queue is full: the newest of the requester with the highest cost.
    package mutating func append(_ element: Element, cost: Int = 1, in flow: Flow) -> Element? {
        let cost = max(cost, 1)
        enter(flow, cost)
        waiting[flow, default: ElementQueue()].elements.append((element, cost))
        guard count > limit else { return nil }
        // The new element is only dropped if no other flow has more.
        let victim = longest(than: flow)
        guard let dropped = waiting[victim]?.elements.popLast() else { return nil }
        leave(victim, dropped.cost)
        removeIfEmpty(victim)
        return dropped.element
    }

    /// Puts an element back before the others of its flow: the rest of one that was sent in part.
    ///
    /// - Parameter staysTogether: Whether it is next, unless somebody else waits for as little.
    package mutating func putBack(_ element: Element, cost: Int = 1, in flow: Flow, staysTogether: Bool = false) {
        unfinished = staysTogether ? flow : nil
        let cost = max(cost, 1)
        enter(flow, cost)
        waiting[flow, default: ElementQueue()].prepend(element, cost)
    }

    /// Removes and returns the next element among the flows whose first element satisfies a condition.
    package mutating func popFirst(where fits: (Element) -> Bool = { _ in true }) -> Element? {
        if let rest = popUnfinished(where: fits) { return rest }
        var best: (index: Int, turn: TurnPriority)?
        for (index, flow) in order.enumerated() {
            guard let first = waiting[flow]?.first, fits(first) else { continue }
            let turn = turn(of: flow)
            if let best, best.turn <= turn { continue }
            best = (index, turn)
        }
        guard let best else { return nil }
        let flow = order.remove(at: best.index)
        order.append(flow)
        guard let (element, cost) = waiting[flow]?.popFirst() else { return nil }
        end += 1
        if flow.isPrivate { servedPrivate = end } else { servedRoom = end }
        turnsByCost = isByCost ? turnsByCost + 1 : 0
        lastRequester = flow.queueRequester
        backlogs[flow.queueRequester]?.place = end
        leave(flow, cost)
        removeIfEmpty(flow)
        return element
    }

    /// Removes and returns the rest of the element that was served in part last, if it is next; this is no turn of its own.
    private mutating func popUnfinished(where fits: (Element) -> Bool) -> Element? {
        guard let flow = unfinished else { return nil }
        unfinished = nil
        guard let first = waiting[flow]?.first, fits(first), let cost = waiting[flow]?.firstCost else { return nil }
        let isShortest = backlogs.allSatisfy { requester, backlog in
            requester == flow.queueRequester || backlog.cost > cost
        }
        guard isShortest, let rest = waiting[flow]?.popFirst() else { return nil }
        leave(flow, rest.cost)
        removeIfEmpty(flow)
        return rest.element
    }

    /// Whether a flow's first element satisfies a condition, so that ``popFirst(where:)`` would return one.
    package func hasFirst(where fits: (Element) -> Bool) -> Bool {
        order.contains { waiting[$0]?.first.map(fits) ?? false }
    }

    /// Removes the elements that satisfy a condition, such as answers that have waited too long.
    ///
    /// - Returns: The number of removed elements.
    package mutating func removeAll(where matches: (Element) -> Bool) -> Int {
        let before = count
        for flow in order {
            guard let mine = waiting[flow] else { continue }
            var rest = ElementQueue()
            for (element, cost) in mine.elements[mine.head...] {
                if matches(element) { leave(flow, cost) } else { rest.elements.append((element, cost)) }
            }
            waiting[flow] = rest
        }
        for flow in order { removeIfEmpty(flow) }
        if count < before { unfinished = nil }
        return before - count
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
