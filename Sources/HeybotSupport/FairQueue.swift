/// Whose turn it is: what an element is accounted to.
package struct FairQueueSender: Hashable, Sendable {
    /// Whether the target is one person rather than a room.
    package var isPrivate: Bool
    /// The room or person that the element is for.
    package var target: String
    /// The person whose message caused it; nil if nobody's did.
    package var asker: String?

    package init(isPrivate: Bool, target: String, asker: String? = nil) {
        self.isPrivate = isPrivate
        self.target = target
        self.asker = asker
    }

    fileprivate var targetTurn: Turn { .target(target, isPrivate: isPrivate) }
    /// What nobody asked for takes turns by its target.
    fileprivate var askerTurn: Turn { asker.map(Turn.asker) ?? .target(target, isPrivate: isPrivate) }
}

// These types aren't nested in the queue: it is generic, and the runtime looks up a generic type's nested types at each use.

/// Those that take turns.
private enum Turn: Hashable {
    case target(String, isPrivate: Bool)
    case asker(String)
    case sender(FairQueueSender)
}

/// How many elements of a target or asker wait, and its place in the line.
private struct Account {
    var count = 0
    var place: Int
}

/// What decides between two senders: the lower is served first.
private struct Rank: Comparable {
    let isLater: Bool
    let wasLast: Bool
    let kind: Int
    let turn: Int
    let asker: Int
    let sender: Int

    static func < (one: Rank, other: Rank) -> Bool {
        if one.isLater != other.isLater { return other.isLater }
        if one.wasLast != other.wasLast { return other.wasLast }
        return (one.kind, one.turn, one.asker, one.sender) < (other.kind, other.turn, other.asker, other.sender)
    }
}

/// A bounded queue that serves its senders in turn, so that nobody can delay everybody else by filling it.
///
/// Elements of one sender leave in the order they came. Those who ask for little, up to two elements now and lately, go first,
/// but every third turn is for those who ask for more. Beyond that nobody is served twice in a row while somebody else waits,
/// and private chats and rooms alternate. Among those of one kind it is first come, first served, but each time that somebody
/// was served, as asker or as target, lets the next 32 who come pass, and whoever has many elements waiting up to 24 more. So
/// somebody who asks for little waits for about two elements, however much a dozen others have queued and for however many
/// targets, and a crowd that comes in doesn't pass those who wait already. When nobody waits, all that is forgotten.
package struct FairQueue<Element: Sendable>: Sendable {
    /// Whose turn it is.
    package typealias Sender = FairQueueSender

    private struct Waiting {
        var elements: [Element] = []
        /// Elements before this index have left.
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

    /// The number of elements that wait.
    package private(set) var count = 0
    private let limit: Int
    private var waiting: [Sender: Waiting] = [:]
    /// The senders that have elements, in the order of their first one: what decides between equals.
    private var order: [Sender] = []
    /// The targets, askers and senders that have elements.
    private var accounts: [Turn: Account] = [:]
    /// The places of those that have nothing waiting and were served lately.
    private var places: [Turn: Int] = [:]
    private var servedPrivate = 0
    private var servedRoom = 0
    /// Who was served last.
    private var last: Turn?
    /// How many were served in a row who ask for little.
    private var littleInRow = 0
    /// The place at the end of the line: one further for each who is served or comes in.
    private var end = 0

    /// How many pass somebody who was served lately.
    private static var setback: Int { 32 }
    /// How many more pass somebody who has much waiting.
    private static var mostForLength: Int { 24 }
    private static var mostPlaces: Int { 256 }
    /// Up to so many elements are little, for somebody who was served no more often lately.
    private static var little: Int { 2 }

    /// - Parameter limit: The most elements that wait; at least 1.
    package init(limit: Int) {
        self.limit = max(limit, 1)
    }

    package var isEmpty: Bool { count == 0 }

    /// The elements that wait, each sender's in order, senders in the order of their first element.
    package var elements: [Element] {
        order.flatMap { sender in waiting[sender].map { Array($0.elements[$0.head...]) } ?? [] }
    }

    /// The number of elements that a sender has waiting.
    package func count(of sender: Sender) -> Int { waiting[sender]?.count ?? 0 }

    /// The number of elements that wait because of a person.
    package func count(askedBy asker: String) -> Int { accounts[.asker(asker)]?.count ?? 0 }

    /// Puts an element behind the others of its sender.
    ///
    /// - Returns: The element that had to go because the queue is full: the newest of whoever has most.
    package mutating func append(_ element: Element, from sender: Sender) -> Element? {
        enter(sender, isFirst: false)
        waiting[sender, default: Waiting()].elements.append(element)
        guard count > limit else { return nil }
        // The newcomer isn't the one to go as long as somebody has more.
        let victim = longest(than: sender)
        leave(victim)
        let dropped = waiting[victim]?.elements.popLast()
        removeIfEmpty(victim)
        return dropped
    }

    /// Puts an element before the others of its sender: the rest of one that was taken in part.
    package mutating func putBack(_ element: Element, from sender: Sender) {
        enter(sender, isFirst: true)
        waiting[sender, default: Waiting()].prepend(element)
    }

    /// Takes the next element: of those whose first element fits, the one whose turn it is.
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
        littleInRow = asksLittle(sender) ? littleInRow + 1 : 0
        for turn in turns(of: sender) {
            let place = max(accounts[turn]?.place ?? end, end) + Self.setback
            accounts[turn]?.place = min(place, end + 8 * Self.setback)
        }
        last = sender.askerTurn
        leave(sender)
        removeIfEmpty(sender)
        // What was said before made nobody wait.
        if count == 0 { (places, littleInRow) = ([:], 0) }
        return element
    }

    /// Whether some sender's first element fits, so that ``popFirst(if:)`` would find one.
    package func hasFirst(where fits: (Element) -> Bool) -> Bool {
        order.contains { waiting[$0]?.first.map(fits) ?? false }
    }

    /// Removes the elements that match, such as answers that have waited too long.
    ///
    /// - Returns: How many were removed.
    package mutating func removeAll(where matches: (Element) -> Bool) -> Int {
        let before = count
        for sender in order {
            guard let mine = waiting[sender] else { continue }
            let rest = mine.elements[mine.head...].filter { !matches($0) }
            for _ in rest.count..<mine.count { leave(sender) }
            waiting[sender] = Waiting(elements: rest)
        }
        for sender in order { removeIfEmpty(sender) }
        return before - count
    }

    /// Whether little waits for the asker, who has had little lately.
    private func asksLittle(_ sender: Sender) -> Bool {
        guard let account = accounts[sender.askerTurn] else { return true }
        return account.count <= Self.little && account.place <= end + Self.little * Self.setback
    }

    private func rank(of sender: Sender) -> Rank {
        let account = accounts[sender.askerTurn]
        let asker = (account?.place ?? 0) + min(account?.count ?? 0, Self.mostForLength)
        return Rank(
            isLater: asksLittle(sender) == (littleInRow >= Self.little), wasLast: last == sender.askerTurn,
            kind: sender.isPrivate ? servedPrivate : servedRoom,
            turn: max(accounts[sender.targetTurn]?.place ?? 0, asker), asker: asker,
            sender: accounts[.sender(sender)]?.place ?? 0)
    }

    /// Counts one more element.
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

    private mutating func leave(_ sender: Sender) {
        count -= 1
        for turn in turns(of: sender) { accounts[turn]?.count -= 1 }
    }

    private func turns(of sender: Sender) -> [Turn] {
        let (target, asker) = (sender.targetTurn, sender.askerTurn)
        return target == asker ? [target, .sender(sender)] : [target, asker, .sender(sender)]
    }

    /// The sender whose asker has most elements, and of that asker's the one that has most; the given one if none has more.
    private func longest(than sender: Sender) -> Sender {
        func length(_ sender: Sender) -> (Int, Int) { (accounts[sender.askerTurn]?.count ?? 0, count(of: sender)) }
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
