import GatewayLink
import Heybot
import Testing

@testable import RedisLink

@Suite struct LinkWorkerSessionTests {
    private static func message(_ number: Int, in room: String = "#a") -> Message {
        Message(
            id: .init(adapter: "chat", value: "m\(number)"),
            user: User(id: .init(adapter: "chat", value: "al"), name: "al"),
            room: Room(id: .init(adapter: "chat", value: room)), content: .text("hi \(number)"))
    }

    private static func entry(_ number: Int, attempts: Int = 0) -> LinkDatabase.Entry {
        LinkDatabase.Entry(id: "\(number)-0", message: message(number), attempts: attempts)
    }

    private static func renewal(_ owned: [Int: Int], workers: Int = 1) -> LinkDatabase.Renewal {
        LinkDatabase.Renewal(workers: workers, owned: owned)
    }

    private static func received(
        _ numbers: [Int], _ partition: Int, _ session: inout LinkWorkerSession
    ) -> [LinkWorkerSession.Action] {
        session.received(numbers.map { entry($0) }, last: "\(numbers.last ?? 0)-0", in: partition, at: .zero)
    }

    /// A session that has a partition and reads it.
    private static func reading(_ number: Int = 3, token: Int = 1) -> LinkWorkerSession {
        var session = LinkWorkerSession(LinkLimits())
        _ = session.renewed(renewal([number: token]), at: .zero)
        _ = session.tookOver(number, token: token, LinkDatabase.Legacy())
        return session
    }

    @Test func `no more messages are taken than the worker handles, and the others when some have ended`() {
        var limits = LinkLimits()
        limits.window = 3
        var session = LinkWorkerSession(limits)
        _ = session.renewed(Self.renewal([3: 1, 5: 1]), at: .zero)
        var legacy = LinkDatabase.Legacy()
        legacy.entries = (1...4).map { Self.entry($0) }
        legacy.last = "4-0"
        let taken = session.tookOver(3, token: 1, legacy)
        #expect(taken.map(\.words) == ["hear m1 m2 m3"])
        _ = session.tookOver(5, token: 1, LinkDatabase.Legacy())
        #expect(session.beginReading(at: .zero).isEmpty)
        let next = session.ended([Self.message(1).id])
        #expect(next.map(\.words) == ["finish 1-0", "hear m4"])
        let others = session.ended([Self.message(2).id, Self.message(3).id])
        #expect(others.map(\.words) == ["finish 2-0 3-0", "read now"])
        #expect(session.beginReading(at: .zero).map(\.after).sorted() == ["0-0", "4-0"])
        // What doesn't fit is read again.
        #expect(Self.received([5, 6, 7], 3, &session).map(\.words) == ["hear m5 m6"])
        #expect(session.beginReading(at: .zero).isEmpty)
        _ = session.ended([Self.message(4).id, Self.message(5).id, Self.message(6).id])
        #expect(session.beginReading(at: .zero).map(\.after).sorted() == ["0-0", "6-0"])
    }

    @Test func `a partition is read after what was in it`() {
        var session = LinkWorkerSession(LinkLimits())
        let taken = session.renewed(Self.renewal([3: 7]), at: .zero)
        #expect(taken.map(\.words) == ["take over 3 with 7"])
        #expect(session.streams(at: .zero).isEmpty)
        let legacy = LinkDatabase.Legacy(entries: [Self.entry(1), Self.entry(2)], last: "2-0")
        #expect(session.tookOver(3, token: 7, legacy).map(\.words) == ["hear m1 m2"])
        #expect(session.streams(at: .zero).map(\.name) == ["in:3"])
        #expect(session.streams(at: .zero).map(\.after) == ["2-0"])
        // What was in it already isn't handled twice.
        #expect(Self.received([2, 10], 3, &session).map(\.words) == ["hear m10"])
        #expect(session.ended([Self.message(1).id]).map(\.words) == ["finish 1-0"])
    }

    @Test func `calls of a message have places, and those of others don't`() {
        var session = Self.reading()
        _ = Self.received([1], 3, &session)
        let envelope = Envelope(room: Self.message(1).room)
        func call(_ operation: AdapterOperation, for number: Int) -> LinkWorkerSession.Route {
            session.call(operation, of: "chat", for: Self.message(number).id, observer: nil).1
        }
        let say = AdapterOperation.deliver(.text("x"), envelope)
        #expect(call(say, for: 1) == .message(entry: "1-0", partition: 3, token: 1, place: "0 chat in chat:#a"))
        #expect(call(say, for: 1) == .message(entry: "1-0", partition: 3, token: 1, place: "1 chat in chat:#a"))
        #expect(call(.users(envelope.room), for: 1) == .request(entry: "1-0", partition: 3))
        #expect(call(say, for: 2) == .request(entry: "", partition: nil))
    }

    @Test func `what a lost partition's messages still want is refused`() {
        var session = Self.reading()
        _ = Self.received([1], 3, &session)
        #expect(session.renewed(Self.renewal([:]), at: .zero).map(\.words) == ["abandon 3"])
        let say = AdapterOperation.deliver(.text("x"), Envelope(room: Self.message(1).room))
        #expect(session.call(say, of: "chat", for: Self.message(1).id, observer: nil).1 == .lost)
        // It comes back: the message waits until the first attempt has ended, which finishes nothing.
        #expect(session.renewed(Self.renewal([3: 5]), at: .zero).map(\.words) == ["take over 3 with 5"])
        #expect(session.tookOver(3, token: 5, LinkDatabase.Legacy(entries: [Self.entry(1)], last: "1-0")).isEmpty)
        #expect(session.ended([Self.message(1).id]).map(\.words) == ["hear m1"])
        #expect(session.ended([Self.message(1).id]).map(\.words) == ["finish 1-0"])
    }

    @Test func `a partition that another worker shall have is given up when nothing is under way in it`() {
        var session = LinkWorkerSession(LinkLimits())
        let all = Dictionary(uniqueKeysWithValues: (0..<32).map { ($0, 1) })
        _ = session.renewed(Self.renewal(all), at: .zero)
        for number in 0..<32 { _ = session.tookOver(number, token: 1, LinkDatabase.Legacy()) }
        for number in 0..<32 { _ = Self.received([number + 1], number, &session) }
        #expect(session.renewed(Self.renewal(all, workers: 2), at: .zero).map(\.words) == ["reload"])
        #expect(session.counts.partitions == 32)
        #expect(session.streams(at: .zero).count == 32)
        let ends = session.ended([Self.message(32).id])
        #expect(ends.map(\.words) == ["finish 32-0", "release 31"])
        // It isn't taken again before that is done.
        #expect(session.renewed(Self.renewal(all, workers: 2), at: .seconds(1)).isEmpty)
        #expect(session.counts.partitions == 31)
        session.released([31: 1])
        // After a while, no further messages are read where something is always under way.
        _ = session.renewed(Self.renewal(all.filter { $0.key != 31 }, workers: 2), at: .seconds(20))
        #expect(session.streams(at: .seconds(20)).count == 16)
    }

    @Test func `a message that crashes workers is given up`() {
        var session = LinkWorkerSession(LinkLimits())
        _ = session.renewed(Self.renewal([3: 7]), at: .zero)
        let legacy = LinkDatabase.Legacy(
            entries: [Self.entry(1, attempts: 11), Self.entry(2), Self.entry(3, attempts: 10)],
            culprits: ["chat:m2": "Oops"])
        #expect(
            session.tookOver(3, token: 7, legacy).map(\.words) == [
                "give up m1", "finish 1-0", "give up m2 of Oops", "finish 2-0", "hear m3"
            ])
    }

    @Test func `a question keeps its partition, and is recorded`() {
        var session = Self.reading(Partitions.number(of: Self.message(1).room))
        let claim = Claim(Self.message(1))
        let number = Partitions.number(of: claim.room)
        #expect(session.questionChanged(claim, isOpen: true).map(\.words) == ["note 1-1 in \(number)"])
        // Two workers for one partition: it isn't this one's share, but it stays.
        #expect(session.renewed(Self.renewal([number: 1], workers: 64), at: .seconds(60)).map(\.words) == ["reload"])
        #expect(session.streams(at: .seconds(60)).count == 1)
        #expect(session.questionChanged(claim, isOpen: false).map(\.words) == ["forget 1-1 in \(number)"])
    }

    @Test func `events with the same id are different messages`() {
        var session = Self.reading()
        let one = Self.entry(1)
        let same = LinkDatabase.Entry(id: "2-0", message: one.message)
        let heard = session.received([one, same], last: "2-0", in: 3, at: .zero)
        #expect(heard.map(\.words) == ["hear m1 m1 3 2-0"])
        #expect(session.ended([Message.ID(adapter: "chat", value: "m1 3 2-0")]).map(\.words) == ["finish 2-0"])
        #expect(session.ended([one.message.id]).map(\.words) == ["finish 1-0"])
    }

    @Test func `what can't be read is skipped`() {
        var session = Self.reading()
        let actions = session.received([Self.entry(2)], unreadable: ["1-0", "3-0"], last: "3-0", in: 3, at: .zero)
        #expect(
            actions.map(\.words) == [
                "unreadable 1-0 in 3", "finish 1-0", "unreadable 3-0 in 3", "finish 3-0", "hear m2"
            ])
        #expect(session.streams(at: .zero).map(\.after) == ["3-0"])
    }

    @Test func `after a lost connection, everything is read again, but handled once`() {
        var session = Self.reading()
        _ = Self.received([5, 6], 3, &session)
        _ = session.ended([Self.message(5).id])
        session.readAgain()
        #expect(session.streams(at: .zero).map(\.after) == ["0-0"])
        // Another server has given the new message a smaller id.
        #expect(Self.received([2, 5, 6], 3, &session).map(\.words) == ["hear m2"])
    }

    @Test func `a worker that has stood still reads nothing until its leases are renewed`() {
        var session = Self.reading()
        #expect(session.streams(at: .seconds(5)).isEmpty)
        #expect(session.received([Self.entry(1)], last: "1-0", in: 3, at: .seconds(5)).isEmpty)
        _ = session.renewed(Self.renewal([3: 1]), at: .seconds(6))
        #expect(session.streams(at: .seconds(6)).map(\.after) == ["0-0"])
    }

    @Test func `timers are left to another worker if the leases aren't renewed`() {
        var session = LinkWorkerSession(LinkLimits())
        #expect(
            session.renewed(Self.renewal([0: 1]), at: .zero).map(\.words) == [
                "take over 0 with 1", "hold timers: false"
            ])
        #expect(session.notRenewed(at: .seconds(4)).isEmpty)
        #expect(session.notRenewed(at: .seconds(5)).map(\.words) == ["hold timers: true"])
    }

    @Test func `a partition that Redis refuses is taken over again, even with the same token`() {
        var session = Self.reading()
        _ = Self.received([1], 3, &session)
        #expect(session.refused(3, token: 2).isEmpty)
        #expect(session.refused(3, token: 1).map(\.words) == ["abandon 3"])
        #expect(session.renewed(Self.renewal([3: 1]), at: .zero).map(\.words) == ["take over 3 with 1"])
    }

    @Test func `what was removed while a reply was on its way isn't handled again`() {
        var session = Self.reading()
        _ = Self.received([1], 3, &session)
        session.readAgain()
        _ = session.beginReading(at: .zero)
        _ = session.ended([Self.message(1).id])
        session.finished([.init(partition: 3, token: 1, entry: "1-0")])
        #expect(Self.received([1], 3, &session).isEmpty)
        // Nor if the partition is read as a whole.
        _ = session.tookOver(3, token: 1, LinkDatabase.Legacy(entries: [Self.entry(1)], last: "1-0"))
        #expect(session.counts.messages == 0)
    }

    @Test func `a worker that lacks an adapter gives everything up`() {
        var session = Self.reading()
        session.lacksAdapter = true
        #expect(session.renewed(Self.renewal([3: 1], workers: 0), at: .zero).map(\.words).last == "release 3")
    }

    @Test func `a robot that stops gives back what it gets, and what becomes idle`() {
        var session = Self.reading()
        _ = Self.received([1], 3, &session)
        _ = session.stop()
        #expect(session.renewed(Self.renewal([3: 1, 9: 4]), at: .zero).map(\.words) == ["release 9"])
        #expect(session.ended([Self.message(1).id]).map(\.words) == ["finish 1-0", "release 3"])
    }

    @Test func `a robot that stops gives up what is idle, and what is canceled stays`() {
        var session = Self.reading()
        _ = session.renewed(Self.renewal([3: 1, 4: 1]), at: .zero)
        _ = session.tookOver(4, token: 1, LinkDatabase.Legacy())
        _ = Self.received([1], 3, &session)
        #expect(session.stop().map(\.words) == ["release 4"])
        session.end()
        #expect(session.ended([Self.message(1).id]).isEmpty)
    }

    /// The number of a new call of message 1.
    private static func call(_ session: inout LinkWorkerSession) -> Int {
        let answer = AdapterOperation.deliver(.text("PONG"), Envelope(room: message(1).room))
        return session.call(answer, of: "chat", for: message(1).id, observer: nil).0.call
    }

    @Test func `a message isn't done before its calls are in Redis`() {
        var session = Self.reading()
        _ = Self.received([1], 3, &session)
        let calls = [Self.call(&session), Self.call(&session)]
        #expect(session.ended([Self.message(1).id]).isEmpty)
        #expect(session.settled(calls[1], of: Self.message(1).id).isEmpty)
        #expect(session.settled(calls[0], of: Self.message(1).id).map(\.words) == ["finish 1-0"])
    }

    @Test func `a message whose closure is canceled before its call is in Redis is handled again after that`() {
        var session = Self.reading()
        _ = Self.received([1], 3, &session)
        let call = Self.call(&session)
        session.canceled(call, of: Self.message(1).id)
        #expect(session.ended([Self.message(1).id]).isEmpty)
        #expect(session.settled(call, of: Self.message(1).id).map(\.words) == ["hear m1"])
        // What is left of the first attempt changes nothing.
        let next = Self.call(&session)
        session.canceled(call, of: Self.message(1).id)
        #expect(session.settled(next, of: Self.message(1).id).isEmpty)
        #expect(session.ended([Self.message(1).id]).map(\.words) == ["finish 1-0"])
    }

    @Test func `a message whose notice couldn't be sent is handled again`() {
        var session = Self.reading()
        _ = Self.received([1], 3, &session)
        let (answer, notice) = (Self.call(&session), Self.call(&session))
        #expect(session.settled(notice, of: Self.message(1).id, isMissing: true).isEmpty)
        #expect(session.ended([Self.message(1).id]).isEmpty)
        #expect(session.settled(answer, of: Self.message(1).id).map(\.words) == ["hear m1"])
    }

    @Test func `a closure that is canceled after its call is in Redis isn't run again`() {
        var session = Self.reading()
        _ = Self.received([1], 3, &session)
        let call = Self.call(&session)
        _ = session.settled(call, of: Self.message(1).id)
        session.canceled(call, of: Self.message(1).id)
        #expect(session.ended([Self.message(1).id]).map(\.words) == ["finish 1-0"])
    }

    @Test func `ids of streams are compared by their numbers`() {
        #expect(StreamID("9-5") < StreamID("10-0"))
        #expect(StreamID("10-9") < StreamID("10-10"))
    }
}

extension LinkWorkerSession.Action {
    /// The action in words.
    fileprivate var words: String {
        switch self {
        case .takeOver(let partition, let token): "take over \(partition) with \(token)"
        case .release(let partitions): "release " + partitions.keys.sorted().map { "\($0)" }.joined(separator: " ")
        case .abandon(let partition): "abandon \(partition)"
        case .hear(let messages): "hear " + messages.map(\.id.value).joined(separator: " ")
        case .finish(let messages): "finish " + messages.map(\.entry).joined(separator: " ")
        case .apologize(let claims): "apologize to \(claims.count)"
        case .unreadable(let entry, let partition): "unreadable \(entry) in \(partition)"
        case .giveUp(let message, let script): "give up \(message.id.value)" + (script.map { " of \($0)" } ?? "")
        case .note(_, let id, let isOpen, let partition, _): "\(isOpen ? "note" : "forget") \(id) in \(partition)"
        case .holdTimers(let holds): "hold timers: \(holds)"
        case .reload: "reload"
        case .readNow: "read now"
        }
    }
}
