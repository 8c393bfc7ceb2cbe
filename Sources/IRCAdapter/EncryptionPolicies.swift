import FoundationEssentials
import Heybot
import Logging
import Synchronization

/// A server's demand for encryption, as stored in the brain.
struct EncryptionPolicy: Codable, Hashable, Sendable {
    /// The port for encrypted connections.
    var port: Int
    /// When the demand ends.
    var expires: Date

    /// Whether it is in force at a time.
    func isInForce(at date: Date) -> Bool { expires > date && (1...65_535).contains(port) }
}

/// The hosts that may only be connected to with TLS and a verified certificate (IRCv3 strict transport security).
///
/// Their servers have demanded it over such a connection. The brain stores the demands, so that a restart doesn't end
/// them.
final class EncryptionPolicies: Sendable {
    /// What was last known about a host.
    private struct Knowledge {
        /// Nil if there is no policy.
        let policy: EncryptionPolicy?
        /// Whether the brain has it; false if there is no brain, or it can't be written.
        let isSaved: Bool
    }

    private let brain: Brain?
    private let collection: BrainCollection<EncryptionPolicy>
    private let logger: Logger
    private let isReadOnly: Bool
    /// By the hosts' keys.
    private let known = Mutex<[String: Knowledge]>([:])

    /// - Parameters:
    ///   - adapter: The adapter's name.
    ///   - brain: Stores the policies; nil to forget them at the end.
    convenience init(of adapter: String, in brain: Brain?, logger: Logger) {
        self.init(brain, BrainCollection("\(adapter).sts"), logger, isReadOnly: false)
    }

    private init(_ brain: Brain?, _ collection: BrainCollection<EncryptionPolicy>, _ logger: Logger, isReadOnly: Bool) {
        (self.brain, self.collection) = (brain, collection)
        (self.logger, self.isReadOnly) = (logger, isReadOnly)
    }

    /// The same policies for a check, which stores none.
    var forPreflight: EncryptionPolicies { EncryptionPolicies(brain, collection, logger, isReadOnly: true) }

    /// Returns the policy in force for a host; nil if there is none.
    ///
    /// If the brain can't be read, what was last known counts, so that the robot can reconnect.
    ///
    /// - Throws: An error if the brain can't be read, and nothing is known about the host.
    func policy(of host: String, at date: Date) async throws -> EncryptionPolicy? {
        guard let policy = try await latestPolicy(Self.key(host)), policy.isInForce(at: date) else { return nil }
        return policy
    }

    private func latestPolicy(_ key: String) async throws -> EncryptionPolicy? {
        let last = known.withLock { $0[key] }
        guard let brain, last?.isSaved ?? true else { return last?.policy }
        do {
            let policy = try await brain.recall(collection, key)
            known.withLock { $0[key] = Knowledge(policy: policy, isSaved: true) }
            return policy
        } catch {
            guard let last else { throw error }
            return last.policy
        }
    }

    /// Records the demand of a host: to be connected to on this port, for so many seconds from `date`.
    ///
    /// 0 seconds end the demand.
    func record(_ seconds: Int, of host: String, port: Int, at date: Date) async {
        let key = Self.key(host)
        let end = date.addingTimeInterval(Double(seconds))
        let policy = seconds > 0 ? EncryptionPolicy(port: port, expires: end) : nil
        known.withLock { $0[key] = Knowledge(policy: policy, isSaved: false) }
        guard let brain, !isReadOnly else { return }
        do {
            if let policy {
                try await brain.remember(collection, key, policy)
            } else {
                try await brain.forget(collection, key)
            }
            known.withLock { $0[key] = Knowledge(policy: policy, isSaved: true) }
        } catch {
            logger.warning("can't save that the server demands TLS: \(error)")
        }
    }

    /// Host names are compared without case and the dot at the end.
    private static func key(_ host: String) -> String {
        let name = host.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
