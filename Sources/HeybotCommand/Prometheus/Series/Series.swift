import CoreMetrics
import Synchronization

/// A time series, or those of one histogram or summary.
protocol Series: AnyObject, Sendable {
    var id: SeriesID { get }

    /// Its lines at this moment, in the order of the format.
    func samples() -> [Sample]
}

/// A line of a time series, but for its name and labels.
struct Sample {
    /// What follows the name of the metric.
    var suffix = ""
    /// The upper bound of a bucket.
    var bound: String?
    let value: String
}

/// A time series whose value is kept elsewhere.
final class AskedSeries: Series {
    let id: SeriesID
    private let value: @Sendable () -> Double?

    init(_ id: SeriesID, _ value: @escaping @Sendable () -> Double?) {
        self.id = id
        self.value = value
    }

    func samples() -> [Sample] {
        value().map { [Sample(value: formatNumber($0))] } ?? []
    }
}

extension Atomic where Value == Double {
    /// Adds without losing what others add meanwhile.
    func add(_ amount: Double) {
        var value = load(ordering: .relaxed)
        while true {
            let (done, now) = weakCompareExchange(expected: value, desired: value + amount, ordering: .relaxed)
            if done { return }
            value = now
        }
    }
}

/// A counter, of whole numbers and others at once.
final class CounterSeries: Series, CounterHandler, FloatingPointCounterHandler {
    let id: SeriesID
    private let whole = Atomic<Int64>(0)
    private let other = Atomic<Double>(0)

    init(_ id: SeriesID) {
        self.id = id
    }

    /// Stays at the largest number there is, once it's there.
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

    func samples() -> [Sample] {
        let (whole, other) = (whole.load(ordering: .relaxed), other.load(ordering: .relaxed))
        return [Sample(value: other == 0 ? "\(whole)" : formatNumber(Double(whole) + other))]
    }
}

/// A gauge.
final class GaugeSeries: Series, MeterHandler, RecorderHandler {
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

    func samples() -> [Sample] { [Sample(value: formatNumber(value))] }
}

/// A summary: how many values there were, and their sum.
final class SummarySeries: Series, RecorderHandler {
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

    func samples() -> [Sample] {
        let totals = totals.withLock { $0 }
        return [
            Sample(suffix: "_sum", value: formatNumber(totals.sum)), Sample(suffix: "_count", value: "\(totals.count)")
        ]
    }
}
