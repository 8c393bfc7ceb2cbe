import HeybotSockets
import HeybotTesting
import TestServers
import Testing

@Suite struct SRVRecordOrderTests {
    private func record(_ priority: UInt16, _ weight: UInt16, _ host: String) -> SRVRecord {
        SRVRecord(priority: priority, weight: weight, port: 5222, target: .host(host))
    }

    private func hosts(_ records: [SRVRecord]) -> [String] {
        records.map { if case .host(let host) = $0.target { host } else { "." } }
    }

    /// The frequency of each order, out of 1.
    private func shares(_ records: [SRVRecord], seed: UInt64) async -> [[String]: Double] {
        var generator = SeededGenerator(seed: seed)
        let rounds = 20_000
        var shares: [[String]: Double] = [:]
        for round in 0..<rounds {
            if round.isMultiple(of: 500) { await Task.yield() }
            shares[hosts(SRVRecord.inOrder(records, using: &generator)), default: 0] += 1 / Double(rounds)
        }
        return shares
    }

    @Test func `lower priorities come first, whatever the weights`() {
        var generator = SeededGenerator(seed: 1)
        let records = [record(30, 65_535, "c"), record(10, 0, "a"), record(20, 9, "b"), record(65_535, 9, "d")]
        for _ in 0..<200 {
            #expect(hosts(SRVRecord.inOrder(records, using: &generator)) == ["a", "b", "c", "d"])
        }
    }

    @Test func `no record is lost or repeated`() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let records = (0..<generator.below(65)).map { index in
                record(UInt16(generator.below(3)), generator.pick([0, 0, 1, 5, 65_535]), "h\(index)")
            }
            let ordered = SRVRecord.inOrder(records, using: &generator)
            #expect(Set(ordered) == Set(records))
            #expect(ordered.count == records.count)
            #expect(ordered.map(\.priority) == ordered.map(\.priority).sorted())
        }
    }

    @Test func `a record comes first in proportion to its weight`() async {
        let records = [record(5, 100, "a"), record(5, 200, "b"), record(5, 700, "c")]
        let shares = await shares(records, seed: 3)
        // The first draw is out of 1000, the second out of the rest.
        let due = [
            ["a", "b", "c"]: 0.1 * 200 / 900, ["a", "c", "b"]: 0.1 * 700 / 900, ["b", "a", "c"]: 0.2 * 100 / 800,
            ["b", "c", "a"]: 0.2 * 700 / 800, ["c", "a", "b"]: 0.7 * 100 / 300, ["c", "b", "a"]: 0.7 * 200 / 300
        ]
        for (order, share) in due { #expect(abs(shares[order, default: 0] - share) < 0.01, "\(order)") }
    }

    @Test func `a record of weight 0 rarely comes first`() async {
        let shares = await shares([record(5, 9, "a"), record(5, 0, "zero"), record(5, 10, "b")], seed: 4)
        // It is drawn for one value of the 20 from 0 to 19.
        let first = shares.filter { $0.key.first == "zero" }.values.reduce(0, +)
        #expect(abs(first - 1.0 / 20) < 0.005)
    }

    @Test func `records of weight 0 are shuffled`() async {
        let shares = await shares([record(5, 0, "a"), record(5, 0, "b"), record(5, 0, "c")], seed: 5)
        #expect(shares.count == 6)
        for (order, share) in shares { #expect(abs(share - 1.0 / 6) < 0.01, "\(order)") }
    }

    @Test func `the same randomness gives the same order`() {
        let records = (0..<20).map { record(1, UInt16($0), "h\($0)") }
        var (one, other) = (SeededGenerator(seed: 6), SeededGenerator(seed: 6))
        #expect(SRVRecord.inOrder(records, using: &one) == SRVRecord.inOrder(records, using: &other))
        #expect(SRVRecord.inOrder([], using: &one) == [])
    }
}
