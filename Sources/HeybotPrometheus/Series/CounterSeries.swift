import CoreMetrics
import Synchronization

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
