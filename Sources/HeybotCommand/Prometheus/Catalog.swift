/// All time series there are, by metric and labels.
///
/// No line of the text can come from two of them: each name of a line belongs to one metric, of one kind.
struct Catalog {
    struct Entry {
        let series: any Series
        /// How many have it, who each drop it once.
        var handles = 1
    }

    private(set) var metrics: [Metric: [[Label]: Entry]] = [:]
    /// By the name of the metric.
    private(set) var help: [String: String] = [:]
    private(set) var conflicts: Set<String> = []
    /// Whose each name of a line is.
    private var owners: [String: Metric] = [:]
    /// Without the one that counts what was dropped.
    private var count = -1
    private let limit: Int
    private let dropped = GaugeSeries(SeriesID(.gauge, "heybot_metrics_dropped_series", []))

    init(limit: Int) {
        self.limit = limit
        // Asked for its value, so that nobody gets hold of it by its name.
        insert(AskedSeries(dropped.id) { [dropped] in dropped.value })
        describe(dropped.id.metric.name, "Time series that count nothing, for there were too many when they were made.")
    }

    mutating func describe(_ name: String, _ help: String) {
        self.help[name] = help
    }

    /// The time series of this id, new or with one handle more; nil if it can't be.
    mutating func take<S: Series>(_ id: SeriesID, _ make: (SeriesID) -> S) -> S? {
        for name in id.metric.names {
            if let owner = owners[name], owner != id.metric {
                refuse(id, "the \(owner) has the name \(name), so rename one of them")
                return nil
            }
        }
        if let entry = metrics[id.metric]?[id.labels] {
            guard let series = entry.series as? S else {
                refuse(id, "its value comes from two places, so give one of them other labels")
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

    /// Takes in a time series that is asked for its value, in the place of one that was before.
    mutating func ask(_ series: AskedSeries, _ help: String) {
        let id = series.id
        guard take(id, { _ in series }) != nil else { return }
        metrics[id.metric]?[id.labels] = Entry(series: series)
        describe(id.metric.name, help)
    }

    /// Takes a handle away, and with the last one the time series; does nothing for one that went before.
    mutating func drop(_ series: any Series) {
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

    private mutating func insert(_ series: any Series) {
        let id = series.id
        for name in id.metric.names { owners[name] = id.metric }
        metrics[id.metric, default: [:]][id.labels] = Entry(series: series)
        count += 1
    }

    private mutating func refuse(_ id: SeriesID, _ reason: String) {
        guard conflicts.count < 100 else { return }
        conflicts.insert("the \(id.metric) is left out: \(reason)")
    }
}

/// All time series of a name.
struct Metric: Hashable, CustomStringConvertible {
    enum Kind: String {
        case counter, gauge, summary, histogram
    }

    let kind: Kind
    let name: String

    /// The names of its lines, and its own, which no other metric may have.
    var names: [String] {
        switch kind {
        case .counter, .gauge: [name]
        case .summary: [name, name + "_sum", name + "_count"]
        case .histogram: [name, name + "_bucket", name + "_sum", name + "_count"]
        }
    }

    /// The label that the format gives a meaning of its own.
    var reservedLabel: String? {
        switch kind {
        case .counter, .gauge: nil
        case .summary: "quantile"
        case .histogram: "le"
        }
    }

    var description: String { "\(kind.rawValue) \(name)" }
}
