import Heybot

// Which room is meant, if somebody names one.

extension Robot {
    /// The room that is meant in chat: the one where it was said for `here`, else by its name, with its adapter or
    /// without.
    func room(named name: some StringProtocol, from here: Room) -> Room.ID {
        if name.lowercased() == "here" { return here.id }
        if let id = Room.ID(String(name)), has(id.adapter) { return id }
        return Room.ID(adapter: here.id.adapter, value: String(name))
    }

    /// What people call a room: its name, with its adapter's in front unless that is the only one.
    func spokenName(of room: Room.ID) -> String {
        adapters.count == 1 && has(room.adapter) ? room.value : room.description
    }

    /// The room that a URL means, as `irc:#dev`, or without the adapter if there is only one.
    ///
    /// - Throws: ``WebRefusal`` with status 404 if that is none.
    func room(named name: String) throws(WebRefusal) -> Room.ID {
        let known = adapters.map(\.name)
        if let id = Room.ID(name) {
            guard has(id.adapter) else {
                throw WebRefusal(404, "I have no adapter \(id.adapter); I have \(known.joined(separator: ", ")).")
            }
            guard !id.value.isEmpty else { throw WebRefusal(404, "Which room of \(id.adapter)? Name it.") }
            return id
        }
        guard known.count == 1 else {
            let rooms = known.map { "\($0):\(percentEncoded(name))" }.joined(separator: " or ")
            throw WebRefusal(404, "Which adapter is that room on? Say \(rooms).")
        }
        return Room.ID(adapter: known[0], value: name)
    }

    private func has(_ adapter: String) -> Bool {
        adapters.contains { $0.name == adapter }
    }
}
