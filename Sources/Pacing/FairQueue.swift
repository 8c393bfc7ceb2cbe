/// A bounded queue that serves its senders in turn, so that nobody can delay everybody else by filling it.
///
/// Elements of one sender leave in the order they came. Between senders, whoever was served longest ago goes first: private
/// chats and rooms alternate, so do the targets within each, and so do the askers within a target. Somebody who hasn't been
/// served yet therefore waits for one element, however much the others have queued.
public struct FairQueue<Element: Sendable>: Sendable {
    /// Whose turn it is: what an element is accounted to.
    public struct Sender: Hashable, Sendable {
        /// Whether the target is one person rather than a room.
        public var isPrivate: Bool
        /// The room or person that the element is for.
        public var target: String
        /// The person whose message caused it; nil if nobody's did.
        public var asker: String?

        public init(isPrivate: Bool, target: String, asker: String? = nil) {
            self.isPrivate = isPrivate
            self.target = target
            self.asker = asker
        }
    }

    /// A level of the hierarchy that takes turns.
    private enum Turn: Hashable {
        case kind(isPrivate: Bool)
        case target(String, isPrivate: Bool)
        case sender(Sender)
    }

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
    }

    /// The number of elements that wait.
    public private(set) var count = 0
    private let limit: Int
    private var waiting: [Sender: Waiting] = [:]
    /// The senders that have elements, in the order of their first one: what decides between equals.
    private var order: [Sender] = []
    /// When each level was served last, counted in elements.
    private var served: [Turn: UInt64] = [:]
    private var clock: UInt64 = 0

    /// - Parameter limit: The most elements that wait; at least 1.
    public init(limit: Int) {
        self.limit = max(limit, 1)
    }

    public var isEmpty: Bool { count == 0 }

    /// The elements that wait, each sender's in order, senders in the order of their first element.
    public var elements: [Element] {
        order.flatMap { sender in waiting[sender].map { Array($0.elements[$0.head...]) } ?? [] }
    }

    /// The number of elements that a sender has waiting.
    public func count(of sender: Sender) -> Int { waiting[sender]?.count ?? 0 }

    /// Puts an element behind the others of its sender.
    ///
    /// - Returns: The element that had to go because the queue is full: the newest of the sender that has most.
    public mutating func append(_ element: Element, from sender: Sender) -> Element? {
        if waiting[sender] == nil { order.append(sender) }
        waiting[sender, default: Waiting()].elements.append(element)
        count += 1
        guard count > limit, let longest = order.max(by: { count(of: $0) < count(of: $1) }) else { return nil }
        // The newcomer isn't the one to go as long as somebody has more.
        let victim = count(of: longest) > count(of: sender) ? longest : sender
        count -= 1
        let dropped = waiting[victim]?.elements.popLast()
        removeIfEmpty(victim)
        return dropped
    }

    /// Puts an element before the others, to be taken next: the rest of one that was taken in part.
    public mutating func putBack(_ element: Element, from sender: Sender) {
        if waiting[sender] == nil { order.insert(sender, at: 0) }
        var mine = waiting[sender] ?? Waiting()
        mine.elements.replaceSubrange(..<mine.head, with: [element])
        mine.head = 0
        waiting[sender] = mine
        count += 1
    }

    /// Takes the next element: of those whose first element fits, the one whose turn it is.
    public mutating func popFirst(where fits: (Element) -> Bool = { _ in true }) -> Element? {
        var best: (sender: Sender, turn: (UInt64, UInt64, UInt64))?
        for sender in order {
            guard let first = waiting[sender]?.first, fits(first) else { continue }
            let turn = turn(of: sender)
            if let best, best.turn <= turn { continue }
            best = (sender, turn)
        }
        guard let sender = best?.sender, let element = waiting[sender]?.popFirst() else { return nil }
        count -= 1
        serve(sender)
        removeIfEmpty(sender)
        return element
    }

    /// Whether some sender's first element fits, so that ``popFirst(where:)`` would find one.
    public func hasFirst(where fits: (Element) -> Bool) -> Bool {
        order.contains { waiting[$0]?.first.map(fits) ?? false }
    }

    /// Removes the elements that match, such as answers that have waited too long.
    ///
    /// - Returns: How many were removed.
    public mutating func removeAll(where matches: (Element) -> Bool) -> Int {
        let before = count
        for sender in order {
            guard var mine = waiting[sender] else { continue }
            let rest = mine.elements[mine.head...].filter { !matches($0) }
            count -= mine.count - rest.count
            mine = Waiting(elements: rest)
            waiting[sender] = mine
        }
        for sender in order { removeIfEmpty(sender) }
        return before - count
    }

    private func turn(of sender: Sender) -> (UInt64, UInt64, UInt64) {
        (
            served[.kind(isPrivate: sender.isPrivate)] ?? 0,
            served[.target(sender.target, isPrivate: sender.isPrivate)] ?? 0, served[.sender(sender)] ?? 0
        )
    }

    private mutating func serve(_ sender: Sender) {
        clock += 1
        served[.kind(isPrivate: sender.isPrivate)] = clock
        served[.target(sender.target, isPrivate: sender.isPrivate)] = clock
        served[.sender(sender)] = clock
        // Whoever was served longest ago counts as never served: that only brings them forward.
        if served.count > 4 * limit + 1_000 {
            let oldest = clock - UInt64(min(UInt64(limit), clock))
            served = served.filter { $0.value >= oldest }
        }
    }

    private mutating func removeIfEmpty(_ sender: Sender) {
        guard waiting[sender]?.count == 0 else { return }
        waiting[sender] = nil
        order.removeAll { $0 == sender }
    }
}
