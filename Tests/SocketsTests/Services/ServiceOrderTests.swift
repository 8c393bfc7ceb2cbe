import HeybotSockets
import HeybotTesting
import TestServers
import Testing

@Suite struct ServiceOrderTests {
    private func record(_ priority: UInt16, _ weight: UInt16, _ host: String) -> ServiceRecord {
        ServiceRecord(priority: priority, weight: weight, port: 5222, target: .host(host))
    }

    private func hosts(_ records: [ServiceRecord]) -> [String] {
        records.map { if case .host(let host) = $0.target { host } else { "." } }
    }

    /// How often each order comes, out of 1.
    private func shares(_ records: [ServiceRecord], seed: UInt64) async -> [[String]: Double] {
        var generator = SeededGenerator(seed: seed)
        let rounds = 20_000
        var shares: [[String]: Double] = [:]
        for round in 0..<rounds {
            if round.isMultiple(of: 500) { await Task.yield() }
            shares[hosts(ServiceRecord.inOrder(records, using: &generator)), default: 0] += 1 / Double(rounds)
        }
        return shares
    }

    @Test func `lower priorities come first, whatever the weights`() {
        var generator = SeededGenerator(seed: 1)
        let records = [record(30, 65_535, "c"), record(10, 0, "a"), record(20, 9, "b"), record(65_535, 9, "d")]
        for _ in 0..<200 {
            #expect(hosts(ServiceRecord.inOrder(records, using: &generator)) == ["a", "b", "c", "d"])
        }
    }

    @Test func `none are lost, and none come twice`() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let records = (0..<generator.below(65)).map { index in
                record(UInt16(generator.below(3)), generator.pick([0, 0, 1, 5, 65_535]), "h\(index)")
            }
            let ordered = ServiceRecord.inOrder(records, using: &generator)
            #expect(Set(ordered) == Set(records))
            #expect(ordered.count == records.count)
            #expect(ordered.map(\.priority) == ordered.map(\.priority).sorted())
        }
    }

    @Test func `the heavier one comes first as often as it is heavier`() async {
        let records = [record(5, 100, "a"), record(5, 200, "b"), record(5, 700, "c")]
        let shares = await shares(records, seed: 3)
        // The first draw is out of 1000, the second out of what is left.
        let due = [
            ["a", "b", "c"]: 0.1 * 200 / 900, ["a", "c", "b"]: 0.1 * 700 / 900, ["b", "a", "c"]: 0.2 * 100 / 800,
            ["b", "c", "a"]: 0.2 * 700 / 800, ["c", "a", "b"]: 0.7 * 100 / 300, ["c", "b", "a"]: 0.7 * 200 / 300
        ]
        for (order, share) in due { #expect(abs(shares[order, default: 0] - share) < 0.01, "\(order)") }
    }

    @Test func `one of weight 0 comes first seldom, but it does`() async {
        let shares = await shares([record(5, 9, "a"), record(5, 0, "zero"), record(5, 10, "b")], seed: 4)
        // One draw out of the 20 from 0 to 19 is its.
        let first = shares.filter { $0.key.first == "zero" }.values.reduce(0, +)
        #expect(abs(first - 1.0 / 20) < 0.005)
    }

    @Test func `those of weight 0 take turns`() async {
        let shares = await shares([record(5, 0, "a"), record(5, 0, "b"), record(5, 0, "c")], seed: 5)
        #expect(shares.count == 6)
        for (order, share) in shares { #expect(abs(share - 1.0 / 6) < 0.01, "\(order)") }
    }

    @Test func `the same chance gives the same order`() {
        let records = (0..<20).map { record(1, UInt16($0), "h\($0)") }
        var (one, other) = (SeededGenerator(seed: 6), SeededGenerator(seed: 6))
        #expect(ServiceRecord.inOrder(records, using: &one) == ServiceRecord.inOrder(records, using: &other))
        #expect(ServiceRecord.inOrder([], using: &one) == [])
    }
}
