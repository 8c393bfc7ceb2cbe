import Testing

@testable import HeybotSockets

@Suite struct ServiceAnswerTests {
    private func read(_ message: [UInt8]) throws -> [ServiceRecord] {
        let name = try #require(DomainName("_s._tcp.a.org"))
        return try ServiceAnswer.records(in: message, for: name)
    }

    private func hosts(_ message: [UInt8]) throws -> [String] {
        try read(message).map { if case .host(let host) = $0.target { host } else { "." } }
    }

    @Test func `a record is read`() throws {
        let message = Message.answer([Message.service(Message.asked, 1, 2, 0xffff, Message.name("x.a.org"))])
        #expect(try read(message) == [ServiceRecord(priority: 1, weight: 2, port: 65_535, target: .host("x.a.org"))])
    }

    @Test func `names may be pointed to, in parts`() throws {
        // In the question: _s at 12, _tcp at 15, a at 20, org at 22.
        let target = [1, UInt8(ascii: "X"), 0xc0, 20]
        let first = Message.service(Message.asked, 0, 0, 1, target)
        // The second one's leads to the first one's, which leads on.
        let second = Message.service(
            Message.asked, 0, 0, 2, [1, UInt8(ascii: "y"), 0xc0, UInt8(Message.head + Message.asked.count + 16)])
        #expect(try hosts(Message.answer([first, second])) == ["x.a.org", "y.x.a.org"])
    }

    @Test func `only records of that name count, in any case`() throws {
        let target = Message.name("x.a.org")
        #expect(
            try hosts(Message.answer([Message.service(Message.name("_S._TCP.A.ORG"), 0, 0, 1, target)])) == ["x.a.org"])
        #expect(try hosts(Message.answer([Message.service(Message.name("_t._tcp.a.org"), 0, 0, 1, target)])) == [])
        #expect(try hosts(Message.answer([Message.service(Message.name("tcp.a.org"), 0, 0, 1, target)])) == [])
    }

    @Test func `only service records of the Internet count`() throws {
        let data: [UInt8] = [0, 0, 0, 0, 0, 1] + Message.name("x.a.org")
        #expect(try hosts(Message.answer([Message.record(Message.asked, type: 33, class: 3, data)])) == [])
        #expect(try hosts(Message.answer([Message.record(Message.asked, type: 16, data)])) == [])
        let other = Message.record(Message.asked, type: 46, [1, 2, 3])
        #expect(try hosts(Message.answer([other, Message.record(Message.asked, type: 33, data)])) == ["x.a.org"])
    }

    @Test func `aliases are followed in any order, and don't go round for ever`() throws {
        let end = Message.service(Message.name("c.a.org"), 0, 0, 1, Message.name("x.a.org"))
        let first = Message.record(Message.asked, type: 5, Message.name("b.a.org"))
        let second = Message.record(Message.name("b.a.org"), type: 5, Message.name("C.a.org"))
        let round = Message.record(Message.name("c.a.org"), type: 5, Message.asked)
        #expect(try hosts(Message.answer([first, second, end])) == ["x.a.org"])
        #expect(try hosts(Message.answer([end, second, first])) == ["x.a.org"])
        #expect(try hosts(Message.answer([first, second, round, end])) == ["x.a.org"])
        #expect(try hosts(Message.answer([second, end])) == [])
    }

    @Test func `one that isn't offered counts where there is no other`() throws {
        let no = Message.service(Message.asked, 1, 2, 3, [0])
        let yes = Message.service(Message.asked, 9, 0, 1, Message.name("x.a.org"))
        #expect(
            try read(Message.answer([no, no])) == [ServiceRecord(priority: 1, weight: 2, port: 3, target: .notOffered)])
        #expect(try hosts(Message.answer([no, yes])) == ["x.a.org"])
    }

    @Test func `targets that are no hosts are left out`() throws {
        let bad = [[1, 0x0a, 0], [3, 0x61, 0x2e, 0x62, 0], [2, 0xc3, 0xbc, 0], [1, 0x2a, 0]]
            .map { Message.service(Message.asked, 0, 0, 1, $0) }
        let good = Message.service(Message.asked, 0, 0, 1, Message.name("x.a.org"))
        #expect(try hosts(Message.answer(bad + [good])) == ["x.a.org"])
        #expect(throws: AnswerError.noHost) { try read(Message.answer(bad)) }
    }

    @Test func `errors of the name server are told`() throws {
        #expect(try read(Message.answer([], flags: 0x8183)) == [])
        #expect(throws: AnswerError.code(2)) { try read(Message.answer([], flags: 0x8182)) }
        #expect(throws: AnswerError.incomplete) { try read(Message.answer([], flags: 0x8380)) }
        #expect(throws: AnswerError.noAnswer) { try read(Message.answer([], flags: 0x0100)) }
    }

    @Test func `a message that ends too early is an error, wherever it ends`() throws {
        let message = Message.answer([Message.service(Message.asked, 1, 2, 3, Message.name("x.a.org"))])
        for count in 0..<message.count {
            #expect(throws: AnswerError.cutOff) { try read(Array(message[..<count])) }
        }
    }

    @Test func `lengths must be right`() throws {
        for change in [-1, 1] {
            var record = Message.service(Message.asked, 1, 2, 3, Message.name("x.a.org"))
            record[Message.asked.count + 9] = UInt8(Int(record[Message.asked.count + 9]) + change)
            #expect(throws: AnswerError.badLength) { try read(Message.answer([record, record])) }
        }
    }

    @Test func `pointers only lead backwards`() throws {
        // Where the target is: after the head, and the record's owner, ten bytes and three numbers.
        let place = Message.head + Message.asked.count + 16
        let targets: [[UInt8]] = [
            [0xc0, UInt8(place)], [0xc0, UInt8(place + 1)], [0xff, 0xff], [1, 0x61, 0xc0, UInt8(place)],
            [0x40, 0], [0x80, 0]
        ]
        for target in targets {
            let message = Message.answer([Message.service(Message.asked, 0, 0, 1, target), Message.asked])
            #expect(throws: AnswerError.badName, "\(target)") { try read(message) }
        }
    }

    @Test func `names are at most 255 bytes, however they are made up`() throws {
        let label = [63] + [UInt8](repeating: 0x61, count: 63)
        func target(_ last: UInt8) -> [UInt8] { label + label + label + [last] + label.suffix(Int(last)) + [0] }
        let records = { (last: UInt8) in Message.answer([Message.service(Message.asked, 0, 0, 1, target(last))]) }
        #expect(try hosts(records(61)).first?.count == 253)
        #expect(throws: AnswerError.badName) { try read(records(62)) }
    }

    @Test func `a chain of pointers comes to an end`() throws {
        // 8,000 of them in a record of no interest, each to the one before, and a name that begins with the last.
        let start = Message.head + 11
        var chain: [UInt8] = [0]
        for index in 0..<8_000 {
            let target = 0xc000 | (index == 0 ? start : start + 2 * index - 1)
            chain += [UInt8(target >> 8), UInt8(target & 0xff)]
        }
        let last = 0xc000 | (start + chain.count - 2)
        let owner = [UInt8(last >> 8), UInt8(last & 0xff)]
        let message = Message.answer(
            [Message.record([0], type: 10, chain), Message.record(owner, type: 10, [])])
        #expect(throws: AnswerError.badName) { try read(message) }
    }
}
