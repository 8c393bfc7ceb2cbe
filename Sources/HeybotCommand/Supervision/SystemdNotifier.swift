import Heybot
import HeybotSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reports the robot's state to systemd if the unit has `Type=notify`.
///
/// It sends datagrams to a Unix socket; see sd_notify(3).
struct SystemdNotifier: Sendable {
    /// The unit's watchdog timeout; nil if there is none.
    let watchdog: Duration?
    private let socket: String

    /// After this time the robot counts as ready.
    ///
    /// Its status says which adapters are down.
    private static let readyTimeout: Duration = .seconds(20)
    /// The interval between checks of the adapters until the robot is ready.
    private static let pollInterval: Duration = .milliseconds(50)
    /// The longest interval between status reports.
    private static let statusInterval: Duration = .seconds(10)

    /// The interval between watchdog messages: half of the timeout.
    var watchdogInterval: Duration? { watchdog.map { $0 / 2 } }

    /// Returns nil if the process wasn't started by systemd with `Type=notify`.
    init?(environment: [String: String], process: Int32 = getpid()) {
        guard let socket = environment["NOTIFY_SOCKET"], socket.hasPrefix("/") || socket.hasPrefix("@") else {
            return nil
        }
        self.socket = socket
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        watchdog =
            isMeant
            ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 ? .microseconds($0) : nil } : nil
    }

    /// Sends lines to systemd.
    func notify(_ lines: String...) {
        // There is nothing to do if systemd doesn't listen any more.
        _ = UnixSocket.send(Array(lines.joined(separator: "\n").utf8), to: socket)
    }

    /// Reports readiness, status and watchdog messages until the task is canceled.
    ///
    /// The robot is ready when each adapter is connected or has failed for the first time: restarting the robot doesn't
    /// help if a network is unavailable.
    func follow(_ robot: Robot) async {
        let start = ContinuousClock.now
        var isReady = false
        var known: [AdapterStatus] = []
        var (reported, watchdogSent) = (start, start)
        while !Task.isCancelled {
            let now = ContinuousClock.now
            let statuses = robot.adapters.map(\.status)
            if statuses != known || now - reported >= Self.statusInterval {
                (known, reported) = (statuses, now)
                notify("STATUS=\(await Self.state(of: robot))")
            }
            if !isReady, !statuses.contains(.starting) || now - start > Self.readyTimeout {
                isReady = true
                notify("READY=1")
            }
            if let watchdogInterval, now - watchdogSent >= watchdogInterval {
                watchdogSent = now
                notify("WATCHDOG=1")
            }
            let delay = isReady ? min(Self.statusInterval, watchdogInterval ?? Self.statusInterval) : Self.pollInterval
            try? await Task.sleep(for: delay)
        }
    }

    /// Reports that a gateway waits for the connections of another one, until the task is canceled.
    ///
    /// It counts as ready, so that a supervisor doesn't wait too.
    func followWaiting() async throws {
        notify("READY=1", "STATUS=waiting for the connections")
        // What reports the state after this begins a new interval.
        defer { if watchdog != nil { notify("WATCHDOG=1") } }
        while true {
            try await Task.sleep(for: watchdogInterval ?? Self.statusInterval)
            notify("WATCHDOG=1")
        }
    }

    /// The robot's state in one line.
    private static func state(of robot: Robot) async -> String {
        let health = await robot.health()
        let up = health.adapters.sorted { $0.key < $1.key }.map { "\($0.key) is \($0.value)" }
        return SafeText.line((health.isGood ? up : health.reasons).joined(separator: "; "))
    }
}
