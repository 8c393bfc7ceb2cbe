/// Text in Prometheus' exposition format, version 0.0.4.
struct PrometheusExposition {
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init(_ catalog: SeriesCatalog) {
        for (metric, entries) in catalog.metrics.sorted(by: { $0.key.name < $1.key.name }) {
            let series = entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
                .map { (labels: $0.key, samples: $0.value.series.samples()) }
            guard series.contains(where: { !$0.samples.isEmpty }) else { continue }
            if let help = catalog.help[metric.name] {
                add("# HELP \(metric.name) ")
                escape(help.utf8, quotes: false)
                add("\n")
            }
            add("# TYPE \(metric.name) \(metric.kind.rawValue)\n")
            for (labels, samples) in series {
                for sample in samples { add(sample, of: metric.name, labels) }
            }
        }
    }

    private mutating func add(_ sample: MetricSample, of name: String, _ labels: [MetricLabel]) {
        add(name)
        add(sample.suffix)
        var separator = "{"
        for label in labels {
            add(separator)
            add(label.name)
            add("=\"")
            escape(label.value, quotes: true)
            add("\"")
            separator = ","
        }
        if let bound = sample.bound {
            add("\(separator)le=\"\(bound)\"")
            separator = ","
        }
        if separator == "," { add("}") }
        add(" ")
        add(sample.value)
        add("\n")
    }

    private mutating func add(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Escapes bytes, not characters: to Swift a carriage return and a line feed are one character.
    private mutating func escape(_ text: some Sequence<UInt8>, quotes: Bool) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\\"): add("\\\\")
            case UInt8(ascii: "\n"): add("\\n")
            case UInt8(ascii: "\"") where quotes: add("\\\"")
            default: bytes.append(byte)
            }
        }
    }
}

/// Returns a valid name: letters, digits, `_` and, in names of metrics, `:`, without a digit at the beginning.
///
/// It doesn't begin with `__`, which Prometheus reserves.
func formatName(_ text: String, colons: Bool) -> String {
    let bytes = text.unicodeScalars.map { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": UInt8(ascii: scalar)
        case ":" where colons: UInt8(ascii: scalar)
        default: UInt8(ascii: "_")
        }
    }
    let rest = bytes.drop { $0 == UInt8(ascii: "_") }
    let isWhole = rest.count == bytes.count && rest.first.map { $0 > UInt8(ascii: "9") } == true
    return (isWhole ? "" : "_") + String(decoding: rest, as: UTF8.self)
}

/// Returns a number in the format.
func formatNumber(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
