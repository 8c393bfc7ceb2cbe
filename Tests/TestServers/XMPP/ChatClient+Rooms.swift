import Foundation

/// Rooms (XEP-0045), by their addresses, such as ``XMPPServer/room(_:)`` makes.
extension ChatClient {
    /// Joins a room, which is made if it isn't there, and returns its own presence in it.
    ///
    /// - Parameter nick: what it's called there.
    /// - Throws: ``ServersError`` if the room doesn't let it in.
    @discardableResult
    public func join(
        _ room: String, as nick: String, password: String? = nil, attempts: Int = 100
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
            // Somebody else has just made the room, and hasn't opened it yet.
            if answer.contains("item-not-found"), attempts > 1 {
                try await Task.sleep(for: .milliseconds(100))
                return try await join(room, as: nick, password: password, attempts: attempts - 1)
            }
            throw ServersError.failed("\(nick) can't join \(room): \(answer)")
        }
        // A new room is locked until its owner says that it may be as it is.
        if Self.has(status: 201, answer) { try await configure(room, [:]) }
        return answer
    }

    /// Leaves a room.
    public func leave(_ room: String, as nick: String) async throws {
        let start = received.count
        send("<presence type='unavailable' to='\(escaped("\(room)/\(nick)"))'/>")
        _ = try await presence(from: room, since: start)
    }

    /// Says something in a room.
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

    /// Throws somebody out of a room by their nick, as one of its moderators.
    public func kick(_ nick: String, from room: String, reason: String = "bye") async throws {
        let item = "<item nick='\(escaped(nick))' role='none'><reason>\(escaped(reason))</reason></item>"
        try await ask("set", "<query xmlns='http://jabber.org/protocol/muc#admin'>\(item)</query>", of: room)
    }

    /// Makes an address, which has no resource, something to a room: `owner`, `admin`, `member`, `none`, or `outcast`,
    /// who is thrown out and can't come back.
    public func make(_ address: String, _ affiliation: String, of room: String) async throws {
        let item = "<item jid='\(escaped(address))' affiliation='\(affiliation)'/>"
        try await ask("set", "<query xmlns='http://jabber.org/protocol/muc#admin'>\(item)</query>", of: room)
    }

    /// Gives a room a password; nil takes it away.
    public func setPassword(_ password: String?, of room: String) async throws {
        try await configure(
            room,
            [
                "muc#roomconfig_passwordprotectedroom": password == nil ? "0" : "1",
                "muc#roomconfig_roomsecret": password ?? ""
            ])
    }

    /// Has a room let in those only whom ``make(_:_:of:)`` made its members, or everybody.
    public func setMembersOnly(_ isMembersOnly: Bool, of room: String) async throws {
        try await configure(room, ["muc#roomconfig_membersonly": isMembersOnly ? "1" : "0"])
    }

    /// Has a room show everybody's addresses to everybody, or to its moderators only.
    public func setAnonymous(_ isAnonymous: Bool, of room: String) async throws {
        try await configure(room, ["muc#roomconfig_whois": isAnonymous ? "moderators" : "anyone"])
    }

    /// Sets some of what a room's form has, as one of its owners.
    ///
    /// - Parameter fields: their names (`var`) and values; none accepts a new room as it is.
    public func configure(_ room: String, _ fields: [String: String]) async throws {
        let all = fields.sorted { $0.key < $1.key }.map { name, value in
            "<field var='\(name)'><value>\(escaped(value))</value></field>"
        }
        let type = "<field var='FORM_TYPE'><value>http://jabber.org/protocol/muc#roomconfig</value></field>"
        let form = "<x xmlns='jabber:x:data' type='submit'>\(fields.isEmpty ? "" : type + all.joined())</x>"
        try await ask("set", "<query xmlns='http://jabber.org/protocol/muc#owner'>\(form)</query>", of: room)
    }

    /// Its own presence, or that it can't have one.
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
