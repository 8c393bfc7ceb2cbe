/// The sender of an element in a fair queue: the target and the requester that it is accounted to.
package struct FairQueueSender: Hashable, Sendable {
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

    fileprivate var targetTurn: TurnKey { .target(target, isPrivate: isPrivate) }
    /// An element without a requester is accounted to its target.
    fileprivate var requesterTurn: TurnKey { requester.map(TurnKey.requester) ?? .target(target, isPrivate: isPrivate) }
}

// These types aren't nested in the queue because it is generic: the runtime would look up nested types of a generic type at each
// use.

/// What takes turns in the queue.
private enum TurnKey: Hashable {
    case target(String, isPrivate: Bool)
    case requester(String)
    case sender(FairQueueSender)
}

/// The number of waiting elements of a target, requester or sender, and its place in the line.
private struct Account {
    var count = 0
    var place: Int
}

/// Decides between two senders: the lower rank is served first.
private struct Rank: Comparable {
    let isLater: Bool
    let wasLast: Bool
    let kind: Int
    let turn: Int
    let requester: Int
    let sender: Int

    static func < (one: Rank, other: Rank) -> Bool {
        if one.isLater != other.isLater { return other.isLater }
        if one.wasLast != other.wasLast { return other.wasLast }
        return (one.kind, one.turn, one.requester, one.sender) < (other.kind, other.turn, other.requester, other.sender)
    }
}

/// A bounded queue that serves its senders in turn, so that no sender can delay all others by filling it.
///
/// - Elements of one sender leave in the order they came.
/// - Requesters with little, up to two elements now and recently, go first, but every third turn is for those with more.
/// - Nobody is served twice in a row while others wait, and direct conversations and rooms alternate.
/// - Otherwise, the order is first come, first served. But each time a requester or target is served, the next 32 newcomers pass
///   it, and up to 24 more pass a requester with many elements waiting.
///
/// So a requester with little waits for about two elements, however many elements a dozen others have queued for however many
/// targets, and newcomers don't pass those who wait already. When the queue is empty, it forgets everything.
package struct FairQueue<Element: Sendable>: Sendable {
    /// The sender of an element.
    package typealias Sender = FairQueueSender

    private struct ElementQueue {
        var elements: [Element] = []
        /// The index of the first element that hasn't left.
        var head = 0

        var count: Int { elements.count - head }
        var first: Element? { head < elements.count ? elements[head] : nil }

        mutating func popFirst() -> Element {
            defer {
                head += 1
                if head * 2 > elements.count {
                    elements.removeFirst(head)
                    head = 0
                }
            }
            return elements[head]
        }

        mutating func prepend(_ element: Element) {
            if head > 0 {
                head -= 1
                elements[head] = element
            } else {
                elements.insert(element, at: 0)
            }
        }
    }

    /// The number of elements in the queue.
    package private(set) var count = 0
    private let limit: Int
    private var waiting: [Sender: ElementQueue] = [:]
    /// The senders that have elements, in the order of their first one, which decides between equal ranks.
    private var order: [Sender] = []
    /// The targets, requesters and senders that have elements.
    private var accounts: [TurnKey: Account] = [:]
    /// The places of those that have no elements and were served recently.
    private var places: [TurnKey: Int] = [:]
    private var servedPrivate = 0
    private var servedRoom = 0
    /// The requester that was served last.
    private var last: TurnKey?
    /// The number of requesters with little that were served in a row.
    private var littleInRow = 0
    /// The place at the end of the line.
    ///
    /// It moves on by one for each sender that is served or comes in.
    private var end = 0

    /// The number of newcomers that pass a requester or target after it was served.
    private static var setback: Int { 32 }
    /// The greatest number of further newcomers that pass a requester with many elements.
    private static var mostForLength: Int { 24 }
    private static var mostPlaces: Int { 256 }
    /// The number of elements, waiting and recently served, up to which a requester has little.
    private static var little: Int { 2 }

    /// - Parameter limit: The capacity, at least 1.
    package init(limit: Int) {
        self.limit = max(limit, 1)
    }

    package var isEmpty: Bool { count == 0 }

    /// All elements: those of one sender in order, senders in the order of their first element.
    package var elements: [Element] {
        order.flatMap { sender in waiting[sender].map { Array($0.elements[$0.head...]) } ?? [] }
    }

    /// The number of elements of a sender.
    package func count(of sender: Sender) -> Int { waiting[sender]?.count ?? 0 }

    /// The number of elements that a user has requested.
    package func count(requestedBy requester: String) -> Int { accounts[.requester(requester)]?.count ?? 0 }

    /// Appends an element.
    ///
    /// - Returns: The element that was dropped because the queue is full: the newest of the requester with most elements.
    package mutating func append(_ element: Element, from sender: Sender) -> Element? {
        enter(sender, isFirst: false)
        waiting[sender, default: ElementQueue()].elements.append(element)
        guard count > limit else { return nil }
        // The new element is only dropped if no other sender has more.
        let victim = longest(than: sender)
        leave(victim)
        let dropped = waiting[victim]?.elements.popLast()
        removeIfEmpty(victim)
        return dropped
    }

    /// Puts an element back before the others of its sender: the rest of one that was sent in part.
    package mutating func putBack(_ element: Element, from sender: Sender) {
        enter(sender, isFirst: true)
        waiting[sender, default: ElementQueue()].prepend(element)
    }

    /// Removes and returns the next element among the senders whose first element satisfies a condition.
    package mutating func popFirst(where fits: (Element) -> Bool = { _ in true }) -> Element? {
        var best: (sender: Sender, rank: Rank)?
        for sender in order {
            guard let first = waiting[sender]?.first, fits(first) else { continue }
            let rank = rank(of: sender)
            if let best, best.rank <= rank { continue }
            best = (sender, rank)
        }
        guard let sender = best?.sender, let element = waiting[sender]?.popFirst() else { return nil }
        end += 1
        if sender.isPrivate { servedPrivate = end } else { servedRoom = end }
        littleInRow = requestsLittle(sender) ? littleInRow + 1 : 0
        for turn in turns(of: sender) {
            let place = max(accounts[turn]?.place ?? end, end) + Self.setback
            accounts[turn]?.place = min(place, end + 8 * Self.setback)
        }
        last = sender.requesterTurn
        leave(sender)
        removeIfEmpty(sender)
        // An empty queue forgets who was served.
        if count == 0 { (places, littleInRow) = ([:], 0) }
        return element
    }

    /// Whether a sender's first element satisfies a condition, so that ``popFirst(where:)`` would return one.
    package func hasFirst(where fits: (Element) -> Bool) -> Bool {
        order.contains { waiting[$0]?.first.map(fits) ?? false }
    }

    /// Removes the elements that satisfy a condition, such as answers that have waited too long.
    ///
    /// - Returns: The number of removed elements.
    package mutating func removeAll(where matches: (Element) -> Bool) -> Int {
        let before = count
        for sender in order {
            guard let mine = waiting[sender] else { continue }
            let rest = mine.elements[mine.head...].filter { !matches($0) }
            for _ in rest.count..<mine.count { leave(sender) }
            waiting[sender] = ElementQueue(elements: rest)
        }
        for sender in order { removeIfEmpty(sender) }
        return before - count
    }

    /// Whether the requester has little waiting, and was served little recently.
    private func requestsLittle(_ sender: Sender) -> Bool {
        guard let account = accounts[sender.requesterTurn] else { return true }
        return account.count <= Self.little && account.place <= end + Self.little * Self.setback
    }

    private func rank(of sender: Sender) -> Rank {
        let account = accounts[sender.requesterTurn]
        let requester = (account?.place ?? 0) + min(account?.count ?? 0, Self.mostForLength)
        return Rank(
            isLater: requestsLittle(sender) == (littleInRow >= Self.little), wasLast: last == sender.requesterTurn,
            kind: sender.isPrivate ? servedPrivate : servedRoom,
            turn: max(accounts[sender.targetTurn]?.place ?? 0, requester), requester: requester,
            sender: accounts[.sender(sender)]?.place ?? 0)
    }

    /// Counts an element that is added.
    private mutating func enter(_ sender: Sender, isFirst: Bool) {
        count += 1
        if waiting[sender] == nil {
            if isFirst { order.insert(sender, at: 0) } else { order.append(sender) }
            end += 1
        }
        for turn in turns(of: sender) {
            if accounts[turn] == nil {
                accounts[turn] = Account(place: max(places.removeValue(forKey: turn) ?? end, end))
            }
            accounts[turn]?.count += 1
        }
    }

    /// Counts an element that is removed.
    private mutating func leave(_ sender: Sender) {
        count -= 1
        for turn in turns(of: sender) { accounts[turn]?.count -= 1 }
    }

    private func turns(of sender: Sender) -> [TurnKey] {
        let (target, requester) = (sender.targetTurn, sender.requesterTurn)
        return target == requester ? [target, .sender(sender)] : [target, requester, .sender(sender)]
    }

    /// Of the requester with most elements, the sender with most; the given sender if no other has more.
    private func longest(than sender: Sender) -> Sender {
        func length(_ sender: Sender) -> (Int, Int) { (accounts[sender.requesterTurn]?.count ?? 0, count(of: sender)) }
        var longest = sender
        for other in order where length(other) > length(longest) { longest = other }
        return longest
    }

    private mutating func removeIfEmpty(_ sender: Sender) {
        guard waiting[sender]?.count == 0 else { return }
        waiting[sender] = nil
        order.removeAll { $0 == sender }
        for turn in turns(of: sender) where accounts[turn]?.count == 0 {
            places[turn] = accounts.removeValue(forKey: turn)?.place
        }
        if places.count > Self.mostPlaces { places = places.filter { $0.value > end } }
    }
}
