import Testing

@testable import HeybotXMPP

/// That nobody uses up the answers of all.
@Suite struct AnswerMeterTests {
    private func answers(_ stage: inout Stage, to sender: String, _ count: Int) -> Int {
        var answers = 0
        for index in 0..<count {
            let ping = Element("ping", Namespace.ping)
            let iq = Element("iq", Namespace.client, ["type": "get", "id": "\(index)", "from": sender], ping)
            answers += stage.session.receive(.element(iq), at: stage.now).count
        }
        return answers
    }

    @Test func `who asks a thousand times delays nobody else`() {
        var stage = Stage(.inDev())
        stage.play(inDev)
        let eve = answers(&stage, to: "eve@b.org/1", 1_000)
        #expect(eve == 20)
        // Another resource is the same person; somebody in a room is another.
        let again = answers(&stage, to: "eve@b.org/2", 10)
        let bob = answers(&stage, to: "bob@b.org/x", 1)
        #expect((again, bob) == (0, 1))
        let inRoom = answers(&stage, to: "dev@muc.ship.org/eve", 1_000)
        let ann = answers(&stage, to: "dev@muc.ship.org/ann", 1)
        #expect((inRoom, ann) == (20, 1))
        // Our own server always gets one.
        let server = answers(&stage, to: "ship.org", 1_000)
        #expect(server == 1_000)
        // All together not without end.
        let all = (0..<1_000).reduce(0) { $0 + answers(&stage, to: "s\($1)@b.org/x", 1) }
        #expect(all < 50)
    }

    @Test func `it forgets who has rested`() {
        var meter = AnswerMeters()
        var now: Duration = .zero
        for index in 0..<5_000 {
            now += .milliseconds(100)
            let isAdmitted = meter.admits(jid("s\(index)@b.org"), at: now)
            #expect(isAdmitted)
        }
    }
}
