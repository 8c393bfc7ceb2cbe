/// Who may use a listener, and where.
///
/// A listener has one beside its help: `.everyone`, `.admins`, `.role("deployer")`, `.in("#ops")`, or a combination such as
/// `.role("deployer").in("#ops")`. Admins can change it from chat, see ``Robot/access(to:)``.
public struct Access: Codable, Hashable, Sendable {
    /// The roles of which a user needs one, in lower case; nil if every user may use the listener.
    ///
    /// An admin may use it without having any of them.
    public private(set) var roles: Set<String>?
    /// The rooms in which it may be used, by their id, with or without the adapter: `irc:#ops` or `#ops`; nil for all rooms.
    public private(set) var rooms: Set<String>?
    /// The adapters on which it may be used; nil for all.
    public private(set) var adapters: Set<String>?

    private init() {}

    /// Every user, in every room.
    public static let everyone = Access()
    /// The robot's admins, in every room.
    public static let admins = role(Robot.adminRole)

    /// The users who have one of these roles.
    public static func role(_ roles: String...) -> Access { everyone.roles(Set(roles)) }

    /// Every user, but only in these rooms.
    public static func `in`(_ rooms: String...) -> Access { everyone.rooms(Set(rooms)) }

    /// Every user, but only on these adapters, such as `irc`.
    public static func on(_ adapters: String...) -> Access { everyone.adapters(Set(adapters)) }

    /// The same, but only in these rooms.
    public func `in`(_ rooms: String...) -> Access { self.rooms(Set(rooms)) }

    /// The same, but only on these adapters.
    public func on(_ adapters: String...) -> Access { self.adapters(Set(adapters)) }

    /// The same for the users who have one of these roles; nil for every user.
    public func roles(_ roles: Set<String>?) -> Access {
        var access = self
        access.roles = roles.map { Set($0.map { $0.lowercased() }) }
        return access
    }

    /// The same in these rooms; nil for all rooms.
    public func rooms(_ rooms: Set<String>?) -> Access {
        var access = self
        access.rooms = rooms
        return access
    }

    /// The same on these adapters; nil for all adapters.
    public func adapters(_ adapters: Set<String>?) -> Access {
        var access = self
        access.adapters = adapters
        return access
    }

    /// The reason why a user with these roles may not use the listener in a room; nil if the user may.
    ///
    /// - Parameter networks: The robot's adapters, which know how names of rooms are compared.
    package func refusal(
        ofUserWith roles: Set<String>, in room: Room, on networks: [any Adapter]
    ) -> String? {
        if let needed = self.roles, !roles.contains(Robot.adminRole), needed.isDisjoint(with: roles) {
            return needed.subtracting([Robot.adminRole]).isEmpty
                ? "Only my admins may use that." : "You need \(Self.list(needed.sorted())) role for that."
        }
        if let adapters, !adapters.contains(room.id.adapter) {
            return "You can use that only on \(adapters.sorted().joined(separator: " or "))."
        }
        if let rooms, !rooms.contains(where: { Self.names($0, room.id, on: networks) }) {
            return "You can use that only in \(rooms.sorted().joined(separator: " or "))."
        }
        return nil
    }

    /// Whether a text names a room, with or without the adapter.
    private static func names(_ text: String, _ room: Room.ID, on networks: [any Adapter]) -> Bool {
        var name = text
        if let named = Room.ID(text), named.adapter.lowercased() == room.adapter.lowercased() { name = named.value }
        guard let network = networks.first(where: { $0.name == room.adapter }) as? any RoomNameFolding else {
            return name.lowercased() == room.value.lowercased()
        }
        // By bytes: canonically equivalent names may be two rooms.
        return network.foldedRoomName(name).utf8.elementsEqual(network.foldedRoomName(room.value).utf8)
    }

    private static func list(_ roles: [String]) -> String {
        "the \(roles.joined(separator: " or the "))"
    }
}

extension Access: CustomStringConvertible {
    /// Such as `everyone`, `admins` or `deployer, in #ops`.
    public var description: String {
        var parts = [
            roles.map { $0.subtracting([Robot.adminRole]).isEmpty ? "admins" : $0.sorted().joined(separator: " or ") }
                ?? "everyone"
        ]
        if let rooms { parts.append("in \(rooms.sorted().joined(separator: " or "))") }
        if let adapters { parts.append("on \(adapters.sorted().joined(separator: " or "))") }
        return parts.joined(separator: ", ")
    }
}

/// The approval by a second user that a listener needs before its closure runs.
public struct Approval: Hashable, Sendable {
    /// The role that the second user needs.
    public let role: String
    /// How long the robot waits for the approval.
    public let limit: Duration

    /// An approval by a user who has a role.
    ///
    /// The user who asks can't approve, whatever their roles are.
    public static func by(_ role: String, within limit: Duration = .minutes(10)) -> Approval {
        Approval(role: role.lowercased(), limit: limit)
    }
}
