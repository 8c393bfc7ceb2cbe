/// Two texts in Prometheus' exposition format as one, in which each metric occurs once.
struct MergedExposition {
    private struct Metric {
        /// The lines HELP and TYPE.
        var head: [Substring] = []
        var samples: [String] = []
    }

    private var metrics: [String: Metric] = [:]

    /// The text, sorted by the metrics' names.
    var text: String {
        let lines = metrics.sorted { $0.key < $1.key }.flatMap { _, metric in
            metric.head.map { String($0) } + metric.samples
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// - Parameter role: The value of the label `role` that the samples of the second text get.
    init(_ first: String, _ second: String, role: String) {
        add(first) { String($0) }
        add(second) { Self.label($0, role) }
    }

    private mutating func add(_ text: String, _ change: (Substring) -> String) {
        let known = metrics
        var name = ""
        // Bytes, because to Swift a carriage return and a line feed are one character.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")).map({ Substring($0) }) {
            guard line.hasPrefix("# ") else {
                metrics[name, default: Metric()].samples.append(change(line))
                continue
            }
            let words = line.split(separator: " ", maxSplits: 3)
            guard words.count > 2 else { continue }
            name = String(words[2])
            if known[name] == nil { metrics[name, default: Metric()].head.append(line) }
        }
    }

    /// Adds the label to a sample, such as `name{a="b"} 1` or `name 1`.
    private static func label(_ sample: Substring, _ role: String) -> String {
        guard let end = sample.firstIndex(where: { $0 == "{" || $0 == " " }) else { return String(sample) }
        let rest = sample[sample.index(after: end)...]
        let isLabelled = sample[end] == "{"
        return "\(sample[..<end]){role=\"\(role)\"\(isLabelled ? "," : "} ")\(rest)"
    }
}
