import HeybotSupport
import HeybotTesting
import Testing

@Suite struct FairQueueTests {
    private typealias Queue = FairQueue<String>

    private func flow(_ requester: String?, _ target: String? = nil) -> Queue.Flow {
        let target = target ?? requester ?? ""
        return Queue.Flow(isPrivate: !target.hasPrefix("#"), target: target, requester: requester)
    }

    /// Appends a number of elements, named after the requester and numbered.
    private func put(_ count: Int, _ requester: String, _ target: String? = nil, into queue: inout Queue) {
        for number in 1...count {
            #expect(queue.append("\(requester) \(target ?? "") \(number)", in: flow(requester, target)) == nil)
        }
    }

    /// The number of elements served before the first of that requester.
    private func served(before requester: String, _ queue: inout Queue) -> Int {
        var count = 0
        while let element = queue.popFirst(), !element.hasPrefix(requester + " ") { count += 1 }
        return count
    }

    @Test func `elements of one flow leave in order`() {
        var queue = Queue(limit: 100)
        put(3, "ada", into: &queue)
        #expect(queue.popFirst() == "ada  1")
        queue.putBack("ada  1b", in: flow("ada"))
        #expect(queue.elements == ["ada  1b", "ada  2", "ada  3"])
        #expect((0..<4).map { _ in queue.popFirst() } == ["ada  1b", "ada  2", "ada  3", nil])
        #expect(queue.isEmpty)
    }

    @Test(arguments: [1, 5, 50]) func `a newcomer waits for one element, however much one user has queued`(rooms: Int) {
        var queue = Queue(limit: 10_000)
        put(40, "mallory", into: &queue)
        for room in 0..<rooms { put(20, "mallory", "#\(room)", into: &queue) }
        for _ in 0..<10 { _ = queue.popFirst() }
        put(1, "bob", "#0", into: &queue)
        #expect(served(before: "bob", &queue) <= 1)
        put(1, "carol", into: &queue)
        #expect(served(before: "carol", &queue) <= 1)
    }

    @Test func `requests while the queue was empty don't count later`() {
        var queue = Queue(limit: 1_000)
        for _ in 0..<10 {
            put(1, "bob", "#dev", into: &queue)
            _ = queue.popFirst()
        }
        for person in 0..<12 { put(12, "p\(person)", "#dev", into: &queue) }
        for _ in 0..<5 { _ = queue.popFirst() }
        put(1, "bob", "#dev", into: &queue)
        #expect(served(before: "bob", &queue) <= 2)
    }

    @Test(arguments: [0, 3, 20]) func `requesters with little pass a dozen with much`(already: Int) {
        var queue = Queue(limit: 1_000)
        for person in 0..<12 {
            put(12, "p\(person)", into: &queue)
            put(12, "p\(person)", "#dev", into: &queue)
        }
        for _ in 0..<already { _ = queue.popFirst() }
        put(2, "bob", "#dev", into: &queue)
        #expect(served(before: "bob", &queue) <= 3)
        put(1, "carol", into: &queue)
        #expect(served(before: "carol", &queue) <= 2)
        // Nevertheless, each of them has a turn.
        for _ in 0..<40 { put(1, "x", into: &queue) }
        #expect(served(before: "p11", &queue) <= 3 * 13)
    }

    @Test func `a user who asks for little passes a dozen with much, however often`() {
        var queue = Queue(limit: 1_000)
        for person in 0..<12 {
            put(3, "p\(person)", into: &queue)
            // As long as help.
            let flow = flow("p\(person)", "#dev")
            for number in 0..<5 { _ = queue.append("p\(person) \(number)", cost: 8, in: flow) }
        }
        for _ in 0..<20 {
            put(1, "bob", "#dev", into: &queue)
            #expect(served(before: "bob", &queue) <= 3)
        }
    }

    @Test func `the rest of a long element counts by its own length`() {
        var queue = Queue(limit: 1_000)
        for person in 0..<12 { _ = queue.append("p\(person) 12", cost: 12, in: flow("p\(person)")) }
        var order: [Substring] = []
        for _ in 0..<144 {
            guard let element = queue.popFirst() else { break }
            let words = element.split(separator: " ")
            order.append(words[0])
            let rest = (Int(words[1]) ?? 0) - 1
            if rest > 0 { queue.putBack("\(words[0]) \(rest)", cost: rest, in: flow(String(words[0]))) }
        }
        #expect(queue.isEmpty && order.count == 144)
        // Nobody is served twice in a row while others wait, and each has had a turn after three rounds.
        #expect(zip(order, order.dropFirst()).prefix(120).allSatisfy { $0 != $1 })
        #expect(Set(order.prefix(3 * 13)).count == 12)
    }

    /// Serves what is queued in parts, each of cost 1, which stay together; returns the requesters in the order of the parts.
    ///
    /// - Parameter later: A requester of something short, who comes after two parts.
    private func serveParts(_ queue: inout Queue, later: String? = nil) -> [String] {
        var order: [String] = []
        while let element = queue.popFirst(), order.count < 100 {
            let words = element.split(separator: " ").map(String.init)
            order.append(words[0])
            let rest = (Int(words[1]) ?? 0) - 1
            if rest > 0 {
                queue.putBack("\(words[0]) \(rest)", cost: rest, in: flow(words[0], "#dev"), staysTogether: true)
            }
            if order.count == 2, let later { _ = queue.append("\(later) 1", in: flow(later, "#dev")) }
        }
        return order
    }

    @Test func `the parts of a short element stay together, unless somebody waits for as little`() {
        var queue = Queue(limit: 100)
        for person in ["ada", "bob"] { _ = queue.append("\(person) 4", cost: 4, in: flow(person, "#dev")) }
        let (ada, bob) = (Array(repeating: "ada", count: 4), Array(repeating: "bob", count: 4))
        #expect(serveParts(&queue) == ada + bob)
        for person in ["ada", "bob"] { _ = queue.append("\(person) 4", cost: 4, in: flow(person, "#dev")) }
        let order = serveParts(&queue, later: "carol")
        #expect(order.prefix(3) == ["ada", "ada", "carol"] && order.count == 9, "\(order)")
    }

    @Test func `the rest of what was removed isn't mistaken for another element`() {
        var queue = Queue(limit: 100)
        _ = queue.append("ada 3", cost: 3, in: flow("ada", "#dev"))
        _ = queue.append("ada 9", cost: 9, in: flow("ada", "#dev"))
        #expect(queue.popFirst() == "ada 3")
        _ = queue.append("bob 10", cost: 10, in: flow("bob", "#dev"))
        queue.putBack("ada 2", cost: 2, in: flow("ada", "#dev"), staysTogether: true)
        #expect(queue.removeAll { $0 == "ada 2" } == 1)
        #expect(queue.popFirst() == "bob 10")
    }

    @Test func `the rest of what was dropped isn't mistaken for another element`() {
        var queue = Queue(limit: 2)
        #expect(queue.append("ada 5", cost: 5, in: flow("ada", "#dev")) == nil)
        #expect(queue.popFirst() == "ada 5")
        queue.putBack("ada 4", cost: 4, in: flow("ada", "#dev"), staysTogether: true)
        #expect(queue.append("bob 3", cost: 3, in: flow("bob", "#dev")) == nil)
        #expect(queue.append("carol 3", cost: 3, in: flow("carol", "#dev")) == "ada 4")
        #expect(queue.append("ada 1", cost: 1, in: flow("ada", "#dev")) == "bob 3")
        #expect(queue.popFirst() == "carol 3")
    }

    @Test func `newcomers don't pass those who wait already`() {
        var queue = Queue(limit: 10_000)
        put(1, "bob", into: &queue)
        _ = queue.popFirst()
        for person in 0..<10 { put(1, "early\(person)", into: &queue) }
        put(1, "bob", into: &queue)
        for person in 0..<1_000 { put(1, "late\(person)", into: &queue) }
        #expect(served(before: "bob", &queue) <= 10)
    }

    @Test func `a thousand direct conversations don't delay a room`() {
        var queue = Queue(limit: 10_000)
        for person in 0..<1_000 { put(1, "p\(person)", into: &queue) }
        for _ in 0..<3 { put(1, "bob", "#dev", into: &queue) }
        #expect(served(before: "bob", &queue) <= 2)
        #expect(served(before: "bob", &queue) <= 2)
    }

    @Test func `a user who asks again at once waits for at most one element of a flood`() {
        var queue = Queue(limit: 1_000)
        put(40, "mallory", into: &queue)
        put(40, "mallory", "#dev", into: &queue)
        for _ in 0..<2 {
            put(1, "bob", "#dev", into: &queue)
            #expect(served(before: "bob", &queue) <= 1)
        }
    }

    @Test func `an element that is put back waits for its turn`() {
        var queue = Queue(limit: 100)
        put(1, "mallory", "#dev", into: &queue)
        put(3, "bob", "#dev", into: &queue)
        put(3, "carol", "#dev", into: &queue)
        var order: [Substring] = []
        while let element = queue.popFirst(), order.count < 9 {
            order += element.split(separator: " ").prefix(1)
            if element.hasPrefix("mallory") { queue.putBack(element, in: flow("mallory", "#dev")) }
        }
        #expect(order.count { $0 == "mallory" } <= 5 && order.prefix(4).contains("bob"), "\(order)")
    }

    @Test func `if it is full, the newest of the requester with most is dropped, in however many rooms`() {
        var queue = Queue(limit: 10)
        for room in 0..<9 { put(1, "mallory", "#\(room)", into: &queue) }
        put(1, "bob", "#dev", into: &queue)
        #expect(queue.append("carol", in: flow("carol"))?.hasPrefix("mallory") == true)
        #expect(queue.append("mallory again", in: flow("mallory", "#0")) == "mallory again")
        #expect(queue.count == 10 && queue.cost(requestedBy: "mallory") == 8 && queue.count(of: flow("carol")) == 1)
    }

    @Test func `conditions decide what is taken out and what is removed`() {
        var queue = Queue(limit: 10)
        put(2, "ada", into: &queue)
        put(2, "bob", into: &queue)
        #expect(queue.hasFirst { $0.hasPrefix("bob") } && !queue.hasFirst { $0.hasSuffix("2") })
        #expect(queue.popFirst { $0.hasPrefix("bob") } == "bob  1")
        #expect(queue.popFirst { $0.hasSuffix("3") } == nil)
        #expect(queue.removeAll { $0.hasPrefix("ada") } == 2)
        #expect(queue.elements == ["bob  2"] && queue.count == 1 && !queue.isEmpty)
        #expect(queue.removeAll { _ in true } == 1)
        #expect(queue.isEmpty)
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `what waits alone is a turn like any other`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // An element that is never served keeps all others from waiting alone.
        var (queue, crowded) = (Queue(limit: 100), Queue(limit: 100))
        #expect(crowded.append("never", cost: 1_000_000, in: flow("never")) == nil)
        for number in 0..<60 {
            let who = flow(
                ["ada", "bob", "carol", nil].randomElement(using: &random) ?? nil,
                ["#a", "bob"].randomElement(using: &random))
            let cost = Int.random(in: 1...3, using: &random)
            if Int.random(in: 0..<5, using: &random) < 2 {
                #expect(queue.append("\(number)", cost: cost, in: who) == nil)
                #expect(crowded.append("\(number)", cost: cost, in: who) == nil)
            } else {
                let served = queue.popFirst()
                #expect(served == crowded.popFirst { $0 != "never" })
                guard served != nil, Bool.random(using: &random) else { continue }
                let staysTogether = Bool.random(using: &random)
                queue.putBack("\(number)", cost: cost, in: who, staysTogether: staysTogether)
                crowded.putBack("\(number)", cost: cost, in: who, staysTogether: staysTogether)
            }
            #expect(queue.count == crowded.count - 1 && queue.count(of: who) == crowded.count(of: who))
            #expect(queue.cost(requestedBy: "ada") == crowded.cost(requestedBy: "ada"))
            #expect(queue.isEmpty == (queue.count == 0))
            #expect(Set(queue.elements) == Set(crowded.elements).subtracting(["never"]))
        }
    }

    @Test func `it returns all elements, those of each flow in order`() {
        var random = SystemRandomNumberGenerator()
        var queue = Queue(limit: 100_000)
        var expected: [Queue.Flow: [String]] = [:]
        var found: [Queue.Flow: [String]] = [:]
        func take() {
            guard let element = queue.popFirst() else { return }
            let words = element.split(separator: " ").map(String.init)
            found[flow(words[0] == "-" ? nil : words[0], words[1]), default: []].append(element)
        }
        for number in 0..<2_000 {
            let requester = ["-", "ada", "bob", "carol"].randomElement(using: &random) ?? "-"
            let target = ["#a", "#b", "ada", "bob"].randomElement(using: &random) ?? "#a"
            let who = flow(requester == "-" ? nil : requester, target)
            #expect(queue.append("\(requester) \(target) \(number)", in: who) == nil)
            expected[who, default: []].append("\(requester) \(target) \(number)")
            if Bool.random(using: &random) { take() }
        }
        while !queue.isEmpty { take() }
        #expect(found == expected)
    }
}
