/// The flow of an element in a fair queue: the target and the requester that it is accounted to.
public struct FairQueueFlow: Hashable, Sendable {
    /// Whether the target is a user rather than a room.
    public var isPrivate: Bool
    /// The room or user that the element is for.
    public var target: String
    /// The user whose message caused it; nil if there is none.
    public var requester: String?

    /// Creates a flow.
    @inlinable
    public init(isPrivate: Bool, target: String, requester: String? = nil) {
        self.isPrivate = isPrivate
        self.target = target
        self.requester = requester
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
///
/// It is public because the compiler specializes only public code of another module.
public struct FairQueue<Element: Sendable>: Sendable {
    /// The flow of an element.
    public typealias Flow = FairQueueFlow

    /// The only element of the queue.
    ///
    /// Nearly always, nobody else waits. Then the order isn't asked, which would cost more than all else that sends a message.
    @usableFromInline
    struct Only: Sendable {
        @usableFromInline let element: Element
        @usableFromInline let cost: Int
        @usableFromInline let flow: Flow

        @inlinable
        init(_ element: Element, _ cost: Int, _ flow: Flow) {
            (self.element, self.cost, self.flow) = (element, max(cost, 1), flow)
        }
    }

    /// Set only if ``order`` is empty.
    @usableFromInline var only: Only?
    @usableFromInline var order: FairQueueOrder
    /// Stored, because the only element would be copied to learn whether there is one.
    @usableFromInline var hasElements = false
    /// The elements in ``order`` by number.
    private var stored: [Int: Element] = [:]
    private var lastNumber = 0

    /// Creates an empty queue.
    ///
    /// - Parameter limit: The capacity, at least 1.
    public init(limit: Int) { order = FairQueueOrder(limit: limit) }

    /// The number of elements in the queue.
    package var count: Int { order.count + (only == nil ? 0 : 1) }

    /// Whether the queue has no elements.
    @inlinable public var isEmpty: Bool { !hasElements }

    /// All elements: those of one flow in order.
    package var elements: [Element] { only.map { [$0.element] } ?? order.numbers.compactMap { stored[$0] } }

    /// The number of elements of a flow.
    package func count(of flow: Flow) -> Int {
        if let only { only.flow == flow ? 1 : 0 } else { order.count(of: flow) }
    }

    /// The cost of the elements that a user has requested.
    package func cost(requestedBy requester: String) -> Int {
        if let only { only.flow.requester == requester ? only.cost : 0 } else { order.cost(requestedBy: requester) }
    }

    /// Appends an element.
    ///
    /// - Parameter cost: What it costs to serve the element, at least 1: the number of lines of a message.
    /// - Returns: The element that was dropped because the queue is full: the newest of the requester with the highest cost.
    @inlinable
    public mutating func append(_ element: Element, cost: Int = 1, in flow: Flow) -> Element? {
        guard hasElements else {
            only = Only(element, cost, flow)
            hasElements = true
            return nil
        }
        return appendToOrder(element, cost, flow)
    }

    @usableFromInline
    mutating func appendToOrder(_ element: Element, _ cost: Int, _ flow: Flow) -> Element? {
        putOnlyInOrder()
        return order.append(store(element, cost), in: flow).flatMap { stored.removeValue(forKey: $0) }
    }

    /// Puts an element back before the others of its flow: the rest of one that was sent in part.
    ///
    /// - Parameter staysTogether: Whether it is next, unless somebody else waits for as little.
    package mutating func putBack(_ element: Element, cost: Int = 1, in flow: Flow, staysTogether: Bool = false) {
        putOnlyInOrder()
        hasElements = true
        order.prepend(store(element, cost), in: flow, staysTogether: staysTogether)
    }

    private mutating func putOnlyInOrder() {
        guard let only else { return }
        self.only = nil
        // One element is within any limit.
        _ = order.append(store(only.element, only.cost), in: only.flow)
    }

    private mutating func store(_ element: Element, _ cost: Int) -> FairQueueOrder.Entry {
        lastNumber += 1
        stored[lastNumber] = element
        return FairQueueOrder.Entry(number: lastNumber, cost: max(cost, 1))
    }

    /// Removes and returns the next element among the flows whose first element satisfies a condition.
    @inlinable
    public mutating func popFirst(where fits: (Element) -> Bool = { _ in true }) -> Element? {
        guard let only else { return popFirstOfOrder(where: fits) }
        guard fits(only.element) else { return nil }
        self.only = nil
        hasElements = false
        order.serveAlone(only.flow)
        return only.element
    }

    @usableFromInline
    mutating func popFirstOfOrder(where fits: (Element) -> Bool) -> Element? {
        let element = popNumber(where: fits).flatMap { stored.removeValue(forKey: $0) }
        hasElements = !order.isEmpty
        return element
    }

    private mutating func popNumber(where fits: (Element) -> Bool) -> Int? {
        let stored = stored
        return order.popFirst { stored[$0].map(fits) ?? false }
    }

    /// Whether a flow's first element satisfies a condition, so that ``popFirst(where:)`` would return one.
    @inlinable
    public func hasFirst(where fits: (Element) -> Bool) -> Bool {
        if let only { fits(only.element) } else { hasFirstInOrder(where: fits) }
    }

    @usableFromInline
    func hasFirstInOrder(where fits: (Element) -> Bool) -> Bool {
        order.hasFirst { stored[$0].map(fits) ?? false }
    }

    /// Removes the elements that satisfy a condition, such as answers that have waited too long.
    ///
    /// - Returns: The number of removed elements.
    package mutating func removeAll(where matches: (Element) -> Bool) -> Int {
        putOnlyInOrder()
        let before = stored.count
        let matching = stored.filter { matches($0.value) }
        for number in matching.keys { stored[number] = nil }
        order.removeAll { matching[$0] != nil }
        hasElements = !order.isEmpty
        return before - stored.count
    }
}
