import Metrics

/// What is counted, by script.
struct Counters: Sendable {
    private let errors: [String: Counter]
    private let timeouts: [String: Counter]

    init(_ scripts: [String], factory: any MetricsFactory) {
        func counters(_ label: String) -> [String: Counter] {
            Dictionary(
                scripts.map { ($0, Counter(label: label, dimensions: [("script", $0)], factory: factory)) },
                uniquingKeysWith: { first, _ in first })
        }
        errors = counters("heybot_script_errors_total")
        timeouts = counters("heybot_script_timeouts_total")
    }

    func error(in script: String) { errors[script]?.increment() }
    func timeout(in script: String) { timeouts[script]?.increment() }
}
