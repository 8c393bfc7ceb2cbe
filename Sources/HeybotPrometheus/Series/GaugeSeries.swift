import CoreMetrics
import Synchronization

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
