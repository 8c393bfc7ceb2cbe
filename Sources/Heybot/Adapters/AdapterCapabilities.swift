// Optional capabilities of adapters, each a small protocol.

/// An adapter that can send direct messages.
public protocol PrivateMessaging: Adapter {
    /// The private room in which the robot talks to a user.
    func privateRoom(of user: User) -> Room

    /// Returns a user as the network shows them now, for a direct message that isn't an answer: with their present name, and
    /// anonymous if the network can't tell any more that it's them.
    ///
    /// - Returns: Nil if the adapter can't tell which name the user has now, so that a message could reach somebody else.
    func locate(_ user: User) async -> User?
}

extension PrivateMessaging {
    /// Returns the user unchanged, which is right if ids are addresses.
    public func locate(_ user: User) async -> User? { user }
}

/// An adapter that can list the users in a room.
public protocol MemberListing: Adapter {
    /// The users who are in a room now, without the robot; empty if the adapter doesn't know.
    func users(in room: Room) async -> [User]
    /// Whether a user is in one of the robot's rooms now.
    func isPresent(_ user: User.ID) async -> Bool
}

extension MemberListing {
    /// Returns false, which is right for an adapter that can't tell.
    public func isPresent(_ user: User.ID) async -> Bool { false }
}

/// An adapter that splits long answers into pages, because its service treats many lines at once as flooding.
public protocol AnswerPaging: Adapter {
    /// Sends the next page that was held back for the envelope's room.
    ///
    /// - Returns: False if there is no further page.
    func showMore(_ envelope: Envelope) async throws -> Bool
}

/// An adapter whose service plays sounds.
public protocol SoundPlaying: Adapter {
    /// Returns the text that plays a sound in a room in which the robot says it, such as `/play trombone`.
    func text(playing sound: String) -> String
}

/// An adapter that queues what it sends, to stay within its service's rate limit.
public protocol OutboundQueueing: Adapter {
    /// The number of messages in the outbound queue; 0 while there is no connection to send them on.
    var queuedMessages: Int { get }
}

/// An adapter that limits how many commands a user may give.
///
/// The robot ignores a user over the limit for a while.
public protocol UserCommandRateLimiting: Adapter {
    /// The limit; nil if there is none.
    var commandLimit: UserCommandRateLimit? { get }
    /// The number of queued lines that answer the user whose message the envelope answers.
    func queuedLines(for envelope: Envelope) -> Int
    /// Sends a text to that user only, ahead of everything that is queued.
    func warn(_ text: String, _ envelope: Envelope)
}

extension UserCommandRateLimiting {
    /// Returns 0, which is right for an adapter without a queue.
    public func queuedLines(for envelope: Envelope) -> Int { 0 }
}

/// An adapter that supports `heybot check`: it can test its configuration before the robot runs.
public protocol PreflightCheckable: Adapter {
    /// Connects, logs in and joins rooms as ``Adapter/run(_:)`` would, reports each result, and leaves.
    ///
    /// It handles no messages, doesn't disturb a running robot with the same settings, and retries nothing.
    ///
    /// - Parameters:
    ///   - limit: The time limit for each server.
    ///   - tell: Called with each result, in order.
    func check(within limit: Duration, _ tell: @escaping @Sendable (PreflightCheckResult) -> Void) async
}

/// An adapter that joins and leaves rooms on request, and rejoins them after a restart.
public protocol RoomMembership: Adapter {
    /// Joins a room.
    ///
    /// - Parameters:
    ///   - room: The room's name on the service, such as `#swift`.
    ///   - password: The room's password or key, if it has one.
    /// - Returns: The room that was joined.
    /// - Throws: An error that explains why the room can't be joined. A ``UserFacingError`` is shown to the user who asked.
    func join(_ room: String, password: String?) async throws -> Room

    /// Leaves a room permanently: the adapter doesn't rejoin it, not even after a restart.
    ///
    /// - Throws: An error if the adapter isn't in such a room.
    func leave(_ room: String) async throws

    /// Whether the settings list the room, so that the adapter joins it again at the next start.
    func isInSettings(_ room: String) -> Bool
}

extension RoomMembership {
    /// Returns false, which is right for an adapter whose settings list no rooms.
    public func isInSettings(_ room: String) -> Bool { false }
}

/// An adapter that defines how settings may name its users, such as the admins.
public protocol ConfiguredUserRecognition: Adapter {
    /// Returns the value of the ``User/id`` of a user that a setting names.
    ///
    /// A user gets this id with ``User/isAnonymous`` false only if the service has authenticated them.
    ///
    /// - Parameter name: The name without the adapter: an id, or another form that the adapter documents.
    /// - Throws: An error that explains why no user can have that name.
    func userID(named name: String) throws -> String
    /// Replaces the users that the adapter recognizes.
    ///
    /// It is called before ``Adapter/run(_:)``, and again when the settings have changed.
    ///
    /// - Parameter names: Names that ``userID(named:)`` accepts; others are ignored.
    func recognize(_ names: [String])
}

extension ConfiguredUserRecognition {
    /// Does nothing, which is right if users have the ids that ``userID(named:)`` returns without further work.
    public func recognize(_ names: [String]) {}
}

/// An adapter that leaves its session on the service open when the robot is stopped, so that nobody sees a restart.
package protocol SessionKeeping: Adapter {
    /// Makes the robot leave when it is stopped, because it isn't going to be started again soon.
    func leaveAtStop()
}

/// An adapter some of whose answers depend on what its server has said when it connected.
///
/// So an adapter without a connection can give them in a process beside that of the connection.
package protocol ServerFactSharing: Adapter {
    /// What the server has said; empty without a connection.
    var serverFacts: [String: String] { get }

    /// Uses what a server has said to another adapter with the same settings.
    func adopt(_ facts: [String: String])
}

/// An adapter that says when the status of its connection has changed.
package protocol StatusAnnouncing: Adapter {
    /// Sets what is called after each change.
    ///
    /// - Parameter action: It must return at once, and may ask the adapter for nothing until it has returned.
    func onStatusChange(_ action: @escaping @Sendable () -> Void)
}

/// An adapter that can tell whether the robot is in a room, so that a message sent there is delivered.
public protocol RoomMembershipReporting: Adapter {
    /// Whether the robot is in a room, or will be once it is connected; nil if only the service knows, as in a private
    /// conversation with a user who may be offline.
    func isIn(_ room: Room) async -> Bool?
}

/// An adapter that can moderate rooms, as far as the network lets the robot.
public protocol RoomModeration: Adapter {
    /// Returns the member of a room who has a name now; nil if there is none, or if it is the robot.
    func member(named name: String, in room: Room) async -> RoomMember?
    /// Returns the restriction that fits a member, without setting it, and the members of the room whom it would
    /// affect.
    ///
    /// - Throws: An error that explains why there is none. A ``UserFacingError`` is shown to the user who asked.
    func restriction(
        _ kind: RoomRestriction.Kind, of member: RoomMember, in room: Room
    ) async throws -> (restriction: RoomRestriction, affected: [User])
    /// Returns the restriction that fits a user who isn't in the room, without setting it, the user as the network knows
    /// them, and the members of the room whom it would affect.
    ///
    /// The user is anonymous, with a name only, if nothing else is known. By default, there is no such restriction.
    ///
    /// - Throws: An error that explains why there is none. A ``UserFacingError`` is shown to the user who asked.
    func restriction(
        _ kind: RoomRestriction.Kind, ofAbsent user: User, in room: Room
    ) async throws -> (restriction: RoomRestriction, user: User, affected: [User])
    /// Returns the id of the latest message of a member in the room; nil if the adapter doesn't know it.
    ///
    /// By default, it is nil.
    func latestMessage(of member: RoomMember, in room: Room) async -> Message.ID?
    /// Returns the author of a message in the room; nil if the adapter doesn't know for certain who that is.
    ///
    /// By default, it is nil.
    func author(of message: Message.ID, in room: Room) async -> User?
    /// Performs an action, and returns when the network has confirmed it.
    ///
    /// It affects only the member that was passed, also if another user has the name meanwhile.
    ///
    /// - Throws: ``AdapterError`` if the network refuses it, with the code ``AdapterError/Code/unconfirmed`` if it may
    ///   have been performed.
    func moderate(_ action: ModerationAction, in room: Room) async throws
}

extension RoomModeration {
    /// Throws an error, because the adapter can't restrict users who aren't there.
    public func restriction(
        _ kind: RoomRestriction.Kind, ofAbsent user: User, in room: Room
    ) async throws -> (restriction: RoomRestriction, user: User, affected: [User]) {
        throw AdapterError(.noSuchUser, "I don't see \"\(user.name)\" in this room now")
    }

    /// Returns nil, because the adapter doesn't know the messages of members.
    public func latestMessage(of member: RoomMember, in room: Room) async -> Message.ID? { nil }

    /// Returns nil, because the adapter doesn't know the authors of messages.
    public func author(of message: Message.ID, in room: Room) async -> User? { nil }
}

/// An adapter whose service can keep users from sending the robot anything.
public protocol ContactBlocking: Adapter {
    /// Blocks an address or a domain, and returns when the service has confirmed it.
    ///
    /// - Throws: An error that explains why that isn't possible. A ``UserFacingError`` is shown to the user who asked.
    func block(_ address: String) async throws
    /// Ends the block of an address or a domain.
    ///
    /// - Throws: An error if it isn't blocked, or if the service refuses that.
    func unblock(_ address: String) async throws
    /// The blocked addresses and domains, sorted.
    func blockedAddresses() async throws -> [String]
}

/// An adapter on whose network a room's name can be written in several ways, such as `#Dev` and `#dev`.
public protocol RoomNameFolding: Adapter {
    /// Returns a room's name in the form of the ``Room/id`` of its messages.
    ///
    /// - Parameter name: The name without the adapter; a text that can't be a room's name is returned as it is.
    func foldedRoomName(_ name: String) -> String
}

extension Robot {
    /// Returns a room's id as messages from there have it, however the room's name is written.
    public func foldedID(of room: Room.ID) -> Room.ID {
        let adapter = adapters.first { $0.name == room.adapter } as? any RoomNameFolding
        return adapter.map { Room.ID(adapter: room.adapter, value: $0.foldedRoomName(room.value)) } ?? room
    }

    /// Whether the robot is in a room; nil if its adapter can't tell.
    public func isIn(_ room: Room) async -> Bool? {
        await adapter(of: room, as: (any RoomMembershipReporting).self)?.isIn(room)
    }
}
