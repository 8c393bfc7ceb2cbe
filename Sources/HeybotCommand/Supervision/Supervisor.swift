import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whoever started the process and wants to hear how it is: systemd, where the unit has `Type=notify`.
///
/// It is told as sd_notify(3) has it, by datagrams of lines to a Unix socket.
struct Supervisor: Sendable {
    /// How often it wants to hear that we are alive; nil where it doesn't.
    let watchdog: Duration?
    private let socket: String

    /// Longer than that a robot isn't waited for: its state tells why it isn't where it should be.
    private static let patience: Duration = .seconds(20)
    /// How often the robot's state is looked at, until it is ready and then.
    private static let pause: (starting: Duration, running: Duration) = (.milliseconds(50), .seconds(10))

    /// Nil where nobody wants to hear anything.
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

    /// Tells it when the robot is ready, what its state is, and that it is alive, until the task is cancelled.
    ///
    /// A robot is ready when each of its adapters is up, or knows why it isn't: a network that is away at the start
    /// may come back in an hour, and until then it is no use to start the robot anew.
    func follow(_ robot: Robot) async {
        let start = ContinuousClock.now
        var isReady = false
        var told = ""
        while !Task.isCancelled {
            let states = robot.adapters.map { (name: $0.name, status: $0.status) }
            let text = states.map { "\($0.name) is \($0.status)" }.joined(separator: "; ")
            if text != told { tell("STATUS=\(Plain.text(text))") }
            told = text
            let isSettled = states.allSatisfy { $0.status != .starting }
            if !isReady, isSettled || ContinuousClock.now - start > Self.patience {
                isReady = true
                tell("READY=1")
            }
            if watchdog != nil { tell("WATCHDOG=1") }
            let usual = isReady ? Self.pause.running : Self.pause.starting
            // Twice as often as it has to be.
            try? await Task.sleep(for: min(usual, watchdog.map { $0 / 2 } ?? usual))
        }
    }
}
