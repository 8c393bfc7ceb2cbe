// Stores the rooms that the robot joins by invitation or on request as bookmarks of its account (XEP-0402), and joins the rooms
// that the bookmarks have at the start.

extension Session {
    /// The maximum number of rooms that are joined because of bookmarks.
    private static let maxJoined = 50

    // MARK: Reading

    /// Asks the account's server whether it stores bookmarks that only the account can read.
    mutating func readBookmarks(at now: Duration) -> [Action] {
        guard configuration.usesBookmarks, bookmarks.phase == .unknown, !requests.isFull else { return [] }
        bookmarks.phase = .reading
        return [ask(Element("query", Namespace.discoInfo), to: address.bare, for: .bookmarkSupport, at: now)]
    }

    /// Handles the features of the account, and asks for the bookmarks.
    ///
    /// A server that doesn't know the options could show the bookmarks, with the rooms' passwords, to all contacts, or keep only
    /// the last one.
    ///
    /// - Parameter info: The answer to the query; nil if there is none.
    mutating func handleBookmarkSupport(_ info: Element?, at now: Duration) -> [Action] {
        let features = info?.all("feature", Namespace.discoInfo).compactMap { $0["var"] } ?? []
        guard [Namespace.publishOptions, Namespace.unlimitedItems].allSatisfy(features.contains) else {
            bookmarks.phase = .unavailable
            return [.log(.bookmarksUnavailable)]
        }
        let items = Element("items", Namespace.pubsub, ["node": Namespace.bookmarks])
        return [ask(Element("pubsub", Namespace.pubsub, [:], items), to: address.bare, for: .bookmarkList, at: now)]
    }

    /// Handles the bookmarks: the first session of a process joins their rooms.
    mutating func handleBookmarks(_ answer: Result<Element?, StanzaError>, at now: Duration) -> [Action] {
        let items: Element?
        switch answer {
        case .success(let payload): items = payload?.first("items", Namespace.pubsub)
        // Nothing was stored yet.
        case .failure(let error) where error.condition == .itemNotFound: items = nil
        case .failure:
            bookmarks.phase = .unavailable
            return []
        }
        var count = 0
        for room in bookmarks.read(items) where joinsBookmarks && count < Self.maxJoined {
            guard rooms[room.address] == nil, reasonNotToJoin(to: room.address, invitedBy: nil) == nil else { continue }
            // As a room that was joined before: the robot keeps trying.
            rooms.want(room, isTentative: false, at: now)
            count += 1
        }
        joinsBookmarks = false
        return updateBookmarks(at: now) + maintainRooms(at: now)
    }

    // MARK: Storing

    /// Stores bookmarks of the rooms that the robot is in, and removes those of rooms that it has left.
    mutating func updateBookmarks(at now: Duration) -> [Action] {
        guard configuration.usesBookmarks, isOnline else { return [] }
        let stays = rooms.inside.filter { !configuration.isConfigured($0) }
        switch bookmarks.phase {
        case .unknown: return stays.isEmpty ? [] : readBookmarks(at: now)
        case .reading, .unavailable: return []
        case .known: break
        }
        var actions: [Action] = []
        while !requests.isFull, let room = bookmarks.takeLeft({ [rooms] in rooms[$0] == nil }) {
            let item = Element("item", Namespace.pubsub, ["id": room.description])
            let retract = Element("retract", Namespace.pubsub, ["node": Namespace.bookmarks, "notify": "true"], item)
            actions.append(change(room, retract, at: now))
        }
        for address in stays where !requests.isFull {
            guard let room = rooms[address], let conference = bookmarks.keep(room.wanted, nick: room.nick) else {
                continue
            }
            let item = Element("item", Namespace.pubsub, ["id": address.description], conference)
            let publish = Element("publish", Namespace.pubsub, ["node": Namespace.bookmarks], item)
            actions.append(change(address, publish, Self.privateStorage, at: now))
        }
        return actions
    }

    private mutating func change(_ room: JID, _ parts: Element..., at now: Duration) -> Action {
        let pubsub = Element("pubsub", Namespace.pubsub, [:], children: parts.map(Element.Node.element))
        return ask(pubsub, "set", to: address.bare, for: .bookmarkChange(room), at: now)
    }

    /// Handles that the server has stored or removed a bookmark, or hasn't.
    func handleBookmarkChange(_ room: JID, _ error: StanzaError?) -> [Action] {
        // A bookmark that is gone needn't be removed.
        guard let error, error.condition != .itemNotFound else { return [] }
        return [.log(.bookmarkNotChanged(room: room, reason: error.description))]
    }

    /// The options with which only the account can read what it stores (XEP-0223).
    private static let privateStorage: Element = {
        let fields = [
            ("FORM_TYPE", Namespace.publishOptions), ("pubsub#persist_items", "true"), ("pubsub#max_items", "max"),
            ("pubsub#send_last_published_item", "never"), ("pubsub#access_model", "whitelist")
        ]
        var form = Element("x", Namespace.data, ["type": "submit"])
        for (name, value) in fields {
            form.append(
                Element("field", Namespace.data, ["var": name], Element("value", Namespace.data, text: value)))
        }
        return Element("publish-options", Namespace.pubsub, [:], form)
    }()
}
