import Testing

@testable import HeybotXMPP

@Suite struct JIDCacheTests {
    @Test func `a cached address equals a parsed one`() throws {
        var cache = JIDCache()
        for text in [
            "dev@muc.ship.org/Ann", "DEV@MUC.ship.org/ann", "@@", "", "a@b/" + String(repeating: "x", count: 400)
        ] {
            for _ in 0..<2 { #expect(cache.jid(text) == (try? JID(text))) }
        }
        // More than the cache's capacity.
        for number in 0..<3_000 { #expect(cache.jid("a\(number)@b.org") == (try? JID("a\(number)@b.org"))) }
        #expect(cache.jid("a1@b.org") == (try JID("a1@b.org")))
    }
}
