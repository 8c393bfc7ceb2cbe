import Testing

@testable import HeybotWebServer

@Suite struct BodyEvictionPolicyTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    @Test func `one client of one route gets a third, however many bodies it sends`() {
        var shares = BodyEvictionPolicy(total: 300)
        var held = 0
        for _ in 0..<40 {
            let id = shares.begin(route: "a", client: "eve", start)
            if shares.reserve(10, for: id, start).isGranted { held += 10 }
        }
        #expect(held == 100)
        #expect(shares.held == 100)
    }

    @Test func `a route leaves as much free for the others as it takes itself`() {
        var shares = BodyEvictionPolicy(total: 300)
        for client in 0..<100 {
            let id = shares.begin(route: "a", client: "\(client)", start)
            _ = shares.reserve(10, for: id, start)
        }
        #expect(shares.held == 140)
        let other = shares.begin(route: "b", client: "0", start)
        #expect(shares.reserve(50, for: other, start) == .init(isGranted: true, evicted: []))
    }

    @Test func `only the slowest competing body is evicted`() {
        var shares = BodyEvictionPolicy(total: 300)
        let stalled = shares.begin(route: "a", client: "eve", at(0))
        let steady = shares.begin(route: "a", client: "eve", at(0))
        _ = shares.reserve(60, for: stalled, at(0))
        for second in 0..<4 { _ = shares.reserve(10, for: steady, at(second)) }
        let elsewhere = shares.begin(route: "b", client: "bob", at(0))
        _ = shares.reserve(1, for: elsewhere, at(0))

        let fresh = shares.begin(route: "a", client: "eve", at(4))
        #expect(shares.reserve(50, for: fresh, at(4)) == .init(isGranted: true, evicted: [stalled]))
        #expect(shares.reserve(1, for: stalled, at(4)) == .init(isGranted: false, evicted: []))
        #expect(shares.held == 91)
    }

    @Test func `a body that is slower than its competitors is refused`() {
        var shares = BodyEvictionPolicy(total: 300)
        let quick = shares.begin(route: "a", client: "eve", at(0))
        for second in 0..<10 { _ = shares.reserve(10, for: quick, at(second)) }
        let slow = shares.begin(route: "a", client: "eve", at(0))
        #expect(shares.reserve(1, for: slow, at(9)) == .init(isGranted: false, evicted: []))
        #expect(shares.held == 100)
    }

    @Test func `a body isn't evicted in its first second, or once it is complete`() {
        var shares = BodyEvictionPolicy(total: 300)
        let whole = shares.begin(route: "a", client: "eve", at(0))
        _ = shares.reserve(50, for: whole, at(0))
        shares.complete(whole)
        let young = shares.begin(route: "a", client: "eve", at(9))
        _ = shares.reserve(50, for: young, at(9))
        let fresh = shares.begin(route: "a", client: "eve", at(9))
        #expect(!shares.reserve(60, for: fresh, at(9)).isGranted)
        #expect(shares.held == 100)
        shares.end(whole)
        shares.end(young)
        #expect(shares.held == 0)
    }

    @Test func `a body that is refused evicts no other`() {
        var shares = BodyEvictionPolicy(total: 300)
        let less = shares.begin(route: "b", client: "ada", at(0))
        _ = shares.reserve(90, for: less, at(0))
        let slow = shares.begin(route: "a", client: "bob", at(0))
        _ = shares.reserve(10, for: slow, at(0))
        let fresh = shares.begin(route: "a", client: "eve", at(5))
        #expect(shares.reserve(95, for: fresh, at(5)) == .init(isGranted: false, evicted: []))
        #expect(shares.reserve(10, for: slow, at(5)).isGranted)
        #expect(shares.held == 110)
    }

    @Test func `slow bodies of a route that takes more make room for another's`() {
        var shares = BodyEvictionPolicy(total: 300)
        let hogs = (0..<15).map { client in
            let id = shares.begin(route: "a", client: "\(client)", at(0))
            _ = shares.reserve(10, for: id, at(0))
            return id
        }
        let fresh = shares.begin(route: "b", client: "ada", at(5))
        let grant = shares.reserve(60, for: fresh, at(5))
        #expect(grant.isGranted)
        #expect(grant.evicted.count == 2 && Set(grant.evicted).isSubset(of: hogs))
    }
}
