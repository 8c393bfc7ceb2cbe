import Foundation
import HeybotSupport
import HeybotTesting
import TestServers
import Testing

@testable import HeybotXMPP

/// Random input in random order at random times: nothing traps, memory stays bounded, and time advances.
///
/// Half of the sessions have servers with stream management (XEP-0198): then they are also resumed, sometimes by another
/// process.
///
/// 16,000 steps, and 2,000,000 with `bin/test --soak`.
@Suite struct SessionFuzzTests {
    private static let steps = Soak.rounds(2_000, soak: 250_000)

    /// The maximum number of stanzas that a session keeps until the server acknowledges them.
    private static let maxUnacknowledged = 4_000

    @Test(arguments: [1, 2, 3, 4] as [UInt64], [false, true])
    func `random stanzas`(_ seed: UInt64, hasStreamManagement: Bool) async throws {
        var random = SeededGenerator(seed: seed)
        let kept = hasStreamManagement ? Self.maxUnacknowledged : 0
        var resumptions = 0
        var stanzas = RandomStanzas(hasStreamManagement: hasStreamManagement)
        var (arrivals, endings, heard) = (0, 0, 0)
        var (session, now) = (Self.session(&random), Duration.zero)
        var steps = 0
        while steps < Self.steps {
            steps += 1
            if steps.isMultiple(of: 1_000) { await Task.yield() }
            let wasReady = session.isOnline
            let actions = try Self.step(&session, &now, &stanzas, &random)
            if !wasReady, session.isOnline { arrivals += 1 }
            stanzas.learn(actions)
            for case .send(let element) in actions { _ = session.recordSent(element) }
            for case .log(.resumed(_)) in actions { resumptions += 1 }
            if actions == [.startTLS], random.below(10) != 0 { stanzas.learn(session.secured()) }
            for case .hear in actions { heard += 1 }
            // The actions for one event are bounded by the state: rooms, requests and queued messages.
            try #require(actions.count <= 3_000 + kept, "\(actions.count) at step \(steps)")
            // Queued messages, those that wait for archives, and sent ones that aren't confirmed.
            try #require(session.unsent.count <= 50 + 50 + max(kept, 1_000) && session.wantedRooms.count <= 500)
            try #require(session.streamManagement.unacknowledgedStanzas.count <= kept)
            if session.phase == .over {
                endings += 1
                try #require(session.due == nil)
                try #require(session.tick(at: now) == [] && session.receive(.close, at: now) == [])
            }
            // Some connections break at any time.
            if session.isResumable, random.below(session.phase == .over ? 2 : 50) == 0 {
                stanzas = RandomStanzas(hasStreamManagement: true)
                stanzas.learn(Self.reopen(&session, &random, at: now))
            } else if session.phase == .over {
                let rooms = random.below(2) == 0 ? session.wantedRooms : nil
                session = Self.session(&random, rooms: rooms, waiting: session.unsent, at: now)
                stanzas = RandomStanzas(hasStreamManagement: hasStreamManagement)
            }
        }
        // Enough sessions get far enough for the test to be meaningful.
        #expect(arrivals > Self.steps / 2_000, "\(arrivals)")
        #expect(endings > Self.steps / 2_000, "\(endings)")
        #expect(heard > Self.steps / 100, "\(heard)")
        #expect((resumptions > 0) == hasStreamManagement, "\(resumptions)")
    }

    private static func session(
        _ random: inout SeededGenerator, rooms: [SessionConfiguration.Room]? = nil, waiting: [OutgoingMessage] = [],
        at now: Duration = .zero
    ) -> Session {
        var profile = SessionConfiguration.inDev()
        profile.rooms.append(SessionConfiguration.Room(jid("tea@muc.ship.org"), password: "milk"))
        profile.usesTLS = random.below(8) != 0
        profile.rejoinsAfterKick = random.below(2) == 0
        profile.contacts = random.pick([.all, .all, .none, .only([jid("ann@ship.org"), jid("b.org")])])
        profile.queueLimit = 50
        profile.longestText = 100
        profile.rateLimit = RateLimit(burst: 1 + random.below(5), interval: .milliseconds(random.below(3_000)))
        profile.timeouts.pingInterval = .seconds(random.pick([5, 60, 3_000]))
        profile.missedMessageAge = .seconds(random.pick([0, 600]))
        profile.isKeptAtStop = random.below(2) == 0
        profile.usesBookmarks = random.below(2) == 0
        profile.commands = [AdHocCommand("help", title: "Help")]
        let absentSince: Duration? = rooms == nil ? nil : now - .seconds(60)
        var session = Session(
            profile, isSecure: profile.usesTLS && random.below(4) != 0, nonce: TranscriptPlayer.nonce, rooms: rooms,
            waiting: waiting, absentSince: absentSince, at: now)
        session.epoch = 1_767_225_600
        session.joinsBookmarks = true
        _ = session.begin()
        return session
    }

    /// Goes on with a session on another connection, in half of the cases in another process.
    private static func reopen(
        _ session: inout Session, _ random: inout SeededGenerator, at now: Duration
    ) -> [Session.Action] {
        if random.below(2) == 0, let kept = session.kept {
            let (profile, rooms) = (session.configuration, session.wantedRooms)
            let other = Session(
                kept, profile, nonce: TranscriptPlayer.nonce, rooms: rooms, age: .seconds(random.below(100)), at: now)
            if let other { session = other }
        }
        let isSecure = session.configuration.usesTLS && random.below(4) != 0
        return session.reopen(isSecure: isSecure, nonce: TranscriptPlayer.nonce, waiting: session.unsent, at: now)
    }

    private static func step(
        _ session: inout Session, _ now: inout Duration, _ stanzas: inout RandomStanzas, _ random: inout SeededGenerator
    ) throws -> [Session.Action] {
        switch random.below(20) {
        case 0: return try pass(.milliseconds(random.pick([1, 100, 5_000, 30_000, 400_000])), &session, &now)
        case 1:
            let targets = ["dev@muc.ship.org", "dev@muc.ship.org/ann", "bob@b.org", "tea@muc.ship.org"]
            let text = String(repeating: random.pick(["a", "wo rd ", "\n", "ä👩‍👩‍👧‍👦"]), count: random.below(120))
            return session.say([OutgoingMessage(to: jid(random.pick(targets)), text, since: now)], at: now)
        case 2:
            switch random.below(6) {
            case 0: return session.secured()
            case 1: session.isCongested.toggle()
            case 2: session.pause(at: now)
            case 3: session.resume(at: now)
            case 4: return session.setSubject("x", of: jid("dev@muc.ship.org")) ?? []
            default: return random.below(20) == 0 ? session.quit("Bye") : []
            }
            return []
        case 3:
            return session.ask(
                Element("ping", Namespace.ping), to: random.pick([nil, jid("bob@b.org/x")]), as: "q", at: now)
        default:
            guard let event = stanzas.next(in: session, &random) else { return [] }
            return session.receive(event, at: now)
        }
    }

    /// Time advances: every tick makes progress.
    private static func pass(
        _ time: Duration, _ session: inout Session, _ now: inout Duration
    ) throws -> [Session.Action] {
        let end = now + time
        var actions: [Session.Action] = []
        var (atOnce, last) = (0, Duration.zero)
        while let due = session.due, due <= end {
            now = max(now, due)
            atOnce = now == last ? atOnce + 1 : 0
            last = now
            try #require(atOnce < 3, "again and again at \(now)")
            actions += session.tick(at: now)
        }
        now = end
        // Calling it too often does no harm.
        try #require(session.tick(at: now) == [])
        return actions
    }
}
