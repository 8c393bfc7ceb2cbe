/// What a message does to an earlier one, or says about it.
package enum MessageReference: Hashable, Sendable {
    /// It answers the message with this id, of this author (XEP-0461); older clients should show the first code points of the
    /// text only if they don't know replies.
    case reply(to: String, author: JID, fallback: Int)
    /// It replaces the session's own message with this id (XEP-0308), which was the reply, if one is given.
    indirect case correction(of: String, reply: MessageReference? = nil)
    /// It sets the session's reactions to the message with this id (XEP-0444); its text is empty.
    case reactions([String], to: String)
    /// It retracts the session's own message with this id (XEP-0424); its text is for older clients.
    case retraction(of: String)

    /// An address that is longer is left out, so that the stanza doesn't become too large.
    private static let longestAuthor = 1_000

    /// The elements of the stanza.
    var elements: [Element] {
        switch self {
        case .reply(let id, let author, let fallback):
            var reply = Element("reply", Namespace.reply, ["id": id])
            let address = author.description
            if address.utf8.count <= Self.longestAuthor { reply["to"] = address }
            guard fallback > 0 else { return [reply] }
            let range = Element("body", Namespace.fallback, ["start": "0", "end": "\(fallback)"])
            return [reply, Element("fallback", Namespace.fallback, ["for": Namespace.reply], range)]
        case .correction(let id, let reply):
            return [Element("replace", Namespace.correction, ["id": id])] + (reply?.elements ?? [])
        case .reactions(let reactions, let id):
            let children = reactions.map { Element.Node.element(Element("reaction", Namespace.reactions, text: $0)) }
            return [
                Element("reactions", Namespace.reactions, ["id": id], children: children),
                Element("store", Namespace.hints)
            ]
        case .retraction(let id):
            return [
                Element("retract", Namespace.retraction, ["id": id]),
                Element("fallback", Namespace.fallback, ["for": Namespace.retraction]),
                Element("store", Namespace.hints)
            ]
        }
    }
}
