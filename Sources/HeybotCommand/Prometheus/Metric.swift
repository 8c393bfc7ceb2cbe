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
