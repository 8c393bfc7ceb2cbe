import Testing

@testable import XMPP

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
        #expect(answers(&stage, to: "eve@b.org/1", 1_000) == 20)
        // Another resource is the same person; somebody in a room is another.
        #expect(answers(&stage, to: "eve@b.org/2", 10) == 0)
        #expect(answers(&stage, to: "bob@b.org/x", 1) == 1)
        #expect(answers(&stage, to: "dev@muc.ship.org/eve", 1_000) == 20)
        #expect(answers(&stage, to: "dev@muc.ship.org/ann", 1) == 1)
        // Our own server always gets one.
        #expect(answers(&stage, to: "ship.org", 1_000) == 1_000)
        // All together not without end.
        #expect((0..<1_000).reduce(0) { $0 + answers(&stage, to: "s\($1)@b.org/x", 1) } < 100)
    }

    @Test func `it forgets who has rested`() {
        var meter = AnswerMeter()
        var now: Duration = .zero
        for index in 0..<5_000 {
            now += .milliseconds(50)
            #expect(meter.admits(jid("s\(index)@b.org"), at: now))
        }
    }
}
