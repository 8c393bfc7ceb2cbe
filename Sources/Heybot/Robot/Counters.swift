import Metrics
import Synchronization

/// What is counted, by script.
final class Counters: Sendable {
    private let all = Atomic(0)
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

    /// All of them together.
    var failures: Int { all.load(ordering: .relaxed) }

    @Sendable func error(in script: String) {
        all.add(1, ordering: .relaxed)
        errors[script]?.increment()
    }

    @Sendable func timeout(in script: String) {
        all.add(1, ordering: .relaxed)
        timeouts[script]?.increment()
    }
}
