/// What tells a time series from all others: its metric and its labels, fit for the format.
struct SeriesID {
    let metric: Metric
    /// Sorted, no name twice.
    let labels: [Label]

    init(_ kind: Metric.Kind, _ text: String, _ labels: [(String, String)]) {
        metric = Metric(kind: kind, name: formatName(text, colons: true))
        var names = Set([metric.reservedLabel].compactMap(\.self))
        // Sorted before too, so that the order they come in doesn't tell which of two has its name changed.
        self.labels = labels.map { Label(name: $0, value: Array($1.utf8)) }.sorted()
            .map { label in
                var name = formatName(label.name, colons: false)
                while !names.insert(name).inserted { name = formatName(name + "_2", colons: false) }
                return Label(name: name, value: label.value)
            }
            .sorted()
    }
}

/// A label of a time series.
///
/// Its value is bytes: to Prometheus texts are equal only if each byte is.
struct Label: Hashable, Comparable {
    let name: String
    let value: [UInt8]

    static func < (one: Label, other: Label) -> Bool {
        one.name.utf8.elementsEqual(other.name.utf8)
            ? one.value.lexicographicallyPrecedes(other.value)
            : one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }
}
