// What an adapter may be able to do beyond the two methods that each one has.

/// An adapter through which somebody can be talked to alone, wherever they were heard.
public protocol PrivateMessaging: Adapter {
    /// Where that is.
    func privateRoom(of user: User) -> Room
}

/// An adapter that can tell who is in a room.
public protocol Attendance: Adapter {
    /// Who is there now, without the robot itself; empty if that isn't known.
    func users(in room: Room) async -> [User]
}

/// An adapter that says a long answer a page at a time, since its service would take all of it at once for a flood.
public protocol Paging: Adapter {
    /// Says the next page of what it has kept back for a room to whoever asks for it; false if there is nothing.
    func showMore(_ envelope: Envelope) async throws -> Bool
}

/// An adapter that says only so much at a time, as its service wants it.
public protocol Paced: Adapter {
    /// How many messages wait for their turn; none if nothing could be said just now.
    var unsaid: Int { get }
}

/// An adapter on whose service one person may give only so many commands; the robot doesn't listen for a while to somebody
/// who gives more.
public protocol RateLimited: Adapter {
    /// The limit; nil for none.
    var commandLimit: CommandLimit? { get }
    /// How many lines wait to be said to the person whose message an envelope answers.
    func unsaidLines(for envelope: Envelope) -> Int
    /// Tells the person something, and nobody else, before all that waits to be said.
    func warn(_ text: String, _ envelope: Envelope)
}

extension RateLimited {
    public func unsaidLines(for envelope: Envelope) -> Int { 0 }
}

/// An adapter that can find out, before the robot goes live, whether it would get where it wants to be.
public protocol Checkable: Adapter {
    /// Goes where ``Adapter/run(_:)`` would, by the same way, tells each step, and leaves.
    ///
    /// It hears and answers nobody, leaves alone a robot that is live with the same settings, and tries nothing twice.
    ///
    /// - Parameters:
    ///   - limit: How long it may take at each server.
    ///   - tell: Told each step, in order.
    func check(within limit: Duration, _ tell: @escaping @Sendable (CheckStep) -> Void) async
}

/// An adapter that joins and leaves rooms on request, and stays in those it has joined across restarts.
public protocol RoomMembership: Adapter {
    /// Joins a room.
    ///
    /// - Parameters:
    ///   - room: The room as people name it on the service, such as `#swift`.
    ///   - password: The room's password or key, if it has one.
    /// - Returns: The room that was joined.
    /// - Throws: An error that says why it can't be joined; it is told to whoever asked if it is a ``SpokenError``.
    func join(_ room: String, password: String?) async throws -> Room

    /// Leaves a room, and doesn't go back to it by itself, not even after a restart.
    ///
    /// - Throws: An error if the adapter isn't in such a room.
    func leave(_ room: String) async throws

    /// Whether the settings have the adapter join a room at each start, so that leaving it holds only until then.
    func isInSettings(_ room: String) -> Bool
}

extension RoomMembership {
    public func isInSettings(_ room: String) -> Bool { false }
}

/// An adapter that knows how its users may be named in settings, such as the admins.
public protocol UserRecognition: Adapter {
    /// The value that the ``User/id`` of a user has whom a setting names.
    ///
    /// Only a user for whom the service vouches gets that id with ``User/isAnonymous`` false.
    ///
    /// - Parameter name: The name without the adapter: an id, or another form that the adapter documents.
    /// - Throws: An error that says why nobody can be called that.
    func userID(named name: String) throws -> String
    /// Recognizes these users from now on, and none that it recognized before.
    ///
    /// It is called before ``Adapter/run(_:)``, and again when the settings have changed.
    ///
    /// - Parameter names: Names that ``userID(named:)`` accepts; another one is nobody's.
    func recognize(_ names: [String])
}

extension UserRecognition {
    /// Does nothing, as suits an adapter whose users have the ids that ``userID(named:)`` returns anyway.
    public func recognize(_ names: [String]) {}
}

/// An adapter that can tell whether what is said in a room would be heard there.
public protocol RoomKnowledge: Adapter {
    /// Whether the robot is in a room, or will be as soon as it is connected; nil if only the service knows, as of a
    /// conversation with somebody who may be there.
    func isIn(_ room: Room) async -> Bool?
}

extension Robot {
    /// Whether it is in a room; nil if its adapter can't tell.
    public func isIn(_ room: Room) async -> Bool? {
        await adapter(of: room, as: (any RoomKnowledge).self)?.isIn(room)
    }
}

/// Something that was found out about a robot before it goes live.
public struct CheckStep: Hashable, Sendable {
    /// How it is.
    public enum Outcome: Hashable, Sendable {
        /// It is as it should be; what there is.
        case passed(String)
        /// The robot can live with it, but somebody should look after it.
        case warned(String, cure: String)
        /// The robot couldn't do what it is to do.
        case failed(String, cure: String)
        /// It wasn't looked at, for that reason.
        case skipped(String)
    }

    /// What was looked at: a server, an account, a room.
    public let subject: String
    /// How it is.
    public let outcome: Outcome

    /// Makes a step of a check; neither its words nor those of its outcome may hold a secret.
    public init(_ subject: String, _ outcome: Outcome) {
        self.subject = subject
        self.outcome = outcome
    }
}
