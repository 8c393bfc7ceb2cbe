import Foundation
import GatewayLink
import Heybot
import Testing

@Suite struct WorkerSessionTests {
    private static let user = User(id: .init(adapter: "irc", value: "al"), name: "al")
    private static let room = Room(id: .init(adapter: "irc", value: "#a"))
    private static let envelope = Envelope(room: room)
    private static let welcome = Welcome(version: 1, generation: 1, adapters: [])

    private static func message(_ number: Int) -> NumberedMessage {
        NumberedMessage(
            number: number,
            message: Message(
                id: .init(adapter: "irc", value: "m\(number)"), user: user, room: room, content: .text("hi"),
                time: Date(timeIntervalSinceReferenceDate: 5)))
    }

    /// A session that is ready and has the messages 1 and 2.
    private static func busySession() -> WorkerSession {
        var session = WorkerSession()
        _ = session.received(.welcome(welcome), at: .zero)
        _ = session.isReady()
        for number in 1...2 { _ = session.received(.message(message(number)), at: .zero) }
        return session
    }

    @Test func `a worker introduces itself, prepares its robot, and handles messages`() {
        var session = WorkerSession()
        #expect(session.start(process: 7) == [.send(.hello(.own, process: 7))])
        let early = session.isReady()
        #expect(early.isEmpty)
        let prepared = session.received(.welcome(Self.welcome), at: .zero)
        #expect(prepared == [.prepare(Self.welcome)])
        let again = session.received(.welcome(Self.welcome), at: .zero)
        #expect(again.isEmpty)
        let ready = session.isReady()
        #expect(ready == [.send(.ready)])
        let heard = session.received(.message(Self.message(1)), at: .zero)
        #expect(heard == [.hear(Self.message(1))])
        let ended = session.ended([1])
        #expect(ended == [.send(.done([1]))])
        let twice = session.ended([1])
        #expect(twice.isEmpty)
        for number in [2, 3] { _ = session.received(.message(Self.message(number)), at: .zero) }
        let several = session.ended([1, 2, 3, 9])
        #expect(several == [.send(.done([2, 3]))])
    }

    @Test func `the visible calls of a message are counted, and other calls aren't`() {
        var session = Self.busySession()
        let say = AdapterOperation.deliver(.text("yes"), Self.envelope)
        let first = session.call(say, of: "irc", for: Self.message(1).message.id)
        let users = session.call(.users(Self.room), of: "irc", for: Self.message(1).message.id)
        let second = session.call(say, of: "irc", for: Self.message(1).message.id)
        let other = session.call(say, of: "irc", for: Self.message(2).message.id)
        let timer = session.call(say, of: "irc", for: nil)
        func sent(_ call: Int, _ number: Int?, _ index: Int?, _ operation: AdapterOperation) -> [WorkerAction] {
            [.send(.call(AdapterCall(call: call, adapter: "irc", number: number, index: index, operation: operation)))]
        }
        #expect(first.actions == sent(1, 1, 0, say))
        #expect(users.actions == sent(2, nil, nil, .users(Self.room)))
        #expect(second.actions == sent(3, 1, 1, say))
        #expect(other.actions == sent(4, 2, 0, say))
        #expect(timer.actions == sent(5, nil, nil, say))
        // An observer's code runs beside the closures, so it has an order of its own.
        let seen = Self.message(1).message.id
        let observer = session.call(say, of: "irc", for: seen, observer: "Log")
        guard case .send(.call(let observed)) = observer.actions.first else {
            Issue.record("an observer's call isn't sent")
            return
        }
        #expect(observed.observed == seen && observed.observer == "Log")
        #expect(observed.number == 1 && observed.index == 0)
        // What a closure sends after its message is done, such as after an answer, isn't part of the message.
        _ = session.ended([1])
        let late = session.call(say, of: "irc", for: Self.message(1).message.id)
        #expect(late.actions == sent(7, nil, nil, say))
    }

    @Test func `the calls of a message are counted in each place`() {
        var session = Self.busySession()
        let other = Envelope(room: Room(id: .init(adapter: "irc", value: "#b")))
        let operations: [AdapterOperation] = [
            .deliver(.text("a"), Self.envelope), .deliver(.text("b"), other), .join("#c", password: nil),
            .deliver(.text("c"), Self.envelope), .change(.init(adapter: "irc", value: "x"), .retract, Self.envelope),
            .locate(Self.user)
        ]
        let indices = operations.map { operation -> Int? in
            let made = session.call(operation, of: "irc", for: Self.message(1).message.id)
            guard case .send(.call(let call)) = made.actions.first else { return nil }
            return call.index
        }
        #expect(indices == [0, 0, 0, 1, 2, nil])
    }

    @Test func `the place of a call that can't be sent goes to the next one`() {
        var session = Self.busySession()
        let say = AdapterOperation.deliver(.text("yes"), Self.envelope)
        let made = (1...3).map { _ -> AdapterCall? in
            let actions = session.call(say, of: "irc", for: Self.message(1).message.id).actions
            guard case .send(.call(let call)) = actions.first else { return nil }
            if call.call == 2 {
                let outcome = CallOutcome(failure: .init(reason: "it is too long"))
                let refused = session.refused(call, outcome)
                #expect(refused == [.finish(call: 2, outcome)])
            }
            return call
        }
        let indices = made.map { $0?.index }
        #expect(indices == [0, 1, 1])
    }

    @Test func `an outcome reaches its caller once`() {
        var session = Self.busySession()
        let call = session.call(.users(Self.room), of: "irc", for: nil).call
        let typing = session.call(.showTyping(true, Self.envelope), of: "irc", for: nil).call
        let outcome = CallOutcome()
        let first = session.received(.result(call: call, outcome), at: .zero)
        #expect(first == [.finish(call: call, outcome)])
        let second = session.received(.result(call: call, outcome), at: .zero)
        let none = session.received(.result(call: typing, outcome), at: .zero)
        #expect(second.isEmpty && none.isEmpty)
    }

    @Test func `a worker that is replaced finishes its messages and questions, and leaves`() {
        var session = Self.busySession()
        let claim = Claim(Self.message(1).message)
        let claimed = session.claimed(claim)
        #expect(claimed == [.send(.claim(claim))])
        let draining = session.received(.drain(keepsQuestions: true), at: .seconds(5))
        #expect(draining == [.endTimers])
        #expect(session.nextTick == .seconds(65))
        let done = [session.ended([1]), session.ended([2])]
        #expect(done == [[.send(.done([1]))], [.send(.done([2]))]])
        let released = session.released(claim)
        #expect(released == [.send(.release(claim)), .waitUntilIdle])
        let idle = session.becameIdle()
        #expect(idle == [.send(.drained), .leave(reason: nil)])
        let late = session.received(.message(Self.message(3)), at: .seconds(6))
        #expect(late.isEmpty && session.isOver && session.nextTick == nil)
    }

    @Test func `a worker that is replaced leaves its questions after a minute`() {
        var session = Self.busySession()
        _ = session.received(.drain(keepsQuestions: true), at: .seconds(5))
        let early = session.tick(at: .seconds(64))
        let left = session.tick(at: .seconds(65))
        #expect(early.isEmpty)
        #expect(left == [.send(.drained), .leave(reason: nil)])
        let done = session.ended([1])
        #expect(done.isEmpty)
        // The next worker has the second message.
        let call = session.call(.deliver(.text("late"), Self.envelope), of: "irc", for: Self.message(2).message.id)
        let failure = CallOutcome.Failure(code: "notConnected", reason: "the robot is stopping")
        #expect(call.actions == [.finish(call: call.call, CallOutcome(failure: failure))])
    }

    @Test func `a worker waits for no question when the robot stops`() {
        var session = Self.busySession()
        _ = session.claimed(Claim(Self.message(1).message))
        _ = session.received(.drain(keepsQuestions: true), at: .seconds(5))
        let done = [session.ended([1]), session.ended([2])]
        #expect(done == [[.send(.done([1]))], [.send(.done([2]))]])
        let left = session.received(.drain(keepsQuestions: false), at: .seconds(6))
        #expect(left == [.send(.drained), .leave(reason: nil)])
    }

    @Test func `an idle worker leaves at once when it is replaced`() {
        var session = WorkerSession()
        _ = session.received(.welcome(Self.welcome), at: .zero)
        _ = session.isReady()
        let draining = session.received(.drain(keepsQuestions: true), at: .zero)
        #expect(draining == [.endTimers, .waitUntilIdle])
        let left = session.becameIdle()
        #expect(left == [.send(.drained), .leave(reason: nil)])
    }

    @Test func `an idle worker leaves at once when the robot stops`() {
        var session = WorkerSession()
        _ = session.received(.welcome(Self.welcome), at: .zero)
        _ = session.isReady()
        let left = session.received(.drain(keepsQuestions: false), at: .zero)
        #expect(left == [.endTimers, .send(.drained), .leave(reason: nil)])
    }

    @Test func `a worker that waits for the code of timers still finishes messages and questions`() {
        var session = WorkerSession()
        _ = session.received(.welcome(Self.welcome), at: .zero)
        _ = session.isReady()
        _ = session.received(.drain(keepsQuestions: true), at: .zero)
        _ = session.received(.message(Self.message(1)), at: .zero)
        let early = session.becameIdle()
        #expect(early.isEmpty)
        let done = session.ended([1])
        #expect(done == [.send(.done([1])), .waitUntilIdle])
        _ = session.claimed(Claim(Self.message(1).message))
        let asking = session.becameIdle()
        let released = session.released(Claim(Self.message(1).message))
        #expect(asking.isEmpty && released.contains(.waitUntilIdle))
        let left = session.tick(at: .seconds(60))
        #expect(left == [.send(.drained), .leave(reason: nil)])
    }

    @Test func `a worker goes on without timers when the robot is asked to stop`() {
        var session = Self.busySession()
        let ending = session.received(.endTimers, at: .zero)
        #expect(ending == [.stopTimers])
        let done = session.ended([1])
        #expect(done == [.send(.done([1]))])
    }

    @Test func `what no message has caused is sent until the connection ends`() {
        var session = WorkerSession()
        _ = session.received(.welcome(Self.welcome), at: .zero)
        _ = session.isReady()
        _ = session.received(.drain(keepsQuestions: false), at: .zero)
        #expect(session.isOver)
        let say = AdapterOperation.deliver(.text("tea"), Self.envelope)
        let late = session.call(say, of: "irc", for: nil)
        #expect(late.actions == [.send(.call(AdapterCall(call: late.call, adapter: "irc", operation: say)))])
        let outcome = session.received(.result(call: late.call, CallOutcome()), at: .zero)
        #expect(outcome == [.finish(call: late.call, CallOutcome())])
        _ = session.gatewayEnded()
        let later = session.call(say, of: "irc", for: nil)
        let failure = CallOutcome.Failure(code: "notConnected", reason: "the robot is stopping")
        #expect(later.actions == [.finish(call: later.call, CallOutcome(failure: failure))])
    }

    @Test func `a worker whose robot stops says so, and doesn't acknowledge what the robot refuses`() {
        var session = Self.busySession()
        let stopped = session.robotStops(isWhole: true)
        #expect(stopped == [.send(.stop)])
        let refused = session.ended([1])
        let again = session.robotStops(isWhole: true)
        let drained = session.received(.drain(keepsQuestions: false), at: .zero)
        #expect(refused.isEmpty && again.isEmpty && drained.isEmpty && session.isOver)
    }

    @Test func `a worker whose web server fails ends alone`() {
        var session = Self.busySession()
        let stopped = session.robotStops(isWhole: false)
        let refused = session.ended([1])
        #expect(stopped.isEmpty && refused.isEmpty && session.isOver)
    }

    @Test func `a worker that leaves doesn't stop the robot`() {
        var session = Self.busySession()
        _ = session.received(.drain(keepsQuestions: true), at: .zero)
        _ = session.tick(at: .seconds(60))
        let stopped = session.robotStops(isWhole: true)
        #expect(stopped.isEmpty && session.isOver)
    }

    @Test func `calls fail when the gateway has ended`() {
        var session = Self.busySession()
        let call = session.call(.users(Self.room), of: "irc", for: nil).call
        let actions = session.gatewayEnded()
        let failure = CallOutcome.Failure(code: "notConnected", reason: "the gateway has ended")
        #expect(
            actions == [.finish(call: call, CallOutcome(failure: failure)), .leave(reason: "the gateway has ended")])
        let again = session.gatewayEnded()
        #expect(again.isEmpty)
    }

    @Test func `a worker answers pings, also while it prepares its robot`() {
        var session = WorkerSession()
        _ = session.received(.welcome(Self.welcome), at: .zero)
        let pong = session.received(.ping(4), at: .zero)
        #expect(pong == [.answerPing(4)])
        let unknown = session.received(.unknown("music"), at: .zero)
        #expect(unknown.isEmpty)
    }

    @Test func `a worker is asked for its health and its commands`() {
        var session = Self.busySession()
        let report = session.received(.report(7), at: .zero)
        #expect(report == [.report(7)])
        let commands = session.received(.commands(8, Self.user, Self.room), at: .zero)
        #expect(commands == [.listCommands(8, Self.user, Self.room)])
    }

    @Test func `a worker leaves if it doesn't know the gateway's version`() {
        var session = WorkerSession(versions: LinkVersions(newest: 3, oldest: 2))
        let actions = session.received(.welcome(Self.welcome), at: .zero)
        let reason = "the gateway speaks version 1 of the link, which this program doesn't know"
        #expect(actions == [.leave(reason: reason)])
    }
}
