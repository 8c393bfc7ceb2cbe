import Foundation
import HeybotTesting
import TestServers
import Testing

@testable import HeybotSockets

/// Any response gives usable records or an error.
///
/// 10,000 messages, or 1,000,000 with `bin/test --soak`.
@Suite struct SRVResponseParserFuzzTests {
    private static let rounds = Soak.rounds(2_500, soak: 250_000)

    private static let good: [[UInt8]] = [
        DNSMessage.answer([
            DNSMessage.service(DNSMessage.asked, 10, 20, 5222, DNSMessage.name("x.a.org")),
            DNSMessage.service([0xc0, 12], 10, 0, 5222, [1, 0x79, 0xc0, 20]),
            DNSMessage.service([0xc0, 12], 9, 0, 0, [0])
        ]),
        DNSMessage.answer([
            DNSMessage.record([0xc0, 12], type: 5, DNSMessage.name("b.a.org")),
            DNSMessage.service(DNSMessage.name("b.a.org"), 1, 2, 3, DNSMessage.name("host.example.net")),
            DNSMessage.record([0xc0, 12], type: 46, [1, 2, 3])
        ])
    ]

    private static let long = DNSMessage.answer(
        (0..<70).map { DNSMessage.service([0xc0, 12], UInt16($0), 0, 5222, [1, 0x79, 0xc0, 20]) })

    private static let pieces: [[UInt8]] = [
        [0], [0xc0], [0xc0, 12], [0xc0, 0], [0xff, 0xff], [0, 33, 0, 1], [63], DNSMessage.asked,
        DNSMessage.name("x.a.org"),
        DNSMessage.service([0xc0, 12], 1, 1, 1, DNSMessage.name("x.a.org")),
        DNSMessage.record([0xc0, 12], type: 5, [0xc0, 15])
    ]

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `no message crashes the parser`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let name = try #require(DNSName("_s._tcp.a.org"))
        var (read, used) = (0, 0)
        for round in 0..<Self.rounds {
            if round.isMultiple(of: 50) { await Task.yield() }
            let message = Self.message(&random)
            guard let records = try? SRVResponseParser.records(in: message, for: name) else { continue }
            read += 1
            used += records.isEmpty ? 0 : 1
            try #require(Self.areFine(records), "\(message)")
        }
        // Enough of them must be valid, and enough invalid.
        #expect(read > Self.rounds / 20)
        #expect(read < Self.rounds * 19 / 20)
        #expect(used > Self.rounds / 40)
    }

    private static func areFine(_ records: [SRVRecord]) -> Bool {
        let hosts = records.compactMap { record in
            if case .host(let host) = record.target { host } else { nil }
        }
        guard hosts.count == records.count else { return records.count == 1 }
        return records.count <= 64
            && hosts.allSatisfy { host in
                (1...253).contains(host.utf8.count) && !host.hasSuffix(".")
                    && host.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            }
    }

    private static func message(_ random: inout SeededGenerator) -> [UInt8] {
        if random.below(20) == 0 { return (0..<random.below(80)).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
        // Long ones take a long time.
        var bytes = random.below(30) == 0 ? long : random.pick(good)
        for _ in 0...random.below(4) {
            let place = random.below(bytes.count)
            switch random.below(6) {
            case 0: bytes.insert(contentsOf: random.pick(pieces), at: place)
            case 1, 2: if !bytes.isEmpty { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
            case 3: if !bytes.isEmpty { bytes[place] ^= 1 << UInt8(random.below(8)) }
            case 4: bytes.removeSubrange(place..<min(place + random.below(6), bytes.count))
            default: if random.below(4) == 0 { bytes.removeSubrange(place...) }
            }
        }
        return bytes
    }
}
