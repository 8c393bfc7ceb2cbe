/// Metrics in Prometheus' text format 0.0.4, parsed strictly.
///
/// Beyond the format, the parser requires single spaces, a TYPE for each metric, no HELP without one, metrics sorted by
/// name, and whole numbers without a fraction.
struct ParsedExposition {
    struct Metric: Equatable {
        let name: String
        let kind: String
        let help: String?
        var lines: [Line] = []

        /// The values by labels: one line's, or all lines' of a histogram or summary.
        var series: [[Label]: [Line]] {
            Dictionary(grouping: lines) { line in
                line.labels.filter { kind != "histogram" || $0.name != "le" }.sorted { $0.name < $1.name }
            }
        }
    }

    struct Line: Equatable {
        let name: String
        let labels: [Label]
        let value: String
    }

    struct Label: Hashable {
        let name: String
        /// As bytes, since strings with different bytes can be equal.
        let value: [UInt8]
    }

    /// An error with its line.
    struct Wrong: Error, Equatable {
        let reason: String
        let line: String
    }

    private(set) var metrics: [Metric] = []

    init(_ text: String) throws(Wrong) {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.removeLast().isEmpty else { throw Wrong(reason: "no line feed at the end", line: text) }
        var help: (name: String, text: String)?
        for line in lines {
            var cursor = ExpositionCursor(line)
            if cursor.skip("# HELP ") {
                guard help == nil else { throw cursor.wrong("HELP without TYPE") }
                let name = try cursor.name(colons: true)
                guard cursor.skip(" ") else { throw cursor.wrong("no space") }
                help = (name, String(decoding: try cursor.escaped(in: .help), as: UTF8.self))
            } else if cursor.skip("# TYPE ") {
                let name = try cursor.name(colons: true)
                guard cursor.skip(" ") else { throw cursor.wrong("no space") }
                let kind = cursor.rest()
                guard ["counter", "gauge", "summary", "histogram"].contains(kind) else { throw cursor.wrong("kind") }
                guard !name.hasPrefix("__") else { throw cursor.wrong("a name of Prometheus' own") }
                guard help?.name ?? name == name else { throw cursor.wrong("HELP without TYPE") }
                if let last = metrics.last, last.name >= name { throw cursor.wrong("not sorted") }
                metrics.append(Metric(name: name, kind: kind, help: help?.text))
                help = nil
            } else {
                guard help == nil else { throw cursor.wrong("HELP without TYPE") }
                let line = try cursor.line()
                guard let metric = metrics.last, names(of: metric).contains(line.name) else {
                    throw cursor.wrong("the line of another metric")
                }
                metrics[metrics.count - 1].lines.append(line)
            }
        }
        if let help { throw Wrong(reason: "HELP without TYPE", line: help.name) }
        try check()
    }

    /// The metric with the name.
    subscript(name: String) -> Metric? { metrics.first { $0.name == name } }

    private func names(of metric: Metric) -> [String] {
        switch metric.kind {
        case "summary": ["_sum", "_count"].map { metric.name + $0 }
        case "histogram": ["_bucket", "_sum", "_count"].map { metric.name + $0 }
        default: [metric.name]
        }
    }

    private func check() throws(Wrong) {
        var claims: Set<String> = []
        for metric in metrics {
            guard !metric.lines.isEmpty else { throw Wrong(reason: "no lines", line: metric.name) }
            for name in Set(names(of: metric) + [metric.name]) where !claims.insert(name).inserted {
                throw Wrong(reason: "two metrics have it", line: name)
            }
            for lines in metric.series.values { try check(lines, of: metric) }
        }
    }

    /// Verifies the lines of a time series.
    private func check(_ lines: [Line], of metric: Metric) throws(Wrong) {
        let wrong = Wrong(reason: "not a \(metric.kind)", line: "\(lines)")
        let buckets = lines.filter { $0.name == metric.name + "_bucket" }
        switch metric.kind {
        case "histogram":
            let bounds = buckets.compactMap { line in line.labels.last.flatMap { $0.name == "le" ? $0.value : nil } }
                .compactMap { Double(String(decoding: $0, as: UTF8.self)) }
            let counts = buckets.compactMap { Int($0.value) }
            guard bounds.count == buckets.count, counts.count == buckets.count, bounds.last == .infinity,
                zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }), counts == counts.sorted()
            else { throw wrong }
        case "summary": break
        default:
            guard lines.count == 1 else { throw wrong }
            return
        }
        let ends = lines.dropFirst(buckets.count)
        guard ends.map(\.name) == ["_sum", "_count"].map({ metric.name + $0 }), let count = ends.last?.value,
            Int(count) != nil, buckets.last?.value ?? count == count
        else { throw wrong }
    }
}
