public import FoundationEssentials
import Logging

/// The access to commands that admins have changed from chat.
public struct ChangedAccess: Codable, Hashable, Sendable {
    /// One change.
    public struct Entry: Codable, Hashable, Sendable {
        /// The script.
        public let script: String
        /// The command's words before its first placeholder, see ``HelpLine/command``; nil for all commands of the script.
        public let command: String?
        /// Who may use it now.
        public let access: Access
        /// The admin who has changed it.
        public let admin: User.ID
        /// When it was changed.
        public let date: Date
    }

    /// The changes, the oldest first.
    public private(set) var entries: [Entry] = []
    /// The maximum number of entries: all are stored as one value of the brain.
    static let most = 500

    /// The changed access to a listener; nil if it wasn't changed.
    ///
    /// A change of a command takes precedence over a change of its script.
    func access(to listener: Listener) -> Access? {
        guard !entries.isEmpty else { return nil }
        let own = entries.filter { $0.script == listener.script }
        guard !own.isEmpty else { return nil }
        let commands = Set(listener.help.map(\.command))
        let changed = own.last { entry in entry.command.map { commands.contains($0) } ?? false }
        return (changed ?? own.last { $0.command == nil })?.access
    }

    /// Replaces the entries for the same command, and for the other commands of its listeners.
    mutating func set(_ entry: Entry, others: Set<String> = []) throws {
        _ = remove(entry.script, entry.command)
        entries.removeAll { $0.script == entry.script && $0.command.map { others.contains($0) } ?? false }
        guard entries.count < Self.most else {
            throw Refusal(
                "The access to at most \(Self.most) commands can be changed. Reset the access to others first.")
        }
        entries.append(entry)
    }

    /// Removes the entry for a command; false if there is none.
    mutating func remove(_ script: String, _ command: String?) -> Bool {
        guard let index = entries.firstIndex(where: { $0.script == script && $0.command == command }) else {
            return false
        }
        entries.remove(at: index)
        return true
    }
}

extension Robot {
    /// The number of commands that the warning about changed access lists.
    private static let mostListed = 10

    /// Warns of changed access to commands that don't exist.
    ///
    /// If a command has a new name, its script decides again who may use it.
    func warnOfAccessToMissingCommands() {
        let missing = changedAccess.entries.filter { listeners(of: $0.script, command: $0.command).isEmpty }
        guard !missing.isEmpty else { return }
        let names = missing.prefix(Self.mostListed).map { entry in
            entry.command.map { "\"\($0)\" of \(entry.script)" } ?? "all commands of \(entry.script)"
        }
        let more = missing.count > names.count ? " and \(missing.count - names.count) more" : ""
        logger.warning(
            """
            access was changed from chat for commands that don't exist: \(names.joined(separator: ", "))\(more); \
            if a command has a new name, change its access again, and say "reset access to" with the old name
            """)
    }
}

/// Who may use which listener: what the scripts say, and what admins have changed.
final class AccessRules: Sendable {
    private static let memory = BrainKey<ChangedAccess>("heybot.access")

    private let changed = CachedBrainValue(memory, empty: ChangedAccess())
    private let brain: Brain

    init(_ brain: Brain) { self.brain = brain }

    /// Reads the changes again: another robot with the same brain may have made some.
    func load() async throws { try await changed.load(from: brain) }

    var changes: ChangedAccess { changed.value }

    func access(to listener: Listener) -> Access { changed.value.access(to: listener) ?? listener.access }

    func set(_ entry: ChangedAccess.Entry, others: Set<String>) async throws {
        try await changed.update(in: brain) { try $0.set(entry, others: others) }
    }

    func remove(_ script: String, _ command: String?) async throws -> Bool {
        try await changed.update(in: brain) { $0.remove(script, command) }
    }
}

extension Robot {
    /// Who may use a listener now: as an admin has decided from chat, otherwise as the listener's script says.
    public func access(to listener: Listener) -> Access { accessRules.access(to: listener) }

    /// What admins have changed from chat.
    public var changedAccess: ChangedAccess { accessRules.changes }

    /// Changes who may use a command.
    ///
    /// The change is stored in the brain; robots that share the brain apply it within half a minute.
    ///
    /// - Parameters:
    ///   - access: Who may use the command from now on.
    ///   - script: The command's script.
    ///   - command: The command, as in ``HelpLine/command``; nil for all commands of the script.
    ///   - admin: The user who changes it.
    /// - Returns: The other commands that have the same listeners, so that the change holds for them too.
    /// - Throws: A ``Refusal`` if there are too many changes, ``StoreError``, ``BrainCodingError``.
    @discardableResult
    public func setAccess(
        _ access: Access, to script: String, command: String?, by admin: User
    ) async throws -> [String] {
        let own = command.map { command in listeners(of: script, command: command).flatMap(\.help).map(\.command) }
        let others = Set(own ?? []).subtracting([command ?? ""])
        try await accessRules.set(
            ChangedAccess.Entry(script: script, command: command, access: access, admin: admin.id, date: date),
            others: others)
        return others.sorted()
    }

    /// The listeners that handle a command.
    ///
    /// - Parameters:
    ///   - script: The command's script.
    ///   - command: The command, as in ``HelpLine/command``; nil for all commands of the script.
    public func listeners(of script: String, command: String?) -> [Listener] {
        listeners.filter { listener in
            listener.script == script
                && (command.map { command in listener.help.contains { $0.command == command } } ?? true)
        }
    }

    /// Takes a change back: then the script decides again.
    ///
    /// - Returns: False if there was no such change.
    @discardableResult
    public func resetAccess(to script: String, command: String?) async throws -> Bool {
        try await accessRules.remove(script, command)
    }
}
