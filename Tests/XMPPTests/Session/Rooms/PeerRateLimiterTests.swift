import Testing

@testable import HeybotXMPP

/// No sender can use up the answers for others.
@Suite struct PeerRateLimiterTests {
    private func answers(_ stage: inout TranscriptPlayer, to sender: String, _ count: Int) -> Int {
        var answers = 0
        for index in 0..<count {
            let ping = Element("ping", Namespace.ping)
            let iq = Element("iq", Namespace.client, ["type": "get", "id": "\(index)", "from": sender], ping)
            answers += stage.session.receive(.element(iq), at: stage.now).count
        }
        return answers
    }

    @Test func `a thousand requests of one sender delay nobody else`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(inDev)
        let eve = answers(&stage, to: "eve@b.org/1", 1_000)
        #expect(eve == 20)
        // Another resource is the same person; an occupant of a room is another.
        let again = answers(&stage, to: "eve@b.org/2", 10)
        let bob = answers(&stage, to: "bob@b.org/x", 1)
        #expect((again, bob) == (0, 1))
        let inRoom = answers(&stage, to: "dev@muc.ship.org/eve", 1_000)
        let ann = answers(&stage, to: "dev@muc.ship.org/ann", 1)
        #expect((inRoom, ann) == (20, 1))
        // The account's own server is always answered.
        let server = answers(&stage, to: "ship.org", 1_000)
        #expect(server == 1_000)
        // The total is limited too.
        let all = (0..<1_000).reduce(0) { $0 + answers(&stage, to: "s\($1)@b.org/x", 1) }
        #expect(all < 50)
    }

    @Test func `queries don't use up the invitations`() {
        var stage = TranscriptPlayer(.inDev())
        stage.play(inDev)
        for person in 0..<10 { _ = answers(&stage, to: "s\(person)@b.org/x", 20) }
        let event = TranscriptPlayer.event("<message from='ada@b.org/x'><direct:x jid='tea@muc.ship.org'/></message>")
        let actions = event.map { stage.session.receive($0, at: stage.now) } ?? []
        #expect(actions.contains(.log(.invited(room: jid("tea@muc.ship.org"), by: "ada@b.org/x", accepted: true))))
    }

    @Test func `people of the account's server share no limit, and those of another server do`() {
        for (domain, expected) in [("ship.org", 100), ("b.org", 60)] {
            var meter = PeerRateLimiter(ownDomain: "ship.org")
            let admitted = (0..<10).reduce(0) { count, person in
                count + (0..<10).count { _ in meter.admits(jid("s\(person)@\(domain)"), at: .zero) }
            }
            #expect(admitted == expected)
        }
    }

    @Test func `senders below their limit are forgotten`() {
        var meter = PeerRateLimiter(ownDomain: "ship.org")
        var now: Duration = .zero
        for index in 0..<5_000 {
            now += .milliseconds(100)
            let isAdmitted = meter.admits(jid("s\(index)@b.org"), at: now)
            #expect(isAdmitted)
        }
    }
}
