import FoundationEssentials
import HeybotXMPP
import NetworkAdapter

// Leaves the session open for the next robot, and resumes the session of an earlier one.

extension XMPPSessionManager {
    /// Takes over the session that an earlier robot has left open.
    mutating func takeOverStoredSession(nonce: String, at now: Duration) {
        // A robot that was killed may not have handled what it received.
        guard let stored = stored.take(), interrupted == nil, takeover.killedRun == nil,
            let age = stored.age(at: date(), settings: configuration.sessionSettings)
        else { return }
        interrupted = Session(
            stored.session, configuration.session, nonce: nonce, rooms: rooms, age: age, at: now)
        guard interrupted != nil else { return }
        // What was sent to the earlier robot since then is for this one; what was sent before, the earlier one has handled, unless
        // it got lost on its way.
        recent = RecentMessages(
            missedAge: configuration.session.missedMessageAge, since: stored.lastReceived, tolerance: 0)
        if let heard = stored.heard { recent.restore(heard, at: now) }
    }

    /// Leaves what arrives from now on to the next robot.
    mutating func stopHearing() {
        leavesRest = true
        if state.session?.isResumable == true { takeover.leavesSession = true }
        state.session?.leaveRest()
    }

    /// Handles the end of a session's connection.
    mutating func noteEnd(of session: Session) {
        if session.isResumable {
            interrupted = session
        } else if !state.hasQuit || takeover.leavesSession {
            takeover.hasLostSession = true
        } else if session.hasLoggedIn {
            takeover.hasLostSession = false
        }
    }

    /// Returns the session that this robot leaves open when it is stopped; nil if it has closed it.
    func sessionToStore(at now: Duration) -> StoredSession? {
        // The robot may have been stopped before it could resume the session.
        if let stored { return stored }
        guard configuration.session.isKeptAtStop, let interrupted, let kept = interrupted.kept else { return nil }
        let age: Double = (now - interrupted.lastReceived) / .seconds(1)
        return StoredSession(
            session: kept, settings: configuration.sessionSettings, lastReceived: date().addingTimeInterval(-age),
            heard: recent.heard(before: interrupted.lastReceived))
    }

    /// Whether the robot has lost the session that it was to leave open, or can't store it.
    var hasLostSession: Bool {
        configuration.session.isKeptAtStop && (interrupted != nil || takeover.hasLostSession)
    }

    /// The server that the session of an earlier robot prefers to be resumed at.
    var storedSessionServer: ServerAddress? {
        guard let stored, stored.age(at: date(), settings: configuration.sessionSettings) != nil else { return nil }
        return stored.session.server
    }
}
