// Configures rooms that the session creates by joining them (XEP-0045 section 10.1).

extension Session {
    /// Unlocks a room that the session has created; otherwise nobody else can join (XEP-0045 section 10.1).
    ///
    /// - Parameter isPersistent: Whether the room is to exist without occupants: once the robot leaves a temporary room, anyone
    ///   can create it again and own it.
    mutating func unlock(_ room: JID, isPersistent: Bool, at now: Duration) -> Action {
        var form = Element("x", Namespace.data, ["type": "submit"])
        if isPersistent {
            let fields = [("FORM_TYPE", Namespace.mucRoomConfiguration), ("muc#roomconfig_persistentroom", "1")]
            for (name, value) in fields {
                form.append(
                    Element("field", Namespace.data, ["var": name], Element("value", Namespace.data, text: value)))
            }
        }
        let query = Element("query", Namespace.mucOwner, [:], form)
        return ask(query, "set", to: room, for: .roomConfiguration(room, isPersistent: isPersistent), at: now)
    }

    /// Handles the response to the configuration of a room that the session has created.
    mutating func handleConfigurationResponse(
        _ room: JID, isPersistent: Bool, _ error: StanzaError?, at now: Duration
    ) -> [Action] {
        guard let error else {
            return configuration.isConfigured(room) ? [.log(.created(room: room, isPersistent: isPersistent))] : []
        }
        // The service may not allow persistent rooms.
        if isPersistent, rooms[room]?.isInside == true { return [unlock(room, isPersistent: false, at: now)] }
        return [.log(.notUnlocked(room: room, reason: error.description))]
    }
}
