/// The buckets of a histogram of durations.
struct Buckets {
    /// In nanoseconds, increasing.
    let bounds: [Double]
    /// The same in seconds, as the format has them.
    let names: [String]

    init(_ bounds: [Duration]) {
        var (values, names): ([Double], [String]) = ([], [])
        for bound in bounds.sorted() {
            let (seconds, attoseconds) = bound.components
            let value = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
            let name = formatNumber(value / 1e9)
            // Two that look the same would be one line twice.
            guard name != names.last else { continue }
            values.append(value)
            names.append(name)
        }
        self.bounds = values
        self.names = names
    }
}
