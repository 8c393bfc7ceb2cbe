/// The text exposition format 0.0.4.
struct Exposition {
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init(_ catalog: Catalog) {
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

    private mutating func add(_ sample: Sample, of name: String, _ labels: [Label]) {
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

    /// Byte by byte: as characters, a line feed behind a carriage return is none.
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
