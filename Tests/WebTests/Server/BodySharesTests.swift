import Testing

@testable import HeybotWebServer

@Suite struct BodySharesTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    @Test func `one client of one route gets a third, however many bodies it sends`() {
        var shares = BodyShares(total: 300)
        var held = 0
        for _ in 0..<40 {
            let id = shares.begin(route: "a", client: "eve", start)
            if shares.take(10, for: id, start).isHeld { held += 10 }
        }
        #expect(held == 100)
        #expect(shares.held == 100)
    }

    @Test func `a route leaves as much free for the others as it takes itself`() {
        var shares = BodyShares(total: 300)
        for client in 0..<100 {
            let id = shares.begin(route: "a", client: "\(client)", start)
            _ = shares.take(10, for: id, start)
        }
        #expect(shares.held == 140)
        let other = shares.begin(route: "b", client: "0", start)
        #expect(shares.take(50, for: other, start) == .init(isHeld: true, dropped: []))
    }

    @Test func `the slowest of those in the way loses its place, and no other`() {
        var shares = BodyShares(total: 300)
        let stalled = shares.begin(route: "a", client: "eve", at(0))
        let steady = shares.begin(route: "a", client: "eve", at(0))
        _ = shares.take(60, for: stalled, at(0))
        for second in 0..<4 { _ = shares.take(10, for: steady, at(second)) }
        let elsewhere = shares.begin(route: "b", client: "bob", at(0))
        _ = shares.take(1, for: elsewhere, at(0))

        let fresh = shares.begin(route: "a", client: "eve", at(4))
        #expect(shares.take(50, for: fresh, at(4)) == .init(isHeld: true, dropped: [stalled]))
        #expect(shares.take(1, for: stalled, at(4)) == .init(isHeld: false, dropped: []))
        #expect(shares.held == 91)
    }

    @Test func `who is slower than those in the way is refused`() {
        var shares = BodyShares(total: 300)
        let quick = shares.begin(route: "a", client: "eve", at(0))
        for second in 0..<10 { _ = shares.take(10, for: quick, at(second)) }
        let slow = shares.begin(route: "a", client: "eve", at(0))
        #expect(shares.take(1, for: slow, at(9)) == .init(isHeld: false, dropped: []))
        #expect(shares.held == 100)
    }

    @Test func `a body keeps its place in its first second, and when all of it came`() {
        var shares = BodyShares(total: 300)
        let whole = shares.begin(route: "a", client: "eve", at(0))
        _ = shares.take(50, for: whole, at(0))
        shares.complete(whole)
        let young = shares.begin(route: "a", client: "eve", at(9))
        _ = shares.take(50, for: young, at(9))
        let fresh = shares.begin(route: "a", client: "eve", at(9))
        #expect(!shares.take(60, for: fresh, at(9)).isHeld)
        #expect(shares.held == 100)
        shares.end(whole)
        shares.end(young)
        #expect(shares.held == 0)
    }

    @Test func `nobody loses a place to a body that is refused all the same`() {
        var shares = BodyShares(total: 300)
        let less = shares.begin(route: "b", client: "ada", at(0))
        _ = shares.take(90, for: less, at(0))
        let slow = shares.begin(route: "a", client: "bob", at(0))
        _ = shares.take(10, for: slow, at(0))
        let fresh = shares.begin(route: "a", client: "eve", at(5))
        #expect(shares.take(95, for: fresh, at(5)) == .init(isHeld: false, dropped: []))
        #expect(shares.take(10, for: slow, at(5)).isHeld)
        #expect(shares.held == 110)
    }

    @Test func `slow bodies of a route that takes more make room for another's`() {
        var shares = BodyShares(total: 300)
        let hogs = (0..<15).map { client in
            let id = shares.begin(route: "a", client: "\(client)", at(0))
            _ = shares.take(10, for: id, at(0))
            return id
        }
        let fresh = shares.begin(route: "b", client: "ada", at(5))
        let grant = shares.take(60, for: fresh, at(5))
        #expect(grant.isHeld)
        #expect(grant.dropped.count == 2 && Set(grant.dropped).isSubset(of: hogs))
    }
}
