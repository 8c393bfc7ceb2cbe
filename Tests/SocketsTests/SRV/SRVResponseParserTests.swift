import Testing

@testable import HeybotSockets

@Suite struct SRVResponseParserTests {
    private func read(_ message: [UInt8]) throws -> [SRVRecord] {
        let name = try #require(DNSName("_s._tcp.a.org"))
        return try SRVResponseParser.records(in: message, for: name)
    }

    private func hosts(_ message: [UInt8]) throws -> [String] {
        try read(message).map { if case .host(let host) = $0.target { host } else { "." } }
    }

    @Test func `a record is parsed`() throws {
        let message = DNSMessage.answer([DNSMessage.service(DNSMessage.asked, 1, 2, 0xffff, DNSMessage.name("x.a.org"))]
        )
        #expect(try read(message) == [SRVRecord(priority: 1, weight: 2, port: 65_535, target: .host("x.a.org"))])
    }

    @Test func `names may be compressed`() throws {
        // In the question: _s at 12, _tcp at 15, a at 20, org at 22.
        let target = [1, UInt8(ascii: "X"), 0xc0, 20]
        let first = DNSMessage.service(DNSMessage.asked, 0, 0, 1, target)
        // The second one's points to the first one's, which points on.
        let second = DNSMessage.service(
            DNSMessage.asked, 0, 0, 2,
            [1, UInt8(ascii: "y"), 0xc0, UInt8(DNSMessage.head + DNSMessage.asked.count + 16)])
        #expect(try hosts(DNSMessage.answer([first, second])) == ["x.a.org", "y.x.a.org"])
    }

    @Test func `only records of that name count, in any case`() throws {
        let target = DNSMessage.name("x.a.org")
        #expect(
            try hosts(DNSMessage.answer([DNSMessage.service(DNSMessage.name("_S._TCP.A.ORG"), 0, 0, 1, target)])) == [
                "x.a.org"
            ])
        #expect(
            try hosts(DNSMessage.answer([DNSMessage.service(DNSMessage.name("_t._tcp.a.org"), 0, 0, 1, target)])) == [])
        #expect(try hosts(DNSMessage.answer([DNSMessage.service(DNSMessage.name("tcp.a.org"), 0, 0, 1, target)])) == [])
    }

    @Test func `only SRV records of class IN count`() throws {
        let data: [UInt8] = [0, 0, 0, 0, 0, 1] + DNSMessage.name("x.a.org")
        #expect(try hosts(DNSMessage.answer([DNSMessage.record(DNSMessage.asked, type: 33, class: 3, data)])) == [])
        #expect(try hosts(DNSMessage.answer([DNSMessage.record(DNSMessage.asked, type: 16, data)])) == [])
        let other = DNSMessage.record(DNSMessage.asked, type: 46, [1, 2, 3])
        #expect(
            try hosts(DNSMessage.answer([other, DNSMessage.record(DNSMessage.asked, type: 33, data)])) == ["x.a.org"])
    }

    @Test func `aliases are followed in any order, and loops end`() throws {
        let end = DNSMessage.service(DNSMessage.name("c.a.org"), 0, 0, 1, DNSMessage.name("x.a.org"))
        let first = DNSMessage.record(DNSMessage.asked, type: 5, DNSMessage.name("b.a.org"))
        let second = DNSMessage.record(DNSMessage.name("b.a.org"), type: 5, DNSMessage.name("C.a.org"))
        let round = DNSMessage.record(DNSMessage.name("c.a.org"), type: 5, DNSMessage.asked)
        #expect(try hosts(DNSMessage.answer([first, second, end])) == ["x.a.org"])
        #expect(try hosts(DNSMessage.answer([end, second, first])) == ["x.a.org"])
        #expect(try hosts(DNSMessage.answer([first, second, round, end])) == ["x.a.org"])
        #expect(try hosts(DNSMessage.answer([second, end])) == [])
    }

    @Test func `"not offered" counts only without other records`() throws {
        let no = DNSMessage.service(DNSMessage.asked, 1, 2, 3, [0])
        let yes = DNSMessage.service(DNSMessage.asked, 9, 0, 1, DNSMessage.name("x.a.org"))
        #expect(
            try read(DNSMessage.answer([no, no])) == [SRVRecord(priority: 1, weight: 2, port: 3, target: .notOffered)])
        #expect(try hosts(DNSMessage.answer([no, yes])) == ["x.a.org"])
    }

    @Test func `targets that aren't host names are skipped`() throws {
        let bad = [[1, 0x0a, 0], [3, 0x61, 0x2e, 0x62, 0], [2, 0xc3, 0xbc, 0], [1, 0x2a, 0]]
            .map { DNSMessage.service(DNSMessage.asked, 0, 0, 1, $0) }
        let good = DNSMessage.service(DNSMessage.asked, 0, 0, 1, DNSMessage.name("x.a.org"))
        #expect(try hosts(DNSMessage.answer(bad + [good])) == ["x.a.org"])
        #expect(throws: SRVResponseError.noHost) { try read(DNSMessage.answer(bad)) }
    }

    @Test func `the name server's errors are reported`() throws {
        #expect(try read(DNSMessage.answer([], flags: 0x8183)) == [])
        #expect(throws: SRVResponseError.code(2)) { try read(DNSMessage.answer([], flags: 0x8182)) }
        #expect(throws: SRVResponseError.incomplete) { try read(DNSMessage.answer([], flags: 0x8380)) }
        #expect(throws: SRVResponseError.noAnswer) { try read(DNSMessage.answer([], flags: 0x0100)) }
    }

    @Test func `a truncated message is an error`() throws {
        let message = DNSMessage.answer([DNSMessage.service(DNSMessage.asked, 1, 2, 3, DNSMessage.name("x.a.org"))])
        for count in 0..<message.count {
            #expect(throws: SRVResponseError.cutOff) { try read(Array(message[..<count])) }
        }
    }

    @Test func `record lengths must match`() throws {
        for change in [-1, 1] {
            var record = DNSMessage.service(DNSMessage.asked, 1, 2, 3, DNSMessage.name("x.a.org"))
            record[DNSMessage.asked.count + 9] = UInt8(Int(record[DNSMessage.asked.count + 9]) + change)
            #expect(throws: SRVResponseError.badLength) { try read(DNSMessage.answer([record, record])) }
        }
    }

    @Test func `pointers must lead backwards`() throws {
        // The target's offset: after the head, and the record's owner, ten bytes and three numbers.
        let place = DNSMessage.head + DNSMessage.asked.count + 16
        let targets: [[UInt8]] = [
            [0xc0, UInt8(place)], [0xc0, UInt8(place + 1)], [0xff, 0xff], [1, 0x61, 0xc0, UInt8(place)],
            [0x40, 0], [0x80, 0]
        ]
        for target in targets {
            let message = DNSMessage.answer([DNSMessage.service(DNSMessage.asked, 0, 0, 1, target), DNSMessage.asked])
            #expect(throws: SRVResponseError.badName, "\(target)") { try read(message) }
        }
    }

    @Test func `names are at most 255 bytes, even if compressed`() throws {
        let label = [63] + [UInt8](repeating: 0x61, count: 63)
        func target(_ last: UInt8) -> [UInt8] { label + label + label + [last] + label.suffix(Int(last)) + [0] }
        let records = { (last: UInt8) in
            DNSMessage.answer([DNSMessage.service(DNSMessage.asked, 0, 0, 1, target(last))])
        }
        #expect(try hosts(records(61)).first?.count == 253)
        #expect(throws: SRVResponseError.badName) { try read(records(62)) }
    }

    @Test func `the number of pointers is limited`() throws {
        // 8,000 pointers in an unrelated record, each to the one before, and a name that begins with the last.
        let start = DNSMessage.head + 11
        var chain: [UInt8] = [0]
        for index in 0..<8_000 {
            let target = 0xc000 | (index == 0 ? start : start + 2 * index - 1)
            chain += [UInt8(target >> 8), UInt8(target & 0xff)]
        }
        let last = 0xc000 | (start + chain.count - 2)
        let owner = [UInt8(last >> 8), UInt8(last & 0xff)]
        let message = DNSMessage.answer(
            [DNSMessage.record([0], type: 10, chain), DNSMessage.record(owner, type: 10, [])])
        #expect(throws: SRVResponseError.badName) { try read(message) }
    }
}
