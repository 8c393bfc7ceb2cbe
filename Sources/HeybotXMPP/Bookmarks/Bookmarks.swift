/// The account's bookmarks of rooms (XEP-0402), as far as the session has to know them.
struct Bookmarks: Sendable {
    enum Phase: Hashable, Sendable {
        /// Not asked yet.
        case unknown
        /// Waiting for the server's features or for the bookmarks.
        case reading
        case known
        /// The server stores no bookmarks that only the account can read.
        case unavailable
    }

    var phase = Phase.unknown
    /// The `conference` elements that the server has: changing one keeps what others have stored in it.
    private var conferences: [JID: Element] = [:]
    /// The rooms of the robot that have a bookmark, which is removed when the robot leaves.
    private var own: Set<JID> = []
    /// The rooms that the robot has left before the bookmarks were known.
    private var left: Set<JID> = []

    private static let maxRead = 500
    private static let maxLeft = 500

    /// Reads the bookmarks.
    ///
    /// - Returns: The rooms that the account's clients join by themselves, except those that the robot has left.
    mutating func read(_ items: Element?) -> [SessionConfiguration.Room] {
        phase = .known
        var rooms: [SessionConfiguration.Room] = []
        for item in (items?.all("item", Namespace.pubsub) ?? []).prefix(Self.maxRead) {
            guard let conference = item.first("conference", Namespace.bookmarks),
                let address = item["id"].flatMap({ try? JID($0) }), address.local != nil, address.resource == nil
            else { continue }
            conferences[address] = conference
            guard Self.isJoinedByItself(conference) else { continue }
            if left.contains(address) {
                own.insert(address)
            } else {
                let password = conference.first("password", Namespace.bookmarks)?.text
                rooms.append(SessionConfiguration.Room(address, password: password))
            }
        }
        left = []
        return rooms
    }

    private static func isJoinedByItself(_ conference: Element) -> Bool {
        ["true", "1"].contains(conference["autojoin"] ?? "")
    }

    /// Handles that the robot leaves a room.
    mutating func noteLeave(of room: JID) {
        if phase != .known, left.count < Self.maxLeft { left.insert(room) }
    }

    /// Handles that the robot stays in a room.
    ///
    /// - Parameter nick: The robot's nick there.
    /// - Returns: The bookmark to store; nil if the server has it.
    mutating func keep(_ room: SessionConfiguration.Room, nick: String) -> Element? {
        guard own.insert(room.address).inserted else { return nil }
        let known = conferences[room.address]
        if let known, Self.isJoinedByItself(known) { return nil }
        var conference = known ?? Element("conference", Namespace.bookmarks)
        conference["autojoin"] = "true"
        if known == nil {
            conference.append(Element("nick", Namespace.bookmarks, text: nick))
            if let password = room.password {
                conference.append(Element("password", Namespace.bookmarks, text: password))
            }
        }
        if conferences.count < Self.maxRead { conferences[room.address] = conference }
        return conference
    }

    /// Removes and returns a room whose bookmark is to be removed, because the robot has left.
    ///
    /// - Parameter isLeft: Whether the robot isn't in a room and doesn't try to join it.
    mutating func takeLeft(_ isLeft: (JID) -> Bool) -> JID? {
        guard let room = own.filter(isLeft).min(by: { $0.description < $1.description }) else { return nil }
        own.remove(room)
        conferences[room] = nil
        return room
    }
}
