import HeybotSupport

/// The person whom rate limits and turns count a request for: a nick isn't enough, because it can be changed at any time.
///
/// It grants no permissions.
package struct Requester: Hashable, Sendable {
    /// The key of rate limits: the person's address, otherwise the occupant id that the room's service gives (XEP-0421),
    /// otherwise the room stay.
    package let id: String
    /// The key of turns: the same as ``id``, except that all newcomers who aren't on the account's own server share one.
    package let turn: String
    let location: Location

    /// Where the requester is.
    enum Location: Hashable, Sendable {
        /// In no room.
        case outside
        /// In a room that shows this occupant to the session.
        case visible(OccupantStay)
        /// In a room that didn't show the occupant at this time, on the session's clock.
        ///
        /// `lastKnown` is the last known stay of the nick, if the room never reported its end.
        case hidden(at: Duration, lastKnown: OccupantStay?)

        func matches(_ stay: OccupantStay) -> Bool {
            switch self {
            case .outside: false
            case .visible(let own): own == stay
            case .hidden(_, let lastKnown): lastKnown == stay
            }
        }
    }

    /// Creates a requester with turns of its own who is in no room.
    package init(_ id: String) { self.init(id, turn: id, .outside) }

    init(_ id: String, _ location: Location) { self.init(id, turn: id, location) }

    /// Creates a requester from a person's address.
    ///
    /// The spellings of one account share their turns. They don't share a rate limit, because on some servers they are
    /// different people.
    init(_ person: JID, _ location: Location = .outside) {
        let id = person.description
        self.init(id, turn: Normalization.spelling(of: id), location)
    }

    /// Creates a requester who has come into a room only recently: all newcomers of a room share their turns.
    package init(newcomer id: String, in room: JID) { self.init(newcomer: id, .outside, in: room) }

    init(newcomer id: String, _ location: Location, in room: JID) {
        // No address has such a character at this position.
        self.init(id, turn: "\(room)#", location)
    }

    private init(_ id: String, turn: String, _ location: Location) {
        (self.id, self.turn, self.location) = (id, turn, location)
    }
}
