package import CoreMetrics
import Synchronization

/// Keeps what a process counts, and tells it in Prometheus' text format.
///
/// Counters of both kinds are counters to Prometheus, meters and gauges are gauges, recorders that aggregate are
/// summaries without quantiles, and timers are histograms in seconds.
///
/// The same name and labels are one time series, in whatever order the labels come and however often it is made. It
/// goes when it has been destroyed as often. Characters that a name may not have become `_`. A label whose name is
/// taken, after that or because the format needs it (`le`, `quantile`), has `_2` behind it.
///
/// Amounts that a counter can't grow by are left out (below zero, infinite, no number), and so is what a sum would not
/// survive (infinite, no number). A duration below zero counts as zero.
package final class PrometheusRegistry: MetricsFactory, Sendable {
    /// What an HTTP answer with the text has as its `Content-Type`.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let catalog: Mutex<Catalog>
    private let buckets: Buckets

    /// Makes one that holds nothing yet.
    ///
    /// - Parameters:
    ///   - buckets: The upper bounds of timers' histograms, in any order; there is one without bound besides.
    ///   - limit: How many time series there may be. What is made beyond counts nothing, and is itself counted in the
    ///     gauge `heybot_metrics_dropped_series`.
    package init(
        buckets: [Duration] = [
            .microseconds(100), .microseconds(500), .milliseconds(1), .milliseconds(5), .milliseconds(10),
            .milliseconds(50), .milliseconds(100), .milliseconds(500), .seconds(1), .seconds(5), .seconds(10),
            .seconds(30)
        ],
        limit: Int = 10_000
    ) {
        self.buckets = Buckets(buckets)
        catalog = Mutex(Catalog(limit: limit))
    }

    // MARK: Telling

    /// All of it, in the text exposition format 0.0.4, sorted by name, then labels.
    ///
    /// Each time series is told as it is at one moment, but not all at the same one.
    /// Source: <https://prometheus.io/docs/instrumenting/exposition_formats/>
    package func text() -> String {
        // The copy is for values that are asked for: whoever answers may use this registry.
        Exposition(catalog.withLock { $0 }).text
    }

    /// What was left out because its name is another metric's, a sentence each, sorted; at most a hundred.
    package var conflicts: [String] {
        catalog.withLock { $0.conflicts }.sorted()
    }

    /// Says what a metric means: the HELP line.
    package func describe(_ name: String, _ help: String) {
        catalog.withLock { $0.describe(formatName(name, colons: true), help) }
    }

    // MARK: Values kept elsewhere

    /// A gauge whose value is asked for whenever the text is made.
    ///
    /// If it's nil, the time series is left out. Asking again for the same name and labels takes the place of what
    /// was there.
    package func gauge(
        _ name: String, labels: [(String, String)] = [], help: String, _ value: @escaping @Sendable () -> Double?
    ) {
        ask(.gauge, name, labels, help, value)
    }

    /// A counter whose value is asked for whenever the text is made; otherwise as with a gauge.
    package func counter(
        _ name: String, labels: [(String, String)] = [], help: String, _ value: @escaping @Sendable () -> Double?
    ) {
        ask(.counter, name, labels, help, value)
    }

    private func ask(
        _ kind: Metric.Kind, _ name: String, _ labels: [(String, String)], _ help: String,
        _ value: @escaping @Sendable () -> Double?
    ) {
        let series = AskedSeries(SeriesID(kind, name, labels), value)
        catalog.withLock { $0.ask(series, help) }
    }

    // MARK: MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        take(.counter, label, dimensions) { CounterSeries($0) } ?? NOOPMetricsHandler.instance
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        take(.counter, label, dimensions) { CounterSeries($0) } ?? NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        take(.gauge, label, dimensions) { GaugeSeries($0) } ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate {
            take(.summary, label, dimensions) { SummarySeries($0) } ?? NOOPMetricsHandler.instance
        } else {
            take(.gauge, label, dimensions) { GaugeSeries($0) } ?? NOOPMetricsHandler.instance
        }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        take(.histogram, label, dimensions) { HistogramSeries($0, buckets) } ?? NOOPMetricsHandler.instance
    }

    package func destroyCounter(_ handler: any CounterHandler) { drop(handler) }
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { drop(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { drop(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { drop(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { drop(handler) }

    private func take<S: Series>(
        _ kind: Metric.Kind, _ name: String, _ labels: [(String, String)], _ make: (SeriesID) -> S
    ) -> S? {
        let id = SeriesID(kind, name, labels)
        return catalog.withLock { $0.take(id, make) }
    }

    private func drop(_ handler: any AnyObject) {
        guard let series = handler as? any Series else { return }
        catalog.withLock { $0.drop(series) }
    }
}
