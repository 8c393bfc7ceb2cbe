import Heybot
import Logging

extension PrometheusRegistry {
    /// Adds gauges for the robot's state, and descriptions of all metrics.
    ///
    /// - Parameter isGateway: Whether another process runs the robot's scripts, and shows its listeners and adapters.
    func observe(_ robot: Robot, isGateway: Bool = false) {
        gauge("heybot_inbox_messages", help: "Messages in the inbox, waiting to be matched.") { [weak robot] in
            robot.map { Double($0.waitingMessages) }
        }
        if !isGateway { observeScriptsAndAdapters(of: robot) }
        gauge("process_resident_memory_bytes", help: "Resident memory in bytes.") {
            ProcessMemory.resident.map(Double.init)
        }
        describeAll()
    }

    private func observeScriptsAndAdapters(of robot: Robot) {
        gauge("heybot_listeners", help: "Registered listeners.") { [weak robot] in
            robot.map { Double($0.listeners.count) }
        }
        gauge("heybot_listeners_unindexed", help: "Listeners that are tried for every message.") {
            [weak robot] in robot.map { Double($0.listeners.count { $0.isAlwaysTried }) }
        }
        for adapter in robot.adapters {
            gauge(
                "heybot_adapter_up", labels: [("adapter", adapter.name)],
                help: "1 if the adapter is connected, otherwise 0; absent after the adapter has ended normally."
            ) {
                switch adapter.status {
                case .up: 1
                case .starting, .down: 0
                case .ended: nil
                }
            }
        }
        for adapter in robot.adapters.compactMap({ $0 as? any OutboundQueueing }) {
            gauge(
                "heybot_outbound_queue_messages", labels: [("adapter", adapter.name)],
                help: "Messages queued to be sent."
            ) {
                Double(adapter.queuedMessages)
            }
        }
        gauge("heybot_info", labels: [("version", heybotVersion)], help: "The running version.") { 1 }
    }

    private func describeAll() {
        describe("heybot_messages_received_total", "Received messages.")
        describe("heybot_messages_sent_total", "Sent messages.")
        describe(
            "heybot_messages_dropped_total",
            "Messages that weren't handled because too many messages from the same user were waiting.")
        describe(
            "heybot_outbound_messages_dropped_total",
            "Messages that weren't sent: the queue was full, they waited too long, or the recipient left."
        )
        describe("heybot_stanzas_skipped_total", "XMPP stanzas that weren't read because they exceeded a limit.")
        describe("heybot_inbox_messages_dropped_total", "Messages dropped because the inbox was full.")
        describe("heybot_reconnects_total", "Lost connections and failed attempts to connect.")
        describe("heybot_listener_matches_total", "Matches of a listener.")
        describe("heybot_listener_slow_matches_total", "Matches that took longer than the limit.")
        describe("heybot_handler_seconds", "Time that scripts take to handle a message.")
        describe("heybot_script_errors_total", "Errors thrown by scripts.")
        describe("heybot_script_timeouts_total", "Scripts canceled at their deadline.")
        describe("heybot_http_requests_total", "Requests to the web server.")
        describe("heybot_brain_seconds", "Duration of calls to the brain's store.")
        describe("heybot_brain_errors_total", "Failed calls to the brain's store.")
    }
}

/// The route `/metrics`, which exposes the metrics to Prometheus.
struct MetricsRoute: GatewayScript {
    private let registry: PrometheusRegistry
    private let gateway: (@Sendable () async -> String?)?

    /// - Parameter gateway: Returns the metrics of the process that has the connections; nil if that is this one.
    init(_ registry: PrometheusRegistry, gateway: (@Sendable () async -> String?)? = nil) {
        (self.registry, self.gateway) = (registry, gateway)
    }

    var name: String { "Prometheus" }

    func register(on robot: inout RobotBuilder) {
        robot.get("/metrics", startsServer: false) { [registry, gateway] request in
            for conflict in registry.conflicts { request.logger.debug("\(conflict)") }
            var text = registry.text()
            if let others = await gateway?() { text = MergedExposition(text, others, role: "gateway").text }
            return WebResponse(headers: ["Content-Type": PrometheusRegistry.contentType], body: Array(text.utf8))
        }
    }
}
