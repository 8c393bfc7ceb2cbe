import FoundationEssentials
import Heybot
import HeybotXMPP
import NetworkAdapter

// Takes over the commands of a robot that was killed, and records what the next robot needs to do that.

/// Commands to a killed robot that are about to be handled.
struct TakenOverCommands: Sendable {
    /// Their ids in the archive.
    let ids: [String]
    let archive: JID
}

/// What the session manager knows about a robot that was killed, and tells the next one.
struct Takeover {
    /// The robot that was killed, until archives have told which commands it hasn't answered.
    var killedRun: RobotRun?
    /// Passes on which commands of an archive are about to be handled; nil if the adapter doesn't run.
    var attemptQueue: AsyncStream<TakenOverCommands>.Continuation?
    /// Whether a message was heard that doesn't count as handled yet.
    var hasHeard = false
    /// Passes on that ``hasHeard`` has become true; nil if the adapter doesn't run.
    var heardQueue: AsyncStream<Void>.Continuation?
    /// Whether what the server sends is left to the next robot, which resumes the session.
    var leavesSession = false
    /// Whether the last session has ended, and neither can be resumed nor was ended by the robot.
    var hasLostSession = false
}

extension XMPPSessionManager {
    /// The time before which commands are too old to be answered.
    var earliestCommand: Date { date().addingTimeInterval(-(configuration.session.missedMessageAge / .seconds(1))) }

    /// Takes over the commands of a robot that was killed.
    mutating func takeOver(_ killedRun: RobotRun) {
        takeover.killedRun = killedRun
        recent = RecentMessages(missedAge: configuration.session.missedMessageAge, since: killedRun.since)
    }

    /// Lets a new session ask archives for the commands of a killed robot.
    func takeOverCommands(in session: inout Session, at now: Duration) {
        guard let killedRun = takeover.killedRun else { return }
        let age = max(date().timeIntervalSince(killedRun.since), 0)
        session.takeOverFromKilledRobot(since: now - .seconds(age), at: now) { archive, id in
            killedRun.attempts[RobotRun.Command(archive: archive.description, id: id).key]?.count ?? 0
        }
    }

    /// Passes on which commands of an archive are about to be handled.
    func recordAttempts(_ ids: [String], of archive: JID) {
        takeover.attemptQueue?.yield(TakenOverCommands(ids: ids, archive: archive))
    }

    /// Returns the commands of an archive to handle, once the attempts are recorded.
    mutating func takenOver(from archive: JID, at now: Duration) -> [Message] {
        var messages: [Message] = []
        perform(state.session?.noteRecordedAttempts(of: archive) ?? [], at: now, into: &messages)
        return messages
    }

    /// Notes that a message was heard, so that the next robot doesn't handle it again.
    mutating func noteHeard() {
        if takeover.hasHeard { return }
        takeover.hasHeard = true
        takeover.heardQueue?.yield()
    }

    /// Notes that everything that is heard from now on is heard in time.
    ///
    /// - Returns: Whether everything that was said before is heard, and nothing is left to take over.
    mutating func beginHearing(at now: Duration) -> Bool {
        takeover.hasHeard = false
        let isCaughtUp = state.session?.isCaughtUp(at: now) == true
        if isCaughtUp { takeover.killedRun = nil }
        return isCaughtUp
    }

    /// Returns the time before which everything that was said is heard, and closures had the time to handle it; nil if
    /// something may not be heard.
    func handledBefore(at now: Duration, handlingTime: Duration) -> Date? {
        guard let session = state.session, session.isCaughtUp(at: now) else { return nil }
        let age = max(now - session.lastReceived, handlingTime)
        return date().addingTimeInterval(-(age / .seconds(1)))
    }
}

extension XMPPAdapter {
    /// Closures have this time to handle what was heard, before it counts as handled.
    private static let handlingTime: Duration = .seconds(60)
    /// The time from what was heard to the record; longer than the handling time by more than the margin of archive queries.
    private static let recordInterval: Duration = .seconds(90)

    /// Records that this robot runs, and takes over from one that was killed.
    ///
    /// - Parameter stored: The session that an earlier robot has left open.
    func beginRun(_ stored: StoredSession?) async {
        let (date, earliest) = driver.withLock { ($0.date(), $0.earliestCommand) }
        let since = min(stored?.lastReceived ?? date, date)
        guard let killedRun = await run.begin(since: since, notBefore: earliest, at: date) else { return }
        driver.withLock { $0.takeOver(killedRun) }
    }

    /// Records attempts to handle commands of a killed robot, and handles them, until the task is canceled.
    func startRecordingAttempts(_ inbox: Inbox) -> Task<Void, Never> {
        let (found, queue) = AsyncStream.makeStream(of: TakenOverCommands.self)
        driver.withLock { $0.takeover.attemptQueue = queue }
        return Task {
            for await commands in found {
                let ids = commands.ids.map { RobotRun.Command(archive: commands.archive.description, id: $0) }
                let (date, earliest) = driver.withLock { ($0.date(), $0.earliestCommand) }
                await run.recordAttempts(ids, at: date, notBefore: earliest)
                await inbox.receive(timeout: Inbox.receiveTimeout) { isStopping in
                    // The next robot takes them over.
                    if isStopping { return ([], ()) }
                    return (driver.act { $0.takenOver(from: commands.archive, at: $1) }, ())
                }
            }
        }
    }

    /// Records which commands are handled, until the task is canceled: only if something was heard.
    func startRecordingHandled() -> Task<Void, Never> {
        let (heard, queue) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        driver.withLock { $0.takeover.heardQueue = queue }
        return Task {
            for await _ in heard {
                let isCaughtUp = driver.act { $0.beginHearing(at: $1) }
                do { try await driver.timeSource.sleep(Self.recordInterval) } catch { return }
                let handled = driver.withLock {
                    $0.handledBefore(at: driver.timeSource.now(), handlingTime: Self.handlingTime)
                }
                if isCaughtUp, let handled {
                    let earliest = driver.withLock { $0.earliestCommand }
                    await run.recordHandled(before: handled, notBefore: earliest)
                } else {
                    // Something may not be heard or answered yet: the next round looks again.
                    driver.withLock { $0.noteHeard() }
                }
            }
        }
    }
}
