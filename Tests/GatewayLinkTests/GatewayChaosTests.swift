import Foundation
import GatewayLink
import Heybot
import HeybotTesting
import Testing

/// A gateway and its workers, of which some crash and all are replaced, in an order that a seed determines.
///
/// A worker handles a message with two answers. What is sent may arrive at any later time, in the order in which it was sent.
private struct Chaos {
    private struct Process {
        var session = WorkerSession()
        /// Frames on their way to the worker, and to the gateway.
        var incoming: [GatewayFrame] = []
        var outgoing: [WorkerFrame] = []
        /// How many answers of a message are confirmed; the calls by number.
        var confirmed: [Int: Int] = [:]
        var calls: [Int: NumberedMessage] = [:]
        var hasLeft = false
        var isKilled = false
    }

    private var session: GatewaySession
    private var processes: [Int: Process] = [:]
    private var performing: [(token: Int, AdapterCall)] = []
    private var random: SeededGenerator
    private(set) var delivered: [String: Int] = [:]
    private(set) var finished: [Int: Int] = [:]
    private(set) var problems: [String] = []
    private(set) var starts = 0
    private var heard = 0
    private var crashes = 0

    init(seed: UInt64) {
        var limits = GatewaySession.Limits()
        // Nobody knows here which message has ended a worker, and all are innocent.
        (limits.attempts, limits.restarts.burst, limits.window) = (10_000, 10_000, 5)
        // Only the back-off after a failed start depends on the time here.
        (limits.startTime, limits.pingAfter, limits.drainTime) = (.seconds(9_000), .seconds(9_000), .seconds(9_000))
        (limits.leaveTime, limits.starts) = (.seconds(9_000), 10_000)
        session = GatewaySession([], limits: limits)
        random = SeededGenerator(seed: seed)
    }

    /// Lets users say so many messages, while workers crash and are replaced.
    mutating func run(messages: Int) {
        act(session.start(at: .zero))
        var steps = 0
        while finished.count < messages, steps < messages * 1_000 {
            steps += 1
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<10 where heard < messages: hear()
            case 10 where crashes < messages / 10: crash()
            case 11: act(session.swap(at: .zero))
            case 12..<30: perform()
            default: passOn()
            }
        }
    }

    private mutating func hear() {
        heard += 1
        let room = Room(id: .init(adapter: "irc", value: "#\(heard % 3)"))
        let message = Message(
            id: .init(adapter: "irc", value: "m\(heard)"),
            user: User(id: .init(adapter: "irc", value: "al"), name: "al"), room: room, content: .text("hi"),
            time: Date(timeIntervalSinceReferenceDate: 5))
        act(session.heard(message, at: .zero).actions)
    }

    private mutating func crash() {
        guard let generation = processes.keys.sorted().randomElement(using: &random) else { return }
        crashes += 1
        end(generation)
    }

    /// Ends a process: what it has sent arrives, what was sent to it doesn't.
    private mutating func end(_ generation: Int) {
        guard let process = processes.removeValue(forKey: generation) else { return }
        for frame in process.outgoing { act(session.received(frame, from: generation, at: .zero)) }
        act(session.ended(generation, WorkerEnd("signal 9"), at: .zero, chance: 0))
        // Its back-off is over at once.
        act(session.tick(at: .seconds(60)))
    }

    private mutating func perform() {
        guard !performing.isEmpty else { return }
        let (token, call) = performing.removeFirst()
        let place = "\(call.number ?? 0)/\(call.index ?? 0)"
        delivered[place, default: 0] += 1
        act(session.performed(token, CallOutcome()))
    }

    private mutating func passOn() {
        guard let generation = processes.keys.sorted().randomElement(using: &random) else { return }
        if Bool.random(using: &random), processes[generation]?.outgoing.isEmpty == false {
            if let frame = processes[generation]?.outgoing.removeFirst() {
                act(session.received(frame, from: generation, at: .zero))
            }
        } else if processes[generation]?.incoming.isEmpty == false {
            if let frame = processes[generation]?.incoming.removeFirst() {
                let actions = processes[generation]?.session.received(frame, at: .zero) ?? []
                act(actions, of: generation)
            }
        }
        guard let process = processes[generation], process.outgoing.isEmpty else { return }
        if process.hasLeft || process.isKilled { end(generation) }
    }

    private mutating func act(_ actions: [GatewayAction]) {
        for action in actions {
            switch action {
            case .start(let generation):
                starts += 1
                let process = Process()
                processes[generation] = process
                act(process.session.start(process: generation), of: generation)
            case .send(let frame, let generation): processes[generation]?.incoming.append(frame)
            case .kill(let generation): processes[generation]?.isKilled = true
            case .perform(let call, let token):
                if let token { performing.append((token, call)) } else { problems.append("\(call) has no token") }
            case .finish(let number): finished[number, default: 0] += 1
            case .tell(_, let text): problems.append(text)
            case .stopRobot, .stopped: problems.append("the gateway has stopped")
            case .answer, .resume, .log, .tellAdmins: break
            }
        }
    }

    private mutating func act(_ actions: [WorkerAction], of generation: Int) {
        for action in actions {
            switch action {
            case .send(let frame): processes[generation]?.outgoing.append(frame)
            case .prepare: act(processes[generation]?.session.isReady() ?? [], of: generation)
            case .hear(let message): answer(message, generation)
            case .finish(let number, let outcome):
                guard outcome.failure == nil, let message = processes[generation]?.calls.removeValue(forKey: number)
                else { continue }
                processes[generation]?.confirmed[message.number, default: 0] += 1
                if processes[generation]?.confirmed[message.number] == 2 {
                    act(processes[generation]?.session.ended([message.number]) ?? [], of: generation)
                } else {
                    answer(message, generation)
                }
            case .waitUntilIdle: act(processes[generation]?.session.becameIdle() ?? [], of: generation)
            case .leave: processes[generation]?.hasLeft = true
            case .adaptersChanged, .reload, .endTimers, .stopTimers, .answerPing, .report, .listCommands: break
            }
        }
    }

    private mutating func answer(_ message: NumberedMessage, _ generation: Int) {
        let operation = AdapterOperation.deliver(.text("yes"), Envelope(room: message.message.room))
        let made = processes[generation]?.session.call(operation, of: "irc", for: message.message.id)
        guard let made else { return }
        processes[generation]?.calls[made.call] = message
        act(made.actions, of: generation)
    }
}

@Suite struct GatewayChaosTests {
    @Test(arguments: UInt64(1)...40)
    func `each answer is delivered once, however workers crash and are replaced`(_ seed: UInt64) {
        var chaos = Chaos(seed: seed)
        chaos.run(messages: 200)
        #expect(chaos.problems == [])
        #expect(chaos.finished.count == 200)
        #expect(chaos.finished.values.allSatisfy { $0 == 1 })
        #expect(chaos.delivered.count == 400)
        #expect(chaos.delivered.values.allSatisfy { $0 == 1 })
        #expect(chaos.starts > 10)
    }
}
