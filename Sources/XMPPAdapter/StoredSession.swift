import FoundationEssentials
import Heybot
import HeybotSupport
import HeybotXMPP
import Logging

/// A session that a stopped robot has left open on the server, as stored in the brain.
struct StoredSession: Codable, Hashable, Sendable {
    let session: KeptSession
    /// A hash of the settings that the session depends on.
    let settings: String
    /// When the robot last heard from the server.
    let lastReceived: Date
    /// What the robot has heard shortly before; nil if an earlier version has stored the session.
    var heard: [RecentStanzaIDs.HeardMessage]?

    /// Returns how long ago the robot last heard from the server; nil if the server has ended the session since, or the
    /// session depends on other settings.
    func age(at date: Date, settings: String) -> Duration? {
        let age = date.timeIntervalSince(lastReceived)
        // The clock may have been set back a little.
        guard self.settings == settings, age >= -60, age <= Double(session.lifetime) else { return nil }
        return .seconds(max(age, 0))
    }
}

/// Stores the session that a robot leaves open when it is stopped, for the next robot.
struct StoredSessionKeeper: Sendable {
    private let brain: Brain?
    private let key: BrainKey<StoredSession>
    private let logger: Logger

    /// - Parameters:
    ///   - adapter: The adapter's name.
    ///   - brain: Stores the session; if it is nil, no session is stored.
    init(of adapter: String, in brain: Brain?, logger: Logger) {
        (self.brain, self.logger) = (brain, logger)
        key = BrainKey("\(adapter).session")
    }

    /// Returns the stored session, and removes it: only one robot resumes it, and only once.
    func take() async -> StoredSession? {
        guard let brain else { return nil }
        do {
            guard try await brain.recall(key) != nil else { return nil }
            return try await brain.update(key) { (stored: inout StoredSession?) -> StoredSession? in
                defer { stored = nil }
                return stored
            }
        } catch {
            logger.warning("can't load the session that I left open: \(error)")
            return nil
        }
    }

    /// Stores a session.
    ///
    /// - Returns: Whether it is stored.
    func store(_ session: StoredSession) async -> Bool {
        do {
            try await brain?.remember(key, session)
            return brain != nil
        } catch {
            logger.warning("can't save the session that I leave open: \(error)")
            return false
        }
    }
}

extension XMPPAdapter.ResolvedConfiguration {
    /// A hash of the settings that a session depends on: if one has changed, a robot begins a new session.
    var sessionSettings: String {
        let host = server.map { "\($0)" } ?? ""
        var texts = [session.address.description, host, "\(session.usesTLS)", "\(session.isAvailable)"]
        texts += [session.nick, session.status ?? ""]
        texts += session.rooms.map(\.address.description).sorted()
        let hash = CryptographicHash.sha256.hash(texts.joined(separator: "\n").utf8)
        return hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
