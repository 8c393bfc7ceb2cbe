/// All time series, by metric and labels.
///
/// Each name in the text belongs to one metric of one kind, so that no line can come from two metrics.
struct SeriesCatalog {
    struct ReferenceCountedSeries {
        let series: any MetricSeries
        /// The number of handles.
        ///
        /// Each is released once.
        var handles = 1
    }

    private(set) var metrics: [MetricFamilyID: [[MetricLabel]: ReferenceCountedSeries]] = [:]
    /// The help texts, by the metric's name.
    private(set) var help: [String: String] = [:]
    private(set) var conflicts: Set<String> = []
    /// The metric that owns each name.
    private var owners: [String: MetricFamilyID] = [:]
    /// The number of time series, without the one for dropped series.
    private var count = -1
    private let limit: Int
    private let dropped = GaugeSeries(SeriesID(.gauge, "heybot_metrics_dropped_series", []))

    init(limit: Int) {
        self.limit = limit
        // With a callback, so that a caller can't get it as a gauge by its name.
        insert(CallbackSeries(dropped.id) { [dropped] in dropped.value })
        describe(dropped.id.metric.name, "Time series that weren't created because there were too many.")
    }

    mutating func describe(_ name: String, _ help: String) {
        self.help[name] = help
    }

    /// Returns the time series with the id, new or with one more handle; nil if there is a conflict or too many exist.
    mutating func register<S: MetricSeries>(_ id: SeriesID, _ make: (SeriesID) -> S) -> S? {
        for name in id.metric.names {
            if let owner = owners[name], owner != id.metric {
                refuse(id, "the \(owner) already has the name \(name); rename one of the two")
                return nil
            }
        }
        if let entry = metrics[id.metric]?[id.labels] {
            guard let series = entry.series as? S else {
                refuse(id, "its value has two sources; give one of them other labels")
                return nil
            }
            metrics[id.metric]?[id.labels]?.handles += 1
            return series
        }
        guard count < limit else {
            dropped.increment(by: 1)
            return nil
        }
        let series = make(id)
        insert(series)
        return series
    }

    /// Registers a time series with a callback.
    ///
    /// It replaces an earlier one with the same id.
    mutating func registerCallback(_ series: CallbackSeries, _ help: String) {
        let id = series.id
        guard register(id, { _ in series }) != nil else { return }
        metrics[id.metric]?[id.labels] = ReferenceCountedSeries(series: series)
        describe(id.metric.name, help)
    }

    /// Releases a handle, and removes the time series with its last handle.
    ///
    /// Does nothing if it was replaced or removed.
    mutating func release(_ series: any MetricSeries) {
        let id = series.id
        guard let entry = metrics[id.metric]?[id.labels], entry.series === series else { return }
        guard entry.handles == 1 else {
            metrics[id.metric]?[id.labels]?.handles -= 1
            return
        }
        metrics[id.metric]?[id.labels] = nil
        count -= 1
        guard metrics[id.metric]?.isEmpty == true else { return }
        metrics[id.metric] = nil
        for name in id.metric.names { owners[name] = nil }
    }

    private mutating func insert(_ series: any MetricSeries) {
        let id = series.id
        for name in id.metric.names { owners[name] = id.metric }
        metrics[id.metric, default: [:]][id.labels] = ReferenceCountedSeries(series: series)
        count += 1
    }

    private mutating func refuse(_ id: SeriesID, _ reason: String) {
        guard conflicts.count < 100 else { return }
        conflicts.insert("the \(id.metric) is left out: \(reason)")
    }
}

/// A metric: all time series with one name.
struct MetricFamilyID: Hashable, CustomStringConvertible {
    enum Kind: String {
        case counter, gauge, summary, histogram
    }

    let kind: Kind
    let name: String

    /// The names in its lines and its own.
    ///
    /// No other metric may use them.
    var names: [String] {
        switch kind {
        case .counter, .gauge: [name]
        case .summary: [name, name + "_sum", name + "_count"]
        case .histogram: [name, name + "_bucket", name + "_sum", name + "_count"]
        }
    }

    /// The label that the format reserves for this kind of metric.
    var reservedLabel: String? {
        switch kind {
        case .counter, .gauge: nil
        case .summary: "quantile"
        case .histogram: "le"
        }
    }

    var description: String { "\(kind.rawValue) \(name)" }
}
