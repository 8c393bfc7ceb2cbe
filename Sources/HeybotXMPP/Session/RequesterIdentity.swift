/// The person whom rate limits and turns count a request for: a nick isn't enough, because it can be changed at any time.
///
/// It grants no permissions.
package struct RequesterIdentity: Hashable, Sendable {
    /// The person's address, otherwise the occupant id that the room's service gives (XEP-0421), otherwise the room stay.
    package let id: String
    /// The key of rate limits and ignoring: the ``id``, or that of the person that the requester probably is.
    ///
    /// Otherwise a user could get out of them by being unidentified.
    package var limitID: String
    /// The key of turns: the same as ``id``, except that all newcomers who aren't on the account's own server share one.
    package let turn: String
    let occupantVisibility: OccupantVisibility

    /// Whether a room shows the requester as an occupant.
    enum OccupantVisibility: Hashable, Sendable {
        /// In no room.
        case outside
        /// In a room that showed this occupant to the session, at this time on the session's clock.
        case visible(OccupantStay, at: Duration)
        /// In a room that didn't show the occupant at this time, on the session's clock.
        ///
        /// `lastKnown` is the last known stay of the nick, if the room never reported its end.
        case hidden(at: Duration, lastKnown: OccupantStay?)

        /// In a room, with a nick that can't be written in its normal form.
        case unreachable

        var isHidden: Bool { if case .hidden = self { true } else { false } }

        func matches(_ stay: OccupantStay) -> Bool {
            switch self {
            case .outside, .unreachable: false
            case .visible(let own, _): own == stay
            case .hidden(_, let lastKnown): lastKnown == stay
            }
        }
    }

    /// Creates a requester with turns of its own who is in no room.
    package init(_ id: String) { self.init(id, turn: id, .outside) }

    init(_ id: String, _ occupantVisibility: OccupantVisibility) { self.init(id, turn: id, occupantVisibility) }

    /// Creates a requester from a person's address.
    ///
    /// The spellings of one account share their turns. They don't share a rate limit, because on some servers they are
    /// different people.
    init(_ person: JID, _ occupantVisibility: OccupantVisibility = .outside) {
        let id = person.description
        self.init(id, turn: Self.folded(id), occupantVisibility)
    }

    /// Returns the form that all spellings share which a server may take for one account.
    ///
    /// Servers that use nodeprep (RFC 6122, appendix A), such as ejabberd, let one account log in under several spellings,
    /// such as `ß` and `ss`, and show each.
    ///
    /// - Parameter name: In lower case.
    private static func folded(_ name: String) -> String {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name }
        var folded = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
            let upper = scalar.properties.uppercaseMapping
            switch scalar {
            case "ς": folded.append("σ")
            // Such as ß; everything else is in lower case already.
            case _ where upper.unicodeScalars.count > 1: folded.append(contentsOf: upper.lowercased().unicodeScalars)
            default: folded.append(scalar)
            }
        }
        return UnicodeNormalization.nfc(String(folded))
    }

    /// Creates a requester who has come into a room only recently: all newcomers of a room share their turns.
    package init(newcomer id: String, in room: JID) { self.init(newcomer: id, .outside, in: room) }

    init(newcomer id: String, _ occupantVisibility: OccupantVisibility, in room: JID) {
        // No address has such a character at this position.
        self.init(id, turn: "\(room)#", occupantVisibility)
    }

    private init(_ id: String, turn: String, _ occupantVisibility: OccupantVisibility) {
        (self.id, self.turn, self.occupantVisibility) = (id, turn, occupantVisibility)
        limitID = id
    }
}
