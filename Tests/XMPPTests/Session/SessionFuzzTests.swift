import Foundation
import HeybotSupport
import HeybotTesting
import TestServers
import Testing

@testable import HeybotXMPP

/// Random input in random order at random times: nothing traps, memory stays bounded, and time advances.
///
/// 8,000 steps, and 1,000,000 with `bin/test --soak`.
@Suite struct SessionFuzzTests {
    private static let steps = Soak.rounds(2_000, soak: 250_000)

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `random stanzas`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var stanzas = RandomStanzas()
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
            if actions == [.startTLS], random.below(10) != 0 { stanzas.learn(session.secured()) }
            for case .hear in actions { heard += 1 }
            // The actions for one event are bounded by the state: rooms, requests and queued messages.
            try #require(actions.count <= 3_000, "\(actions.count) at step \(steps)")
            try #require(session.unsent.count <= 50 && session.wantedRooms.count <= 500)
            if session.phase == .over {
                endings += 1
                try #require(session.due == nil)
                try #require(session.tick(at: now) == [] && session.receive(.close, at: now) == [])
                let rooms = random.below(2) == 0 ? session.wantedRooms : nil
                session = Self.session(&random, rooms: rooms, waiting: session.unsent, at: now)
                stanzas = RandomStanzas()
            }
        }
        // Enough sessions get far enough for the test to be meaningful.
        #expect(arrivals > Self.steps / 2_000, "\(arrivals)")
        #expect(endings > Self.steps / 2_000, "\(endings)")
        #expect(heard > Self.steps / 100, "\(heard)")
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
        var session = Session(
            profile, isSecure: profile.usesTLS && random.below(4) != 0, nonce: TranscriptPlayer.nonce, rooms: rooms,
            waiting: waiting, at: now)
        _ = session.begin()
        return session
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
