import HeybotSupport
import HeybotTesting
import TestServers
import Testing

@testable import HeybotXMPP

/// A session whose connection breaks at random places, with a model of a server with stream management (XEP-0198).
@Suite struct BrokenConnectionTests {
    /// The server, and what is on its way between it and the robot.
    private struct Server {
        var toServer: [Element] = []
        var toRobot: [Element] = []
        /// The texts of the robot's messages.
        var heard: [String] = []
        /// The number of the robot's stanzas.
        var handled: UInt32 = 0
        /// The number of its own stanzas that the robot has acknowledged.
        var acknowledged: UInt32 = 0
        private var unacknowledged: [Element] = []

        mutating func send(_ text: String) {
            let message = Element(
                "message", Namespace.client, ["from": "bob@b.org/x", "type": "chat"],
                Element("body", Namespace.client, text: text))
            unacknowledged.append(message)
            toRobot.append(message)
        }

        mutating func handleNext() {
            let element = toServer.removeFirst()
            switch element.name {
            case "enable":
                handled = 0
                toRobot.append(Element("enabled", Namespace.streamManagement, ["id": "s1", "resume": "true"]))
            case "r": toRobot.append(Element("a", Namespace.streamManagement, ["h": "\(handled)"]))
            case "a": acknowledge(element)
            case "message", "presence", "iq":
                handled &+= 1
                if let body = element.first("body", Namespace.client) { heard.append(body.text) }
            default: break
            }
        }

        private mutating func acknowledge(_ element: Element) {
            guard let count = element["h"].flatMap({ UInt32($0) }) else { return }
            let new = Int(count &- acknowledged)
            guard new <= unacknowledged.count else {
                Issue.record("the robot acknowledges \(new) stanzas of \(unacknowledged.count)")
                return
            }
            unacknowledged.removeFirst(new)
            acknowledged = count
        }

        /// Answers the request to resume the session, which is the last element on its way.
        mutating func resume() {
            guard let request = toServer.last, request.name == "resume" else {
                Issue.record("the robot doesn't resume the session")
                return
            }
            acknowledge(request)
            let answer = Element("resumed", Namespace.streamManagement, ["previd": "s1", "h": "\(handled)"])
            (toServer, toRobot) = ([], [answer] + unacknowledged)
        }
    }

    private static func element(_ xml: String) -> StreamEvent {
        TranscriptPlayer.event(xml) ?? .close
    }

    private static let mechanisms =
        "<stream:features><sasl:mechanisms><sasl:mechanism>PLAIN</sasl:mechanism></sasl:mechanisms></stream:features>"
    private static let features = "<stream:features><bind:bind/><sm:sm/></stream:features>"
    private static let bound =
        "<iq type='result' id='bind'><bind:bind><bind:jid>marvin@ship.org/r1</bind:jid></bind:bind></iq>"

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `however often the connection breaks, everything arrives once and in order`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var profile = SessionConfiguration.marvin
        profile.rateLimit = RateLimit(burst: 1_000, interval: .zero)
        var session = Session(profile, isSecure: true, nonce: TranscriptPlayer.nonce, at: .zero)
        var server = Server()
        var (said, sent, heard): ([String], [String], [String]) = ([], [], [])
        func perform(_ actions: [Session.Action]) {
            for action in actions {
                switch action {
                case .send(let element):
                    server.toServer.append(element)
                    if let next = session.recordSent(element) { server.toServer.append(next) }
                case .hear(let event):
                    if case .text(let text) = event.content { heard.append(text) }
                case .end(let reason): Issue.record("\(reason)")
                default: break
                }
            }
        }
        func deliver(_ xml: String...) {
            for xml in xml { perform(session.receive(Self.element(xml), at: .zero)) }
        }
        func deliverNext() { perform(session.receive(.element(server.toRobot.removeFirst()), at: .zero)) }
        func deliverAll() {
            while !server.toServer.isEmpty || !server.toRobot.isEmpty {
                if server.toServer.isEmpty { deliverNext() } else { server.handleNext() }
            }
        }
        func reconnect() {
            (server.toServer, server.toRobot) = ([], [])
            perform(
                session.reopen(isSecure: true, nonce: TranscriptPlayer.nonce, waiting: session.unsent, at: .zero))
            deliver(Self.mechanisms, "<sasl:success/>", Self.features)
            server.resume()
        }
        perform(session.begin())
        deliver(Self.mechanisms, "<sasl:success/>", Self.features, Self.bound)
        deliverAll()
        // Soon the counts begin again at zero.
        (server.handled, server.acknowledged) = (UInt32.max - 50, UInt32.max - 20)
        (session.streamManagement.acknowledged, session.streamManagement.handled) = (UInt32.max - 50, UInt32.max - 20)
        var breaks = 0
        for _ in 0..<2_000 {
            switch random.below(20) {
            case 0..<5:
                said.append("robot \(said.count)")
                let message = OutgoingMessage(to: jid("bob@b.org"), "robot \(said.count - 1)")
                perform(session.say([message], at: .zero))
            case 5..<9:
                sent.append("server \(sent.count)")
                server.send("server \(sent.count - 1)")
            case 9: server.toRobot.append(Element("r", Namespace.streamManagement))
            case 10..<15: if !server.toServer.isEmpty { server.handleNext() }
            case 15..<19: if !server.toRobot.isEmpty { deliverNext() }
            default:
                reconnect()
                breaks += 1
            }
        }
        reconnect()
        deliverAll()
        #expect(breaks > 50)
        #expect(said.count > 300 && sent.count > 300)
        #expect(server.heard == said)
        #expect(heard == sent)
        #expect(session.isOnline && session.unsentCount == 0)
    }
}
