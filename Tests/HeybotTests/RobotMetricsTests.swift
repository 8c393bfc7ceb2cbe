import Heybot
import HeybotTesting
import MetricsTestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct RobotMetricsTests {
    @Test func `messages, matches, closures and requests are counted`() async throws {
        let metrics = TestMetrics()
        let adapter = ManualAdapter()
        let script = InlineScript("Web") {
            $0.hear(/hello/, id: "greeting") { try await $0.send("hello yourself") }
            $0.get("/here") { _ in .empty }
        }
        let failing = InlineScript("Failing") {
            $0.hear(/fail/) { _ in throw CancellationError() }
            $0.get("/odd") { _ in WebResponse(status: 99) }
        }
        let robot = Robot(
            adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [script, failing], metrics: metrics)
        async let running: Void = robot.run()
        await adapter.handle("hello")
        await adapter.handle("nothing")
        let routes = RouteResponder(robot: robot)
        #expect(await routes.answer(.get, "/odd", headers: [:], client: nil) { _, _ in [] }?.status == 500)
        for path in ["/here", "/there"] {
            _ = await routes.answer(.get, path, headers: [:], client: nil) { _, _ in [] }
        }
        robot.stop()
        try await running
        func count(_ label: String, _ dimensions: [(String, String)]) throws -> Int64 {
            try metrics.expectCounter(label, dimensions).totalValue
        }
        #expect(try count("heybot_messages_received_total", [("adapter", adapter.name)]) == 2)
        #expect(try count("heybot_messages_sent_total", [("adapter", adapter.name)]) == 1)
        #expect(
            try count("heybot_listener_matches_total", [("listener", "greeting"), ("script", "Web")]) == 1)
        #expect(try metrics.expectTimer("heybot_handler_seconds", [("script", "Web")]).values.count == 2)
        #expect(
            try count("heybot_http_requests_total", [("route", "GET /here"), ("status", "204")]) == 1)
        #expect(try count("heybot_script_errors_total", [("script", "Failing")]) == 1)
    }
}
