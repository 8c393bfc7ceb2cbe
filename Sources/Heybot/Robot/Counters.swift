import Metrics
import Synchronization

/// What is counted: by adapter, by script and by listener.
final class Counters: Sendable {
    private let all = Atomic(0)
    private let errors: [String: Counter]
    private let timeouts: [String: Counter]
    private let handlers: [String: Metrics.Timer]
    private let received: [String: Counter]
    private let sent: [String: Counter]
    private let dropped: [String: Counter]
    private let unheard: [String: Counter]
    private let factory: any MetricsFactory
    /// Nobody wants to know; then the way of a message doesn't pay for it.
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
        received = counters(adapters, "adapter", "heybot_messages_received_total")
        sent = counters(adapters, "adapter", "heybot_messages_sent_total")
        dropped = counters(adapters, "adapter", "heybot_messages_dropped_total")
        unheard = counters(adapters, "adapter", "heybot_messages_unheard_total")
        self.factory = factory
        isOff = factory is NOOPMetricsHandler
    }

    /// Errors and timeouts together.
    var failures: Int { all.load(ordering: .relaxed) }

    @Sendable func error(in script: String) {
        all.add(1, ordering: .relaxed)
        errors[script]?.increment()
    }

    @Sendable func timeout(in script: String) {
        all.add(1, ordering: .relaxed)
        timeouts[script]?.increment()
    }

    func received(by adapter: String) {
        if !isOff { received[adapter]?.increment() }
    }

    /// A message that its sender, or everybody, said too many of at once.
    func dropped(from adapter: String) {
        if !isOff { dropped[adapter]?.increment() }
    }

    /// A message for which there was no room in the inbox.
    func unheard(from adapter: String) {
        if !isOff { unheard[adapter]?.increment() }
    }

    func sent(by adapter: String) {
        if !isOff { sent[adapter]?.increment() }
    }

    func match(of registered: RegisteredListener) {
        guard !isOff else { return }
        registered.matches { counter(of: registered.listener, "heybot_listener_matches_total") }.increment()
    }

    /// A matcher that took longer than it may.
    func slowMatch(of listener: Listener) {
        if !isOff { counter(of: listener, "heybot_listener_slow_matches_total").increment() }
    }

    private func counter(of listener: Listener, _ label: String) -> Counter {
        Counter(
            label: label, dimensions: [("listener", listener.id), ("script", listener.script)], factory: factory)
    }

    /// How long a script's closure ran; not how long it waited for somebody's answer.
    func handled(by script: String, in time: Duration) {
        if !isOff { handlers[script]?.record(duration: time) }
    }

    /// A request that a route answered, or something else.
    func answered(_ route: String, status: Int) {
        guard !isOff else { return }
        let dimensions = [("route", route), ("status", "\(status)")]
        Counter(label: "heybot_http_requests_total", dimensions: dimensions, factory: factory).increment()
    }
}
