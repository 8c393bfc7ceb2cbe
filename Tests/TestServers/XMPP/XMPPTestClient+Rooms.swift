import Foundation

/// Rooms (XEP-0045), by their addresses, such as ``XMPPServer/room(_:)`` returns.
extension XMPPTestClient {
    /// Joins a room, which is created if it doesn't exist, and returns the client's own presence in it.
    ///
    /// - Parameter nick: The client's nick.
    /// - Throws: ``TestServerError`` if the room refuses the join.
    @discardableResult
    public func join(
        _ room: String, as nick: String, password: String? = nil, attempts: Int = 6_000
    ) async throws -> String {
        let start = received.count
        let secret = password.map { "<password>\(escaped($0))</password>" } ?? ""
        send(
            """
            <presence to='\(escaped("\(room)/\(nick)"))'><x xmlns='http://jabber.org/protocol/muc'>\(secret)</x>\
            </presence>
            """)
        let answer = try await presence(from: room, since: start)
        if attribute("type", of: answer) == "error" {
            // Another client has just created the room, and hasn't unlocked it yet.
            if answer.contains("item-not-found"), attempts > 1 {
                try await Task.sleep(for: .milliseconds(100))
                return try await join(room, as: nick, password: password, attempts: attempts - 1)
            }
            throw TestServerError.failed("\(nick) can't join \(room): \(answer)")
        }
        // A new room is locked until its owner accepts its configuration.
        if Self.has(status: 201, answer) { try await configure(room, [:]) }
        return answer
    }

    /// Leaves a room.
    public func leave(_ room: String, as nick: String) async throws {
        let start = received.count
        send("<presence type='unavailable' to='\(escaped("\(room)/\(nick)"))'/>")
        _ = try await presence(from: room, since: start)
    }

    /// Sends a message to a room.
    public func say(_ text: String, in room: String) {
        send(
            """
            <message type='groupchat' id='\(UUID().uuidString)' to='\(escaped(room))'><body>\(escaped(text))</body>\
            </message>
            """)
    }

    /// Sets the subject of a room.
    public func setSubject(_ subject: String, of room: String) {
        send("<message type='groupchat' to='\(escaped(room))'><subject>\(escaped(subject))</subject></message>")
    }

    /// Kicks an occupant by nick, as a moderator.
    public func kick(_ nick: String, from room: String, reason: String = "bye") async throws {
        let item = "<item nick='\(escaped(nick))' role='none'><reason>\(escaped(reason))</reason></item>"
        try await ask("set", "<query xmlns='http://jabber.org/protocol/muc#admin'>\(item)</query>", of: room)
    }

    /// Sets the affiliation of a bare address: `owner`, `admin`, `member`, `none` or `outcast`, which is a ban.
    public func make(_ address: String, _ affiliation: String, of room: String) async throws {
        let item = "<item jid='\(escaped(address))' affiliation='\(affiliation)'/>"
        try await ask("set", "<query xmlns='http://jabber.org/protocol/muc#admin'>\(item)</query>", of: room)
    }

    /// Sets the password of a room; nil removes it.
    public func setPassword(_ password: String?, of room: String) async throws {
        try await configure(
            room,
            [
                "muc#roomconfig_passwordprotectedroom": password == nil ? "0" : "1",
                "muc#roomconfig_roomsecret": password ?? ""
            ])
    }

    /// Makes a room members-only, or opens it; see ``make(_:_:of:)``.
    public func setMembersOnly(_ isMembersOnly: Bool, of room: String) async throws {
        try await configure(room, ["muc#roomconfig_membersonly": isMembersOnly ? "1" : "0"])
    }

    /// Shows the addresses of occupants to everyone, or only to moderators.
    public func setAnonymous(_ isAnonymous: Bool, of room: String) async throws {
        try await configure(room, ["muc#roomconfig_whois": isAnonymous ? "moderators" : "anyone"])
    }

    /// Sets fields of a room's configuration form, as an owner.
    ///
    /// - Parameter fields: The names (`var`) and values; an empty dictionary accepts the default configuration.
    public func configure(_ room: String, _ fields: [String: String]) async throws {
        let all = fields.sorted { $0.key < $1.key }.map { name, value in
            "<field var='\(name)'><value>\(escaped(value))</value></field>"
        }
        let type = "<field var='FORM_TYPE'><value>http://jabber.org/protocol/muc#roomconfig</value></field>"
        let form = "<x xmlns='jabber:x:data' type='submit'>\(fields.isEmpty ? "" : type + all.joined())</x>"
        try await ask("set", "<query xmlns='http://jabber.org/protocol/muc#owner'>\(form)</query>", of: room)
    }

    /// Waits for the client's own presence, or for an error.
    private func presence(from room: String, since start: Int) async throws -> String {
        try await find("its own presence in \(room)", since: start) { stanza in
            guard stanza.hasPrefix("<presence"), let from = attribute("from", of: stanza) else { return false }
            return from.hasPrefix(escaped(room))
                && (attribute("type", of: stanza) == "error" || Self.has(status: 110, stanza))
        }
    }

    private static func has(status: Int, _ stanza: String) -> Bool {
        ["'", "\""].contains { stanza.contains("<status code=\($0)\(status)\($0)") }
    }
}
