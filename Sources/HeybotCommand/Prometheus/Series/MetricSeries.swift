import CoreMetrics
import Synchronization

/// A time series, or all those of one histogram or summary.
protocol MetricSeries: AnyObject, Sendable {
    var id: SeriesID { get }

    /// Returns its current lines, in the format's order.
    func samples() -> [MetricSample]
}

/// A line of a time series, without name and labels.
struct MetricSample {
    /// What follows the metric's name, such as `_sum`.
    var suffix = ""
    /// The upper bound of a bucket.
    var bound: String?
    let value: String
}

/// A time series whose value comes from a callback.
final class CallbackSeries: MetricSeries {
    let id: SeriesID
    private let value: @Sendable () -> Double?

    init(_ id: SeriesID, _ value: @escaping @Sendable () -> Double?) {
        self.id = id
        self.value = value
    }

    func samples() -> [MetricSample] {
        value().map { [MetricSample(value: formatNumber($0))] } ?? []
    }
}

extension Atomic where Value == Double {
    /// Adds an amount atomically.
    func add(_ amount: Double) {
        var value = load(ordering: .relaxed)
        while true {
            let (done, now) = weakCompareExchange(expected: value, desired: value + amount, ordering: .relaxed)
            if done { return }
            value = now
        }
    }
}

/// A counter for integers and floating-point numbers.
final class CounterSeries: MetricSeries, CounterHandler, FloatingPointCounterHandler {
    let id: SeriesID
    private let whole = Atomic<Int64>(0)
    private let other = Atomic<Double>(0)

    init(_ id: SeriesID) {
        self.id = id
    }

    /// Adds an amount.
    ///
    /// The count stays at the largest integer if it overflows.
    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        var value = whole.load(ordering: .relaxed)
        while true {
            let (sum, overflow) = value.addingReportingOverflow(amount)
            let (done, now) = whole.weakCompareExchange(
                expected: value, desired: overflow ? .max : sum, ordering: .relaxed)
            if done { return }
            value = now
        }
    }

    func increment(by amount: Double) {
        guard amount.isFinite, amount > 0 else { return }
        other.add(amount)
    }

    func reset() {
        whole.store(0, ordering: .relaxed)
        other.store(0, ordering: .relaxed)
    }

    func samples() -> [MetricSample] {
        let (whole, other) = (whole.load(ordering: .relaxed), other.load(ordering: .relaxed))
        return [MetricSample(value: other == 0 ? "\(whole)" : formatNumber(Double(whole) + other))]
    }
}

/// A gauge.
final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    let id: SeriesID
    private let current = Atomic<Double>(0)

    init(_ id: SeriesID) {
        self.id = id
    }

    var value: Double { current.load(ordering: .relaxed) }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { current.store(value, ordering: .relaxed) }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }

    func increment(by amount: Double) {
        guard amount.isFinite else { return }
        current.add(amount)
    }

    func decrement(by amount: Double) { increment(by: -amount) }

    func samples() -> [MetricSample] { [MetricSample(value: formatNumber(value))] }
}

/// A summary: the number of values and their sum.
final class SummarySeries: MetricSeries, RecorderHandler {
    let id: SeriesID
    private let totals = Mutex((count: 0, sum: 0.0))

    init(_ id: SeriesID) {
        self.id = id
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        totals.withLock {
            $0.count += 1
            $0.sum += value
        }
    }

    func samples() -> [MetricSample] {
        let totals = totals.withLock { $0 }
        return [
            MetricSample(suffix: "_sum", value: formatNumber(totals.sum)),
            MetricSample(suffix: "_count", value: "\(totals.count)")
        ]
    }
}
