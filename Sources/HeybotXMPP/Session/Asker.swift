/// The person to whom a request is accounted: anybody can have a new nick at any time.
///
/// It gives no rights.
package struct Asker: Hashable, Sendable {
    /// What limits per person go by: the person's address; else the occupant id of the room's service (XEP-0421); else the
    /// stay in the room.
    package let id: String
    /// What turns go by: the same, except that all who have just come in, and aren't of our own server, share one.
    package let turn: String
    let stay: Stay

    /// Where somebody is who asks.
    enum Stay: Hashable, Sendable {
        /// In no room.
        case outside
        /// In a room that shows them to us.
        case seen(Entry)
        /// In a room that didn't show them to us at that time, on the session's clock; nor did it say that whoever had the nick
        /// before, if we know of somebody, was gone.
        case unseen(at: Duration, doubted: Entry?)

        func isOf(_ entry: Entry) -> Bool {
            switch self {
            case .outside: false
            case .seen(let own): own == entry
            case .unseen(_, let doubted): doubted == entry
            }
        }
    }

    /// Makes one that has turns of its own, and is in no room.
    package init(_ id: String) { self.init(id, turn: id, .outside) }

    init(_ id: String, _ stay: Stay) { self.init(id, turn: id, stay) }

    /// Makes one of somebody with an address.
    ///
    /// Servers that still use nodeprep (RFC 6122, appendix A), such as ejabberd, let one account log in by several spellings,
    /// such as `ß` and `ss`, and show each: these share their turns. They don't share a limit, since on other servers they
    /// are several people.
    init(_ person: JID, _ stay: Stay = .outside) {
        let id = person.description
        self.init(id, turn: id.utf8.allSatisfy { $0 < 0x80 } ? id : Self.folded(id), stay)
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

    /// Makes one of somebody who hasn't been in a room for long, as far as we know: all of them share their turns.
    package init(newcomer id: String, in room: JID) { self.init(newcomer: id, .outside, in: room) }

    init(newcomer id: String, _ stay: Stay, in room: JID) {
        // No address has such a character in this place.
        self.init(id, turn: "\(room)#", stay)
    }

    private init(_ id: String, turn: String, _ stay: Stay) {
        (self.id, self.turn, self.stay) = (id, turn, stay)
    }
}
