// Configures rooms that the session creates by joining them (XEP-0045 section 10.1).

extension Session {
    /// Unlocks a room that the session has created; otherwise nobody else can join (XEP-0045 section 10.1).
    ///
    /// A configured room is to be persistent: once everyone has left a temporary one, anyone can create it again and own it.
    mutating func unlock(_ room: JID, at now: Duration) -> Action {
        configure(room, isPersistent: configuration.makesRoomsPersistent && configuration.isConfigured(room), at: now)
    }

    private mutating func configure(_ room: JID, isPersistent: Bool, at now: Duration) -> Action {
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
        guard configuration.isConfigured(room), rooms[room]?.isInside == true else { return [] }
        guard let error else {
            // Services may ignore the wish for a persistent room.
            return [ask(Element("query", Namespace.discoInfo), to: room, for: .newRoomInfo(room), at: now)]
        }
        // The service may not allow persistent rooms.
        if isPersistent, error.condition != .remoteServerTimeout {
            return [configure(room, isPersistent: false, at: now)]
        }
        return [.log(.notUnlocked(room: room, reason: error.description))]
    }

    /// Handles the description of a room that the session has created (XEP-0045 section 6.4).
    func handleNewRoomInfo(_ room: JID, _ query: Element?) -> [Action] {
        let features = query?.all("feature", Namespace.discoInfo).compactMap { $0["var"] } ?? []
        return [.log(.created(room: room, isPersistent: features.contains("muc_persistent")))]
    }
}
