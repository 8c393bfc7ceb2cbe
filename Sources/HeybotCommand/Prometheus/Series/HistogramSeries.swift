import CoreMetrics
import Synchronization

/// A histogram of durations.
final class HistogramSeries: MetricSeries, TimerHandler {
    private struct Totals {
        /// The number of values in each bucket; the last one has no bound.
        var counts: [Int]
        /// In nanoseconds, so that sums up to a hundred days are exact.
        var sum = 0.0
    }

    let id: SeriesID
    private let buckets: HistogramBucketBounds
    private let totals: Mutex<Totals>

    init(_ id: SeriesID, _ buckets: HistogramBucketBounds) {
        self.id = id
        self.buckets = buckets
        totals = Mutex(Totals(counts: Array(repeating: 0, count: buckets.bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) {
        let value = Double(max(duration, 0))
        let bucket = buckets.bounds.firstIndex { value <= $0 } ?? buckets.bounds.count
        totals.withLock {
            $0.counts[bucket] += 1
            $0.sum += value
        }
    }

    func samples() -> [MetricSample] {
        let totals = totals.withLock { $0 }
        var count = 0
        var samples: [MetricSample] = []
        for (name, part) in zip(buckets.names + ["+Inf"], totals.counts) {
            count += part
            samples.append(MetricSample(suffix: "_bucket", bound: name, value: "\(count)"))
        }
        samples.append(MetricSample(suffix: "_sum", value: formatNumber(totals.sum / 1e9)))
        samples.append(MetricSample(suffix: "_count", value: "\(count)"))
        return samples
    }
}

/// The upper bounds of the buckets of a histogram of durations.
struct HistogramBucketBounds {
    /// The bounds in nanoseconds, increasing.
    let bounds: [Double]
    /// The bounds in seconds, as text.
    let names: [String]

    init(_ bounds: [Duration]) {
        var (values, names): ([Double], [String]) = ([], [])
        for bound in bounds.sorted() {
            let (seconds, attoseconds) = bound.components
            let value = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
            let name = formatNumber(value / 1e9)
            // Two bounds with the same text would be the same line.
            guard name != names.last else { continue }
            values.append(value)
            names.append(name)
        }
        self.bounds = values
        self.names = names
    }
}
