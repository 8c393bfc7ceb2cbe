// Reads the body, the time and the id of a message.

import HeybotSupport

extension Session {
    /// The maximum number of body parts that are removed.
    private static let maxFallbacks = 10
    private static let longestID = 256

    /// Returns the text of a message without the parts that are only there for older clients (XEP-0428), such as the quote
    /// above a reply (XEP-0461), and without the `/me` of an action (XEP-0245).
    ///
    /// If a message only shares a file, its text is the file's URL (XEP-0447).
    static func body(_ message: Element) -> String? {
        guard let body = wholeBody(message) else { return nil }
        return beginsAsAction(body) ? String(body.dropFirst(4)) : body
    }

    /// Whether the text of a message is an action, as in `/me waves` (XEP-0245).
    static func isAction(_ message: Element) -> Bool {
        // Most messages are no actions, and only a reply has something in front of its text.
        guard let all = message.first("body", Namespace.client)?.text,
            beginsAsAction(all) || message.has("reply", Namespace.reply), let body = wholeBody(message)
        else { return false }
        return beginsAsAction(body)
    }

    private static func beginsAsAction(_ body: String) -> Bool {
        // Bytes are compared first: most messages don't begin like that, and comparing characters is slower.
        body.utf8.starts(with: "/me ".utf8) && body.hasPrefix("/me ")
    }

    /// Returns the text with the `/me` of an action.
    private static func wholeBody(_ message: Element) -> String? {
        guard var body = message.first("body", Namespace.client)?.text, !body.isEmpty else {
            return SharedFile.text(of: message)
        }
        guard !isChange(message) else { return nil }
        let fallbacks = message.all("fallback", Namespace.fallback)
        if !fallbacks.isEmpty {
            // The URL of a file stays, although newer clients show the file instead.
            let removed = fallbacks.filter { ![Namespace.fileSharing, Namespace.outOfBand].contains($0["for"] ?? "") }
            guard let rest = without(removed, body) else { return nil }
            body = rest
        }
        if let (_, rest) = unmarkedQuote(in: message, body) { body = rest }
        return body
    }

    /// Returns a body without the ranges that fallbacks mark, counted in code points; nil if nothing is left.
    private static func without(_ fallbacks: [Element], _ body: String) -> String? {
        let scalars = Array(body.unicodeScalars)
        var isLeftOut = [Bool](repeating: false, count: scalars.count)
        for part in parts(of: fallbacks, length: scalars.count) {
            for index in part { isLeftOut[index] = true }
        }
        var rest = String.UnicodeScalarView()
        for (scalar, isLeftOut) in zip(scalars, isLeftOut) where !isLeftOut { rest.append(scalar) }
        return rest.contains { !$0.properties.isWhitespace } ? String(rest) : nil
    }

    /// Returns the ranges that fallbacks mark in a body of this length.
    static func parts(of fallbacks: [Element], length: Int) -> [Range<Int>] {
        fallbacks.prefix(maxFallbacks).flatMap { fallback -> [Range<Int>] in
            let bodies = fallback.all("body", Namespace.fallback).prefix(maxFallbacks)
            // A fallback without a range means the whole body, or only the subject.
            if bodies.isEmpty { return fallback.elements.isEmpty ? [0..<length] : [] }
            return bodies.map { body in
                let start = min(max(body["start"].flatMap { Int($0) } ?? 0, 0), length)
                let end = min(max(body["end"].flatMap { Int($0) } ?? length, start), length)
                return start..<end
            }
        }
    }

    /// Returns the earliest time that the account's server or the message's room gives for a delayed message (XEP-0203); an
    /// empty string if they give none, nil if the message isn't delayed.
    ///
    /// A delay that the sender claims doesn't matter: the sender's client may have been offline when the message was written.
    func delayStamp(of message: Element, from sender: JID) -> String? {
        guard message.has("delay", Namespace.delay) else { return nil }
        let stamps = message.all("delay", Namespace.delay).compactMap { delay -> String? in
            guard let by = delay["from"].flatMap({ try? JID($0) }) else { return nil }
            let isServer = by.local == nil && by.resource == nil && by.domain == address.domain
            let isRoom =
                rooms[sender.bare] != nil && (by == sender.bare || by.local == nil && by.domain == sender.domain)
            return isServer || by.bare == address.bare || isRoom ? delay["stamp"] ?? "" : nil
        }
        return stamps.min()
    }

    /// Returns the event of a message, with its ids and its time.
    func incomingMessage(
        _ content: ChatEvent, _ message: Element, from sender: JID, person: JID?, isPublic: Bool, room: JID?,
        requester: RequesterIdentity? = nil, missedSince: Duration? = nil, archived: ArchiveEntry? = nil,
        asks: ConfirmationRequests? = nil
    ) -> Action {
        var event = IncomingEvent(
            content: content, from: sender, person: person, isPublic: isPublic, room: room)
        event.senderID =
            Self.bounded(message["id"]) ?? Self.bounded(message.first("origin-id", Namespace.stanzaID)?["id"])
        Self.readReferences(in: message, into: &event)
        if case .text = content { event.isAction = Self.isAction(message) }
        event.requester = requester ?? event.requester
        event.stamp = archived?.stamp ?? delayStamp(of: message, from: sender)
        event.missedSince = missedSince
        event.isResent = isCatchingUp
        if let asks { event.showsTyping = asks.showsTyping }
        // A direct message from an occupant is in no archive that the session asks.
        if isPublic || room == nil && hearsMissedMessages {
            event.stanzaID = archived.map(\.id) ?? stanzaID(of: message, by: room ?? address.bare)
        }
        return .hear(event)
    }

    /// Returns the id that a room, or the account's server, has given a message; nil if it has given none.
    ///
    /// Ids that others have given the message don't count (XEP-0359 section 5).
    func stanzaID(of message: Element, by archive: JID) -> String? {
        var (id, count): (String?, Int) = (nil, 0)
        for case .element(let child) in message.children where child.is("stanza-id", Namespace.stanzaID) {
            // Parsing the address would cost as much as the rest of the message.
            guard let by = child["by"], by == archive.description || (try? JID(by)) == archive else { continue }
            (id, count) = (child["id"], count + 1)
        }
        return count == 1 ? Self.bounded(id) : nil
    }

    static func bounded(_ id: String?) -> String? {
        id.flatMap { $0.isEmpty || $0.utf8.count > longestID ? nil : $0 }
    }

    // MARK: Encrypted messages

    private static let hintInterval: Duration = .seconds(3_600)
    private static let maxHints = 1_000

    /// Returns the name of the encryption if a message has no other content; an empty string if the encryption is unknown,
    /// nil if the message isn't encrypted.
    static func encryption(of message: Element) -> String? {
        for namespace in [Namespace.oldOMEMO, Namespace.omemo] {
            guard let encrypted = message.first("encrypted", namespace) else { continue }
            // An element without a payload only transports keys.
            return encrypted.has("payload", namespace) || message.has("body", Namespace.client) ? "OMEMO" : nil
        }
        if message.has("x", Namespace.oldOpenPGP) || message.has("openpgp", Namespace.openPGP) { return "OpenPGP" }
        return message.has("encryption", Namespace.encryption) ? "" : nil
    }

    /// Replies, once per hour and sender, that encrypted messages can't be read.
    mutating func sendEncryptionHint(
        _ encryption: String, to sender: JID, _ requester: RequesterIdentity, at now: Duration
    ) -> [Action] {
        let what = encryption.isEmpty ? "encrypted messages" : encryption
        return sendHint(
            "I can't read \(what). Please turn off encryption and send the message again.", to: sender, requester,
            at: now)
    }

    /// Answers a message that wasn't handled, at most once an hour for each person.
    mutating func sendHint(_ text: String, to sender: JID, _ requester: RequesterIdentity, at now: Duration) -> [Action]
    {
        if let last = hints[requester.limitID], now - last < Self.hintInterval { return [] }
        if hints.count >= Self.maxHints, let oldest = hints.min(by: { $0.value < $1.value }) {
            hints[oldest.key] = nil
        }
        hints[requester.limitID] = now
        return say([OutgoingMessage(to: sender, text, since: now, requester: requester)], at: now)
    }
}
