extension Robot {
    /// The limits on a robot's concurrency, queues and times.
    public struct Limits: Hashable, Sendable {
        /// The number of messages handled at a time.
        ///
        /// Further messages wait.
        public var concurrency = 64
        /// The number of messages of one user handled at a time.
        ///
        /// In one room they are handled one after another, unless one waits for something external for more than a second.
        public var concurrencyPerPerson = 4
        /// The number of messages of one room handled at a time.
        public var concurrencyPerRoom = 16
        /// The number of messages that may wait to be handled, without those in the inbox.
        ///
        /// If there are more, the newest message of the user with most messages waiting is dropped.
        public var waiting = 1_000
        /// The number of messages of one user that may wait to be handled.
        ///
        /// Further messages are dropped and counted, and the user is asked to wait.
        public var waitingPerPerson = 64
        /// The greatest size of a message's text, in bytes of UTF-8.
        ///
        /// A longer message isn't matched. If it is addressed to the robot, the robot answers that it is too long.
        public var text = 64 << 10
        /// The longest time that a listener's closure may take, unless the listener sets its own deadline.
        public var deadline: Duration = .seconds(30)
        /// The greatest number of threads that run scripts.
        ///
        /// They are started as needed.
        public var threads = 4
        /// The time that a script may block a thread, without an `await`, before a replacement is started.
        public var stallThreshold: Duration = .seconds(2)
        /// The time that a listener's matcher may take.
        ///
        /// A matcher that exceeds it repeatedly is logged.
        public var slowMatch: Duration = .milliseconds(50)
        /// The number of threads that scripts may block at a time.
        ///
        /// If there are more, the process exits with status 75, so that its supervisor restarts it.
        public var maxStalledThreads = 16
        /// The capacity of the inbox, in messages.
        ///
        /// While it is full, adapters wait; those that must keep a connection alive, for ``Inbox/receiveTimeout`` at most.
        public var inbox = 1_000
        /// The greatest size of an HTTP request's body, in bytes, unless the route sets its own limit.
        public var body = 1 << 20
        /// The time that running closures get to finish when the robot stops, and queued messages get to be sent.
        public var shutdownGracePeriod: Duration = .seconds(3)
        /// The time that adapters get to disconnect after that.
        public var disconnectTimeout: Duration = .seconds(4)

        /// Creates the default limits, which suit a robot in a few busy rooms.
        public init() {}
    }
}
