import HeybotSupport
import Testing

@Suite struct FairQueueTests {
    private typealias Queue = FairQueue<String>

    private func sender(_ asker: String?, _ target: String? = nil) -> Queue.Sender {
        let target = target ?? asker ?? ""
        return Queue.Sender(isPrivate: !target.hasPrefix("#"), target: target, asker: asker)
    }

    /// Puts so many in, named after the asker and numbered.
    private func put(_ count: Int, _ asker: String, _ target: String? = nil, into queue: inout Queue) {
        for number in 1...count {
            #expect(queue.append("\(asker) \(target ?? "") \(number)", from: sender(asker, target)) == nil)
        }
    }

    /// How many are served before the first of that asker's.
    private func served(before asker: String, _ queue: inout Queue) -> Int {
        var count = 0
        while let element = queue.popFirst(), !element.hasPrefix(asker + " ") { count += 1 }
        return count
    }

    @Test func `elements of one sender leave in order`() {
        var queue = Queue(limit: 100)
        put(3, "ada", into: &queue)
        #expect(queue.popFirst() == "ada  1")
        queue.putBack("ada  1b", from: sender("ada"))
        #expect(queue.elements == ["ada  1b", "ada  2", "ada  3"])
        #expect((0..<4).map { _ in queue.popFirst() } == ["ada  1b", "ada  2", "ada  3", nil])
        #expect(queue.isEmpty)
    }

    @Test(arguments: [1, 5, 50]) func `whoever comes in is next but one, however much one person has queued`(rooms: Int)
    {
        var queue = Queue(limit: 10_000)
        put(40, "mallory", into: &queue)
        for room in 0..<rooms { put(20, "mallory", "#\(room)", into: &queue) }
        for _ in 0..<10 { _ = queue.popFirst() }
        put(1, "bob", "#0", into: &queue)
        #expect(served(before: "bob", &queue) <= 1)
        put(1, "carol", into: &queue)
        #expect(served(before: "carol", &queue) <= 1)
    }

    @Test func `what somebody asked for while nobody waited doesn't count against them`() {
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

    @Test(arguments: [0, 3, 20]) func `a dozen persons who ask for much let others pass`(already: Int) {
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
        // And yet each of them has a turn.
        for _ in 0..<40 { put(1, "x", into: &queue) }
        #expect(served(before: "p11", &queue) <= 30)
    }

    @Test func `strangers who come in don't pass those who wait already`() {
        var queue = Queue(limit: 10_000)
        put(1, "bob", into: &queue)
        _ = queue.popFirst()
        for person in 0..<10 { put(1, "early\(person)", into: &queue) }
        put(1, "bob", into: &queue)
        for person in 0..<1_000 { put(1, "late\(person)", into: &queue) }
        #expect(served(before: "bob", &queue) <= 10 + 32)
    }

    @Test func `a thousand private chats don't keep a room waiting`() {
        var queue = Queue(limit: 10_000)
        for person in 0..<1_000 { put(1, "p\(person)", into: &queue) }
        for _ in 0..<3 { put(1, "bob", "#dev", into: &queue) }
        #expect(served(before: "bob", &queue) <= 2)
        #expect(served(before: "bob", &queue) <= 2)
    }

    @Test func `whoever asks again at once waits for no more than one element of a flood`() {
        var queue = Queue(limit: 1_000)
        put(40, "mallory", into: &queue)
        put(40, "mallory", "#dev", into: &queue)
        for _ in 0..<2 {
            put(1, "bob", "#dev", into: &queue)
            #expect(served(before: "bob", &queue) <= 1)
        }
    }

    @Test func `what is put back waits its turn like anything else`() {
        var queue = Queue(limit: 100)
        put(1, "mallory", "#dev", into: &queue)
        put(3, "bob", "#dev", into: &queue)
        put(3, "carol", "#dev", into: &queue)
        var order: [Substring] = []
        while let element = queue.popFirst(), order.count < 9 {
            order += element.split(separator: " ").prefix(1)
            if element.hasPrefix("mallory") { queue.putBack(element, from: sender("mallory", "#dev")) }
        }
        #expect(order.count { $0 == "mallory" } <= 5 && order.prefix(4).contains("bob"), "\(order)")
    }

    @Test func `if it is full, whoever has most loses the newest, in however many rooms`() {
        var queue = Queue(limit: 10)
        for room in 0..<9 { put(1, "mallory", "#\(room)", into: &queue) }
        put(1, "bob", "#dev", into: &queue)
        #expect(queue.append("carol", from: sender("carol"))?.hasPrefix("mallory") == true)
        #expect(queue.append("mallory again", from: sender("mallory", "#0")) == "mallory again")
        #expect(queue.count == 10 && queue.count(askedBy: "mallory") == 8 && queue.count(of: sender("carol")) == 1)
    }

    @Test func `only what fits is taken, and what is too old goes`() {
        var queue = Queue(limit: 10)
        put(2, "ada", into: &queue)
        put(2, "bob", into: &queue)
        #expect(queue.hasFirst { $0.hasPrefix("bob") } && !queue.hasFirst { $0.hasSuffix("2") })
        #expect(queue.popFirst { $0.hasPrefix("bob") } == "bob  1")
        #expect(queue.popFirst { $0.hasSuffix("3") } == nil)
        #expect(queue.removeAll { $0.hasPrefix("ada") } == 2)
        #expect(queue.elements == ["bob  2"] && queue.count == 1)
    }

    @Test func `as a simple queue would, it gives out all that was put in, each sender's in order`() {
        var random = SystemRandomNumberGenerator()
        var queue = Queue(limit: 100_000)
        var expected: [Queue.Sender: [String]] = [:]
        var found: [Queue.Sender: [String]] = [:]
        func take() {
            guard let element = queue.popFirst() else { return }
            let words = element.split(separator: " ").map(String.init)
            found[sender(words[0] == "-" ? nil : words[0], words[1]), default: []].append(element)
        }
        for number in 0..<2_000 {
            let asker = ["-", "ada", "bob", "carol"].randomElement(using: &random) ?? "-"
            let target = ["#a", "#b", "ada", "bob"].randomElement(using: &random) ?? "#a"
            let who = sender(asker == "-" ? nil : asker, target)
            #expect(queue.append("\(asker) \(target) \(number)", from: who) == nil)
            expected[who, default: []].append("\(asker) \(target) \(number)")
            if Bool.random(using: &random) { take() }
        }
        while !queue.isEmpty { take() }
        #expect(found == expected)
    }
}
