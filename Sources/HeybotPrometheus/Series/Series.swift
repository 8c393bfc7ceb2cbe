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
