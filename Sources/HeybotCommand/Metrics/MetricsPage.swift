import Heybot
import Logging

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
