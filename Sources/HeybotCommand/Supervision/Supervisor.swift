import Heybot
import HeybotSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whoever started the process and wants to hear how it is: systemd, if the unit has `Type=notify`.
///
/// It is told as sd_notify(3) has it, by datagrams of lines to a Unix socket.
struct Supervisor: Sendable {
    /// How often it wants to hear that we are alive; nil if it doesn't.
    let watchdog: Duration?
    private let socket: String

    /// Longer than that a robot isn't waited for: its state tells why it isn't where it should be.
    private static let patience: Duration = .seconds(20)
    /// How often the adapters are looked at until the robot is ready.
    private static let glance: Duration = .milliseconds(50)
    /// How often, at the least, it is told how the robot is.
    private static let report: Duration = .seconds(10)

    /// How often it is told that we are alive: twice as often as it wants to hear it.
    var pulse: Duration? { watchdog.map { $0 / 2 } }

    /// Nil if nobody wants to hear anything.
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

    /// Tells it, once.
    func tell(_ lines: String...) {
        // A supervisor that has gone needs no telling.
        _ = UnixSocket.send(Array(lines.joined(separator: "\n").utf8), to: socket)
    }

    /// Tells it when the robot is ready, how it is, and that it is alive, until the task is cancelled.
    ///
    /// A robot is ready when each of its adapters is up, or knows why it isn't: a network that is away at the start
    /// may come back in an hour, and until then it is no use to start the robot again.
    func follow(_ robot: Robot) async {
        let start = ContinuousClock.now
        var isReady = false
        var known: [AdapterStatus] = []
        var (reported, pulsed) = (start, start)
        while !Task.isCancelled {
            let now = ContinuousClock.now
            let statuses = robot.adapters.map(\.status)
            if statuses != known || now - reported >= Self.report {
                (known, reported) = (statuses, now)
                tell("STATUS=\(await Self.state(of: robot))")
            }
            if !isReady, !statuses.contains(.starting) || now - start > Self.patience {
                isReady = true
                tell("READY=1")
            }
            if let pulse, now - pulsed >= pulse {
                pulsed = now
                tell("WATCHDOG=1")
            }
            let usual = isReady ? min(Self.report, pulse ?? Self.report) : Self.glance
            try? await Task.sleep(for: usual)
        }
    }

    /// How it is, in a line.
    private static func state(of robot: Robot) async -> String {
        let health = await robot.health()
        let up = health.adapters.sorted { $0.key < $1.key }.map { "\($0.key) is \($0.value)" }
        return SafeText.line((health.isGood ? up : health.reasons).joined(separator: "; "))
    }
}
