import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

/// Waiting until a message has arrived or was seen.
@Suite(.timeLimit(.minutes(15))) struct DeliveryTests {
    private let script = InlineScript { robot in
        robot.responseMiddleware { utterance, _, _ in utterance.content == "hush" ? nil : utterance }
        robot.respond(/tell (\w+)$/) { res in
            let sent = try await res.send(tracked: "\(res.match.1)")
            let (arrived, seen) = (try await sent.delivered(), try await sent.seen())
            try await res.send("arrived: \(arrived), seen: \(seen)")
        }
        robot.respond(/ask in private/) { res in
            _ = try await res.send(tracked: "psst", privately: true)
        }
        robot.respond(/wait/) { res in
            do {
                _ = try await res.send("hello").delivered()
            } catch let error as AdapterError {
                try await res.send(error.reason)
            }
        }
    }

    private static let stages: [(DeliveryStage?, String)] = [
        (.seen, "arrived: true, seen: true"), (.delivered, "arrived: true, seen: false"),
        (nil, "arrived: false, seen: false")
    ]

    @Test(arguments: stages)
    func `a script waits until its message has arrived or was seen`(
        _ stage: DeliveryStage?, _ answer: String
    ) async {
        let robot = TestRobot(name: "hubot", script)
        robot.deliver(upTo: stage)
        #expect(await robot.hears("hubot tell it") == [.text("it"), .text(answer)])
        #expect(robot.lines.map(\.envelope.isTracked) == [true, false])
    }

    @Test func `what middleware drops doesn't arrive`() async {
        let robot = TestRobot(name: "hubot", script)
        #expect(await robot.hears("hubot tell hush") == [.text("arrived: false, seen: false")])
    }

    @Test func `on a service that confirms nothing, waiting throws an error`() async {
        let robot = TestRobot(name: "hubot", messageFeatures: [], script)
        let reason = "I can't tell whether the message has arrived, because test doesn't confirm that"
        #expect(await robot.hears("hubot wait") == [.text("hello"), .text(reason)])
        #expect(await robot.hears("hubot ask in private") == [.text("psst")])
    }

    @Test func `waiting for a message that isn't tracked throws an error`() async {
        let robot = TestRobot(name: "hubot", script)
        let reason = "I can't tell what became of that message: send it with `send(tracked:)`"
        #expect(await robot.hears("hubot wait") == [.text("hello"), .text(reason)])
    }

    @Test func `an envelope of an earlier version is read, and a tracked one is read again`() throws {
        let room = Room(id: Room.ID(adapter: "irc", value: "#dev"))
        var envelope = Envelope(room: room)
        let plain = try JSONEncoder().encode(envelope)
        #expect(!String(decoding: plain, as: UTF8.self).contains("track"))
        #expect(try JSONDecoder().decode(Envelope.self, from: plain) == envelope)
        envelope.isTracked = true
        #expect(try JSONDecoder().decode(Envelope.self, from: JSONEncoder().encode(envelope)).isTracked)
        envelope.isTracked = false
        #expect(envelope == Envelope(room: room))
    }
}
