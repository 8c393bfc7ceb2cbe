import CoreMetrics
import Synchronization

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
