// What a message says, when, and what its sender calls it.

import HeybotSupport

extension Session {
    /// The most parts of a body that are left out.
    private static let mostFallbacks = 10
    private static let longestID = 256

    /// What is said; without what is there only for clients that know less (XEP-0428), such as the quote above a reply
    /// (XEP-0461), and without the `/me` of who does something (XEP-0245).
    static func body(_ message: Element) -> String? {
        guard var body = message.first("body", Namespace.client)?.text, !body.isEmpty,
            !message.has("retract", Namespace.retraction)
        else { return nil }
        let fallbacks = message.all("fallback", Namespace.fallback)
        if !fallbacks.isEmpty {
            guard let rest = without(fallbacks, body) else { return nil }
            body = rest
        }
        // By bytes first, since most have no such beginning, and to find characters takes longer.
        return body.utf8.starts(with: "/me ".utf8) && body.hasPrefix("/me ") ? String(body.dropFirst(4)) : body
    }

    /// A body without those parts of it, which are counted in code points; nil if nothing is left.
    private static func without(_ fallbacks: [Element], _ body: String) -> String? {
        let scalars = Array(body.unicodeScalars)
        var isLeftOut = [Bool](repeating: false, count: scalars.count)
        for part in fallbacks.prefix(mostFallbacks).flatMap({ fallback -> [Range<Int>] in
            let bodies = fallback.all("body", Namespace.fallback).prefix(mostFallbacks)
            // One that names no part means all of it, but may be of the subject alone.
            if bodies.isEmpty { return fallback.elements.isEmpty ? [0..<scalars.count] : [] }
            return bodies.map { body in
                let start = min(max(body["start"].flatMap { Int($0) } ?? 0, 0), scalars.count)
                let end = min(max(body["end"].flatMap { Int($0) } ?? scalars.count, start), scalars.count)
                return start..<end
            }
        }) {
            for index in part { isLeftOut[index] = true }
        }
        var rest = String.UnicodeScalarView()
        for (scalar, isLeftOut) in zip(scalars, isLeftOut) where !isLeftOut { rest.append(scalar) }
        return rest.contains { !$0.properties.isWhitespace } ? String(rest) : nil
    }

    /// When it was really said, if our server or the room that it comes from says that it is late (XEP-0203); the earliest
    /// of them, and empty if they don't say when.
    ///
    /// What a sender says of that is no reason not to listen: their client may have been away when they said it.
    func stamp(of message: Element, from sender: JID) -> String? {
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

    /// What was heard, with what tells it from other messages.
    func heard(
        _ text: String, _ message: Element, from sender: JID, person: JID?, isPublic: Bool, room: JID?,
        asker: Asker? = nil
    ) -> Action {
        var heard = Heard(
            content: .text(text), from: sender, person: person, isPublic: isPublic, room: room)
        heard.senderID =
            Self.bounded(message["id"]) ?? Self.bounded(message.first("origin-id", Namespace.stanzaID)?["id"])
        if let replace = message.first("replace", Namespace.correction) {
            heard.replaces = Self.bounded(replace["id"]) ?? ""
        }
        heard.asker = asker ?? heard.asker
        heard.stamp = stamp(of: message, from: sender)
        return .hear(heard)
    }

    static func bounded(_ id: String?) -> String? {
        id.flatMap { $0.isEmpty || $0.utf8.count > longestID ? nil : $0 }
    }

    // MARK: What can't be read

    private static let hintInterval: Duration = .seconds(3_600)
    private static let mostHints = 1_000

    /// What a message is encrypted with, if that is all of what it says; empty if that isn't known.
    static func encryption(of message: Element) -> String? {
        for namespace in [Namespace.oldOMEMO, Namespace.omemo] {
            guard let encrypted = message.first("encrypted", namespace) else { continue }
            // One without a payload only tells keys.
            return encrypted.has("payload", namespace) || message.has("body", Namespace.client) ? "OMEMO" : nil
        }
        if message.has("x", Namespace.oldOpenPGP) || message.has("openpgp", Namespace.openPGP) { return "OpenPGP" }
        return message.has("encryption", Namespace.encryption) ? "" : nil
    }

    /// Tells who speaks encrypted that we can't read it, once an hour.
    mutating func hint(at encryption: String, to sender: JID, at now: Duration) -> [Action] {
        if let last = hints[sender], now - last < Self.hintInterval { return [] }
        if hints.count >= Self.mostHints { hints = hints.filter { now - $0.value < Self.hintInterval } }
        guard hints.count < Self.mostHints else { return [] }
        hints[sender] = now
        let what = encryption.isEmpty ? "encrypted messages" : encryption
        return say(
            [
                Chat(
                    to: sender, "I can't read \(what). Please turn encryption off for me, and say it again.", since: now
                )
            ],
            at: now)
    }
}
