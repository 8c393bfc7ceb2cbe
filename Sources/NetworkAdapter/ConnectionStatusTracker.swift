package import FoundationEssentials
package import Heybot

/// The state of a network's connection, and the failures that were logged.
package struct ConnectionStatusTracker: Sendable {
    package private(set) var adapterStatus = AdapterStatus.starting {
        didSet { if adapterStatus != oldValue { onChange?() } }
    }
    /// Called when the status has changed, under the lock of the connection.
    package var onChange: (@Sendable () -> Void)?
    /// When the session became ready; nil if it isn't ready.
    package private(set) var readySince: Duration?
    /// The failures logged since the session was last ready.
    private var reported: Set<ConnectionFailure> = []
    private let date: @Sendable () -> Date

    package init(date: @escaping @Sendable () -> Date) {
        self.date = date
    }

    /// Starts a connection attempt.
    package mutating func begin() { readySince = nil }

    /// Records that the session is ready.
    package mutating func markReady(at now: Duration) {
        adapterStatus = .up(since: date())
        readySince = now
        reported = []
    }

    /// Records a failure.
    ///
    /// - Returns: True if it is to be logged as a warning: it wasn't logged since the session was last ready.
    package mutating func fail(_ failure: ConnectionFailure) -> Bool {
        adapterStatus.markDown(failure.description, at: date())
        return reported.count < 100 && reported.insert(failure).inserted
    }
}
