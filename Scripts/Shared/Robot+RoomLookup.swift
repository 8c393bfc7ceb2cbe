import Heybot

// Resolves the names of rooms.

extension Robot {
    /// Returns the room that a command names: the message's room for `here`, or else by its name, with or without the adapter.
    func room(named name: some StringProtocol, from here: Room) -> Room.ID {
        if name.lowercased() == "here" { return here.id }
        if let id = Room.ID(String(name)), has(id.adapter) { return foldedID(of: id) }
        return foldedID(of: Room.ID(adapter: here.id.adapter, value: String(name)))
    }

    /// Returns a room's display name, with the adapter in front unless it is the only one.
    func displayName(of room: Room.ID) -> String {
        adapters.count == 1 && has(room.adapter) ? room.value : room.description
    }

    /// Returns the room that a URL names, such as `irc:#dev`, or without the adapter if there is only one.
    ///
    /// - Throws: ``WebRefusal`` with status 404 if the name is ambiguous or has an unknown adapter.
    func room(named name: String) throws(WebRefusal) -> Room.ID {
        let known = adapters.map(\.name)
        if let id = Room.ID(name) {
            guard has(id.adapter) else {
                throw WebRefusal(404, "I have no adapter \(id.adapter); I have \(known.joined(separator: ", ")).")
            }
            guard !id.value.isEmpty else { throw WebRefusal(404, "Which room on \(id.adapter)? Name it.") }
            return foldedID(of: id)
        }
        guard known.count == 1 else {
            let rooms = known.map { "\($0):\(percentEncoded(name))" }.joined(separator: " or ")
            throw WebRefusal(404, "Which adapter is that room on? Write \(rooms).")
        }
        return foldedID(of: Room.ID(adapter: known[0], value: name))
    }

    private func has(_ adapter: String) -> Bool {
        adapters.contains { $0.name == adapter }
    }
}
