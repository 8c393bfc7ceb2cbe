/// To whom it is accounted what somebody has us do, where a new nick is to be had at any time; it gives no rights.
public struct Asker: Hashable, Sendable {
    /// Whom a limit per person is for: the person's address; else what the room's service calls the occupant (XEP-0421); else
    /// the nick that they came in with.
    public let id: String
    /// Who takes turns with others: the same, but those who have just come in, and aren't of our own server, are one.
    public let turn: String

    /// Makes one that takes turns by its own.
    public init(_ id: String) { self.init(id, turn: id) }

    /// Makes one of somebody with an address.
    ///
    /// Servers that still use nodeprep (RFC 6122, appendix A), such as ejabberd, let one account in by several spellings, as
    /// `ß` or `ss`, and show each: these take turns as one. A limit is for each alone, since elsewhere they are several people.
    init(_ person: JID) {
        let id = person.description
        self.init(id, turn: id.utf8.allSatisfy { $0 < 0x80 } ? id : Self.folded(id))
    }

    private static func folded(_ id: String) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in id.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
            let upper = scalar.properties.uppercaseMapping
            switch scalar {
            case "ς": folded.append("σ")
            // Such as ß; all else is in lower case already.
            case _ where upper.unicodeScalars.count > 1: folded.append(contentsOf: upper.lowercased().unicodeScalars)
            default: folded.append(scalar)
            }
        }
        return Normalization.nfc(String(folded))
    }

    /// Makes one of somebody who hasn't been in a room for long, as far as we know: all of them take turns as one.
    public init(newcomer id: String, in room: JID) {
        // No address has such a character in this place.
        self.init(id, turn: "\(room)#")
    }

    private init(_ id: String, turn: String) { (self.id, self.turn) = (id, turn) }
}
