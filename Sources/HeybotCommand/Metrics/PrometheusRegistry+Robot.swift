import Heybot
import Logging

extension PrometheusRegistry {
    /// Shows how a robot is, beside what is counted of it, and says what everything means.
    func observe(_ robot: Robot) {
        gauge("heybot_inbox_messages", help: "Messages that wait to be matched.") { [weak robot] in
            robot.map { Double($0.waitingMessages) }
        }
        gauge("heybot_listeners", help: "Listeners of the robot.") { [weak robot] in
            robot.map { Double($0.listeners.count) }
        }
        gauge("heybot_listeners_always_tried", help: "Listeners that nothing in a message rules out without trying.") {
            [weak robot] in robot.map { Double($0.listeners.count { $0.isAlwaysTried }) }
        }
        for adapter in robot.adapters {
            gauge(
                "heybot_adapter_up", labels: [("adapter", adapter.name)],
                help: "Whether an adapter is connected: 1 or 0; none once it has ended as it should."
            ) {
                switch adapter.status {
                case .up: 1
                case .starting, .down: 0
                case .ended: nil
                }
            }
        }
        for adapter in robot.adapters.compactMap({ $0 as? any Paced }) {
            gauge(
                "heybot_unsaid_messages", labels: [("adapter", adapter.name)],
                help: "Messages that wait for their turn to be said."
            ) {
                Double(adapter.unsaid)
            }
        }
        gauge("heybot_info", labels: [("version", heybotVersion)], help: "The version that runs.") { 1 }
        gauge("process_resident_memory_bytes", help: "Memory the process holds.") {
            ProcessMemory.resident.map(Double.init)
        }
        describe("heybot_messages_received_total", "Messages that came in.")
        describe("heybot_messages_sent_total", "What the robot has said.")
        describe(
            "heybot_messages_dropped_total", "Messages that weren't handled, since too many of that person's waited.")
        describe(
            "heybot_messages_lost_total",
            "What the robot couldn't say, since too much was waiting, it had waited for too long, or whoever asked had left."
        )
        describe("heybot_stanzas_skipped_total", "XMPP stanzas that weren't read because they were over a limit.")
        describe("heybot_messages_unheard_total", "What came in faster than the robot could take, and went unheard.")
        describe("heybot_reconnects_total", "How often a connection broke, or couldn't be made.")
        describe("heybot_listener_matches_total", "How often a listener matched.")
        describe("heybot_listener_slow_matches_total", "How often a listener's matcher took longer than it may.")
        describe("heybot_handler_seconds", "How long scripts take to answer a message.")
        describe("heybot_script_errors_total", "How often a script failed.")
        describe("heybot_script_timeouts_total", "How often a script was stopped, since its deadline had passed.")
        describe("heybot_http_requests_total", "Requests to the web server.")
        describe("heybot_brain_seconds", "How long the brain's store takes.")
        describe("heybot_brain_errors_total", "How often the brain's store failed.")
    }
}

/// Shows what the robot counts, for Prometheus to fetch.
struct MetricsPage: Script {
    private let registry: PrometheusRegistry

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
    }

    var name: String { "Prometheus" }

    func register(on robot: inout RobotBuilder) {
        robot.get("/metrics", startsServer: false) { [registry] request in
            for conflict in registry.conflicts { request.logger.debug("\(conflict)") }
            return WebResponse(
                headers: ["Content-Type": PrometheusRegistry.contentType], body: Array(registry.text().utf8))
        }
    }
}
