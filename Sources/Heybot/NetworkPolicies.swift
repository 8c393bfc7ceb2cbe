package import HeybotSupport

/// How an adapter reaches a server, and comes back to it.
public struct ConnectionPolicy: Hashable, Sendable {
    /// The waits before connecting again: twice as long each time, until a connection has held for a while.
    public struct Reconnect: Hashable, Sendable {
        public var first: Duration
        public var longest: Duration
        /// The time after which a connection counts as stable, so that waiting begins again.
        public var stable: Duration

        public init(
            first: Duration = .seconds(2), longest: Duration = .seconds(300), stable: Duration = .seconds(60)
        ) {
            (self.first, self.longest, self.stable) = (first, longest, stable)
        }

        package var backoff: Backoff { Backoff(first: first, longest: longest, stable: stable) }
    }

    /// How long reaching a server may take, and then as long again the handshake.
    public var connectWithin: Duration = .seconds(20)
    /// The time without a word from the server after which it is asked whether it is there.
    public var silence: Duration = .seconds(60)
    /// The time that it has to answer.
    public var answerWithin: Duration = .seconds(30)
    public var reconnect = Reconnect()
    /// The time to wait if trying again soon is of no use, as after a ban or with a wrong password.
    public var refusedWait: Duration = .seconds(900)

    /// Makes one that suits most networks.
    public init() {}
}

/// How an adapter behaves with rooms.
public struct RoomPolicy: Hashable, Sendable {
    /// Whether it goes back after a kick.
    public var rejoinsAfterKick = true
    /// Whether it stays away from rooms that somebody invites it to.
    public var ignoresInvitations = false
    /// The time before a room is tried again that refuses it.
    public var joinRetry: Duration = .seconds(60)
    /// The time before going back after a kick; twice as long after each further one.
    public var rejoinWait: Duration = .seconds(2)
    /// The time between two attempts to get its nick back, if nothing tells when that is free.
    public var regain: Duration = .seconds(60)

    /// Makes one that suits most networks.
    public init() {}
}
