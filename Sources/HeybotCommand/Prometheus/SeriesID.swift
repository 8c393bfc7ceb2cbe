/// The identity of a time series: its metric and labels, with valid names.
struct SeriesID {
    let metric: MetricFamilyID
    /// The labels, sorted, with unique names.
    let labels: [MetricLabel]

    init(_ kind: MetricFamilyID.Kind, _ text: String, _ labels: [(String, String)]) {
        metric = MetricFamilyID(kind: kind, name: formatName(text, colons: true))
        var names = Set([metric.reservedLabel].compactMap(\.self))
        // Sorted first, so that their order doesn't determine which of two gets a suffix.
        self.labels = labels.map { MetricLabel(name: $0, value: Array($1.utf8)) }.sorted()
            .map { label in
                var name = formatName(label.name, colons: false)
                while !names.insert(name).inserted { name = formatName(name + "_2", colons: false) }
                return MetricLabel(name: name, value: label.value)
            }
            .sorted()
    }
}

/// A label of a time series.
///
/// Its value is bytes, since Prometheus compares bytes, not Unicode equivalence.
struct MetricLabel: Hashable, Comparable {
    let name: String
    let value: [UInt8]

    static func < (one: MetricLabel, other: MetricLabel) -> Bool {
        one.name.utf8.elementsEqual(other.name.utf8)
            ? one.value.lexicographicallyPrecedes(other.value)
            : one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }
}
