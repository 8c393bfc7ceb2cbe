import Metrics
import Synchronization

/// The metrics of a robot: by adapter, by script and by listener.
final class RobotMetrics: Sendable {
    private let all = Atomic(0)
    private let errors: [String: Counter]
    private let timeouts: [String: Counter]
    private let handlers: [String: Metrics.Timer]
    /// In a list, which is faster to search than a dictionary, because there are few adapters and many lines.
    private let received: [(adapter: String, counter: Counter)]
    private let sent: [String: Counter]
    private let dropped: [String: Counter]
    private let inboxDropped: [String: Counter]
    private let factory: any MetricsFactory
    /// Whether there is no metrics backend, so that messages don't pay for metrics.
    private let isOff: Bool

    init(adapters: [String], scripts: [String], factory: any MetricsFactory) {
        func each<Handler>(
            _ names: [String], _ dimension: String, _ make: ([(String, String)]) -> Handler
        ) -> [String: Handler] {
            Dictionary(names.map { ($0, make([(dimension, $0)])) }, uniquingKeysWith: { first, _ in first })
        }
        func counters(_ names: [String], _ dimension: String, _ label: String) -> [String: Counter] {
            each(names, dimension) { Counter(label: label, dimensions: $0, factory: factory) }
        }
        errors = counters(scripts, "script", "heybot_script_errors_total")
        timeouts = counters(scripts, "script", "heybot_script_timeouts_total")
        handlers = each(scripts, "script") {
            Metrics.Timer(label: "heybot_handler_seconds", dimensions: $0, factory: factory)
        }
        received = counters(adapters, "adapter", "heybot_messages_received_total").map { ($0.key, $0.value) }
        sent = counters(adapters, "adapter", "heybot_messages_sent_total")
        dropped = counters(adapters, "adapter", "heybot_messages_dropped_total")
        inboxDropped = counters(adapters, "adapter", "heybot_inbox_messages_dropped_total")
        self.factory = factory
        isOff = factory is NOOPMetricsHandler
    }

    /// The number of errors and timeouts of script code.
    var failures: Int { all.load(ordering: .relaxed) }

    /// Counts an error of a script.
    @Sendable func error(in script: String) {
        all.add(1, ordering: .relaxed)
        counter(errors, script, "heybot_script_errors_total").increment()
    }

    /// Counts script code that exceeded its deadline.
    @Sendable func timeout(in script: String) {
        all.add(1, ordering: .relaxed)
        counter(timeouts, script, "heybot_script_timeouts_total").increment()
    }

    /// The counter of a script; a script that was loaded while the robot runs isn't among those of the start.
    private func counter(_ counters: [String: Counter], _ script: String, _ label: String) -> Counter {
        counters[script] ?? Counter(label: label, dimensions: [("script", script)], factory: factory)
    }

    /// Counts a message that the dispatcher took from the inbox.
    func received(by adapter: String) {
        if !isOff { received.first { $0.adapter == adapter }?.counter.increment() }
    }

    /// Counts a message that was dropped because too many messages, of its sender or of all users, were waiting.
    func dropped(from adapter: String) {
        if !isOff { dropped[adapter]?.increment() }
    }

    /// Counts a message that was dropped because the inbox was full.
    func inboxDropped(from adapter: String) {
        if !isOff { inboxDropped[adapter]?.increment() }
    }

    /// Counts a message that an adapter accepted for delivery.
    func sent(by adapter: String) {
        if !isOff { sent[adapter]?.increment() }
    }

    /// Counts a match of a listener.
    func match(of registered: IndexedListener) {
        guard !isOff else { return }
        registered.matches { counter(of: registered.listener, "heybot_listener_matches_total") }.increment()
    }

    /// Counts a match that took longer than ``Robot/Limits/slowMatch``.
    func slowMatch(of listener: Listener) {
        if !isOff { counter(of: listener, "heybot_listener_slow_matches_total").increment() }
    }

    private func counter(of listener: Listener, _ label: String) -> Counter {
        Counter(
            label: label, dimensions: [("listener", listener.id), ("script", listener.script)], factory: factory)
    }

    /// Records how long a script's code ran, without the time it waited for answers.
    func handled(by script: String, in time: Duration) {
        guard !isOff else { return }
        let timer =
            handlers[script]
            ?? Metrics.Timer(label: "heybot_handler_seconds", dimensions: [("script", script)], factory: factory)
        timer.record(duration: time)
    }

    /// Counts an HTTP request.
    ///
    /// `route` is the id of the route that answered it, or another source.
    func answered(_ route: String, status: Int) {
        guard !isOff else { return }
        let dimensions = [("route", route), ("status", "\(status)")]
        Counter(label: "heybot_http_requests_total", dimensions: dimensions, factory: factory).increment()
    }
}
