// Confirms direct messages to their senders, and reads what others confirm: receipts (XEP-0184) and markers (XEP-0333).

/// What the sender of a direct message wants to know.
struct ConfirmationRequests: Hashable, Sendable {
    /// Whether the message has arrived (XEP-0184).
    var receipt = false
    /// Whether it was read (XEP-0333).
    var marker = false
    /// Whether the client shows who is writing: it has sent a chat state (XEP-0085 section 5.1).
    var showsTyping = false

    /// Whether the sender gets an answer.
    var isAnswered: Bool { receipt || marker }

    init(_ message: Element) {
        for case .element(let child) in message.children {
            switch child.name {
            case "request": receipt = receipt || child.namespace == Namespace.receipts
            case "markable": marker = marker || child.namespace == Namespace.chatMarkers
            case "active", "composing", "paused", "inactive":
                showsTyping = showsTyping || child.namespace == Namespace.chatStates
            default: break
            }
        }
    }
}

extension Session {
    /// Confirms to the sender of a direct message, as far as they ask, that it has arrived and is read: the robot reads at once.
    ///
    /// Only people who may contact the robot get here, so they know when it is there anyway.
    mutating func confirm(
        _ message: Element, as asks: ConfirmationRequests, to sender: JID, at now: Duration
    ) -> [Action] {
        guard configuration.showsActivity, let id = Self.bounded(message["id"]),
            confirmationLimits.admits(requester(sender), at: now)
        else { return [] }
        var actions: [Action] = []
        if asks.receipt { actions.append(confirm(message, "received", Namespace.receipts, id, to: sender)) }
        if asks.marker { actions.append(confirm(message, "displayed", Namespace.chatMarkers, id, to: sender)) }
        return actions
    }

    private mutating func confirm(
        _ message: Element, _ name: String, _ namespace: String, _ id: String, to sender: JID
    ) -> Action {
        lastID += 1
        var stanza = Element(
            "message", Namespace.client, ["to": sender.description, "id": "\(idPrefix)-\(lastID)"],
            Element(name, namespace, ["id": id]), Element("store", Namespace.hints))
        if message["type"] == "chat" { stanza["type"] = "chat" }
        // A marker belongs to its thread (XEP-0333 section 5).
        if name == "displayed", let thread = Self.bounded(message.first("thread", Namespace.client)?.text) {
            stanza.append(Element("thread", Namespace.client, text: thread))
        }
        return .send(stanza)
    }

    /// Asks the recipient to confirm a message; a room confirms it by repeating it.
    mutating func track(_ stanza: inout Element, isPublic: Bool) {
        tracksMessages = true
        if isPublic { return }
        stanza.append(Element("request", Namespace.receipts))
        stanza.append(Element("markable", Namespace.chatMarkers))
    }

    /// Returns what a direct message without a text confirms; nothing if it confirms nothing, such as a chat state.
    func confirmation(in message: Element, by sender: JID) -> [Action] {
        guard tracksMessages else { return [] }
        for case .element(let child) in message.children {
            let isMarker = child.namespace == Namespace.chatMarkers
            let isMeant = isMarker || child.namespace == Namespace.receipts
            guard isMeant, let id = Self.bounded(child["id"]) else { continue }
            switch child.name {
            case "received": return [.confirmed(id, isRead: false, by: sender)]
            case "displayed" where isMarker, "acknowledged" where isMarker:
                return [.confirmed(id, isRead: true, by: sender)]
            default: continue
            }
        }
        return []
    }
}
