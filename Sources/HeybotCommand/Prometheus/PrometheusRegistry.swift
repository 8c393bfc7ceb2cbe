package import CoreMetrics
import Synchronization

/// A metrics factory that keeps the values and exposes them in Prometheus' text format.
///
/// Counters of both kinds become counters, meters and gauges become gauges, recorders that aggregate become summaries
/// without quantiles, and timers become histograms in seconds.
///
/// The same name and labels, in any order, are one time series, however often it is created. It is removed when it was
/// destroyed as often. Invalid characters in names become `_`. A label whose name is then taken, or reserved by the
/// format (`le`, `quantile`), gets the suffix `_2`.
///
/// A counter ignores negative and infinite amounts and NaN; a sum ignores infinite amounts and NaN. A negative duration
/// counts as zero.
package final class PrometheusRegistry: MetricsFactory, Sendable {
    /// The `Content-Type` of the text.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let catalog: Mutex<SeriesCatalog>
    private let buckets: HistogramBucketBounds

    /// Creates an empty registry.
    ///
    /// - Parameters:
    ///   - buckets: The upper bounds of timers' histograms, in any order; a bucket without bound is added.
    ///   - limit: The maximum number of time series. Further ones record nothing; the gauge
    ///     `heybot_metrics_dropped_series` has their number.
    package init(
        buckets: [Duration] = [
            .microseconds(100), .microseconds(500), .milliseconds(1), .milliseconds(5), .milliseconds(10),
            .milliseconds(50), .milliseconds(100), .milliseconds(500), .seconds(1), .seconds(5), .seconds(10),
            .seconds(30)
        ],
        limit: Int = 10_000
    ) {
        self.buckets = HistogramBucketBounds(buckets)
        catalog = Mutex(SeriesCatalog(limit: limit))
    }

    // MARK: Exposition

    /// Returns all time series in the text format, version 0.0.4, sorted by name, then labels.
    ///
    /// The values of a time series are consistent; those of different ones may be from different moments.
    /// Source: <https://prometheus.io/docs/instrumenting/exposition_formats/>
    package func text() -> String {
        // A copy, since callbacks may use this registry.
        PrometheusExposition(catalog.withLock { $0 }).text
    }

    /// The metrics that were left out because of name conflicts, a sentence each, sorted; at most a hundred.
    package var conflicts: [String] {
        catalog.withLock { $0.conflicts }.sorted()
    }

    /// Sets a metric's description, for its HELP line.
    package func describe(_ name: String, _ help: String) {
        catalog.withLock { $0.describe(formatName(name, colons: true), help) }
    }

    // MARK: Callbacks

    /// Adds a gauge whose value is read whenever the text is created.
    ///
    /// While the value is nil, the time series is left out. A second call with the same name and labels replaces the
    /// first.
    package func gauge(
        _ name: String, labels: [(String, String)] = [], help: String, _ value: @escaping @Sendable () -> Double?
    ) {
        registerCallback(.gauge, name, labels, help, value)
    }

    /// Adds a counter whose value is read whenever the text is created; otherwise the same as a gauge.
    package func counter(
        _ name: String, labels: [(String, String)] = [], help: String, _ value: @escaping @Sendable () -> Double?
    ) {
        registerCallback(.counter, name, labels, help, value)
    }

    private func registerCallback(
        _ kind: MetricFamilyID.Kind, _ name: String, _ labels: [(String, String)], _ help: String,
        _ value: @escaping @Sendable () -> Double?
    ) {
        let series = CallbackSeries(SeriesID(kind, name, labels), value)
        catalog.withLock { $0.registerCallback(series, help) }
    }

    // MARK: MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        register(.counter, label, dimensions) { CounterSeries($0) } ?? NOOPMetricsHandler.instance
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        register(.counter, label, dimensions) { CounterSeries($0) } ?? NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        register(.gauge, label, dimensions) { GaugeSeries($0) } ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate {
            register(.summary, label, dimensions) { SummarySeries($0) } ?? NOOPMetricsHandler.instance
        } else {
            register(.gauge, label, dimensions) { GaugeSeries($0) } ?? NOOPMetricsHandler.instance
        }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        register(.histogram, label, dimensions) { HistogramSeries($0, buckets) } ?? NOOPMetricsHandler.instance
    }

    package func destroyCounter(_ handler: any CounterHandler) { release(handler) }
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { release(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { release(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { release(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { release(handler) }

    private func register<S: MetricSeries>(
        _ kind: MetricFamilyID.Kind, _ name: String, _ labels: [(String, String)], _ make: (SeriesID) -> S
    ) -> S? {
        let id = SeriesID(kind, name, labels)
        return catalog.withLock { $0.register(id, make) }
    }

    private func release(_ handler: any AnyObject) {
        guard let series = handler as? any MetricSeries else { return }
        catalog.withLock { $0.release(series) }
    }
}
