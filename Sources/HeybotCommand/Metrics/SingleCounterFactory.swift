import CoreMetrics

/// A metrics factory that keeps one counter, for each adapter, and drops everything else.
///
/// A gateway uses it: its robot hears the same messages as the worker's, which counts them, but only its inbox drops some.
struct SingleCounterFactory: MetricsFactory {
    /// The counter's name.
    let name: String
    /// What keeps it.
    let registry: PrometheusRegistry

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard label == name else { return NOOPMetricsHandler.instance }
        return registry.makeCounter(label: label, dimensions: dimensions)
    }

    func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        NOOPMetricsHandler.instance
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { NOOPMetricsHandler.instance }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }

    func destroyCounter(_ handler: any CounterHandler) { registry.destroyCounter(handler) }
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
