/// How an adapter rejoins rooms, and whether it ignores invitations.
public struct RoomRejoinPolicy: Hashable, Sendable {
    /// Whether the adapter rejoins a room after a kick.
    public var rejoinsAfterKick = true
    /// Whether the adapter ignores invitations to rooms.
    public var ignoresInvitations = false
    /// The delay before retrying to join a room that refused the robot.
    public var joinRetryDelay: Duration = .seconds(60)
    /// The delay before rejoining after a kick; it doubles with each further kick.
    public var rejoinDelay: Duration = .seconds(2)

    /// Creates a policy that suits most networks.
    public init() {}
}
