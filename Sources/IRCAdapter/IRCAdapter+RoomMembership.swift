public import Heybot
import HeybotIRC
import NetworkAdapter

// Joining rooms on request, and again after a restart.

/// A room that isn't in the settings, as stored in the brain.
struct SavedRoom: Codable, Hashable {
    var name: String
    var key: String?
    var isInvited: Bool

    init(_ channel: SessionConfiguration.Channel) {
        (name, key, isInvited) = (channel.name, channel.key, channel.origin == .invitation)
    }

    var channel: SessionConfiguration.Channel {
        SessionConfiguration.Channel(name, key: key, origin: isInvited ? .invitation : .command)
    }
}

extension IRCAdapter: RoomMembership {
    /// How long a server may take to answer a join.
    private static var joinTimeout: Duration { .seconds(20) }

    /// Joins a channel.
    ///
    /// - Parameter password: The channel key; nil if it has none.
    /// - Throws: ``Heybot/AdapterError`` if the channel can't be joined.
    public func join(_ room: String, password: String?) async throws -> Room {
        let isValid = [room, password ?? "x"].allSatisfy { word in
            !word.isEmpty && !word.utf8.contains { $0 <= 32 || $0 == UInt8(ascii: ",") } && word.utf8.count <= 200
                && !word.hasPrefix(":")
        }
        guard isValid else { throw AdapterError.noChannel(room) }
        let result = await withCheckedContinuation { continuation in
            let number = driver.act { $0.join(room, key: password, at: $1, continuation) }
            driver.timers.after(Self.joinTimeout) { [weak driver] in
                driver?.act { $0.abandonJoin(room, number, at: $1) }
            }
        }
        await driver.saveRooms()
        return try result.get()
    }

    /// Leaves a channel, and doesn't rejoin it.
    ///
    /// - Throws: ``Heybot/AdapterError`` if the robot isn't in the channel.
    public func leave(_ room: String) async throws {
        guard driver.act({ $0.part(room, at: $1) }) else { throw AdapterError(.notInRoom, "I'm not in \(room)") }
        await driver.saveRooms()
    }

    public func isInSettings(_ room: String) -> Bool { driver.withLock { $0.isInSettings(room) } }
}

extension IRCAdapter: RoomMembershipReporting {
    /// Whether the robot is in a channel or tries to join it; nil for a nick, and while disconnected.
    public func isIn(_ room: Room) async -> Bool? {
        // This is an address on another network: nicks can't contain an @ (RFC 2812 section 2.3.1).
        if room.name.contains("@") { return false }
        return driver.withLock { manager in
            guard let session = manager.state.session, session.support.isChannel(room.name) else { return nil }
            let key = manager.fold(room.name)
            return session.members.channels[key] != nil || session.channels.contains { manager.fold($0.name) == key }
        }
    }
}

extension IRCAdapter: RoomNameFolding {
    public func foldedRoomName(_ name: String) -> String {
        driver.withLock { manager in
            // Without a server, which says how it compares names, only letters are folded, as every server does.
            (manager.caseMapping ?? .ascii).fold(name)
        }
    }
}

extension IRCAdapter: ServerFactSharing {
    private static var caseMappingFact: String { "caseMapping" }

    package var serverFacts: [String: String] {
        guard let mapping = driver.withLock({ $0.caseMapping }) else { return [:] }
        return [Self.caseMappingFact: mapping.name]
    }

    package func adopt(_ facts: [String: String]) {
        guard let mapping = facts[Self.caseMappingFact].flatMap({ CaseMapping(name: $0) }) else { return }
        driver.withLock { $0.adoptedCaseMapping = mapping }
    }
}

extension IRCAdapter: StatusAnnouncing {
    package func onStatusChange(_ action: @escaping @Sendable () -> Void) {
        driver.withLock { $0.state.status.onChange = action }
    }
}

extension IRCAdapter: MemberListing {
    public func users(in room: Room) async -> [User] { driver.withLock { $0.users(in: room.name) } }

    public func isPresent(_ user: User.ID) async -> Bool { driver.withLock { $0.isPresent(user) } }
}

extension AdapterError {
    static func away(_ adapter: String) -> Self { Self(.notConnected, "\(adapter) isn't connected") }

    static func noChannel(_ name: String) -> Self {
        Self(.invalidName, "\(name) isn't a channel: channel names begin with #")
    }
}
