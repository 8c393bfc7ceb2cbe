import CoreMetrics
import Testing

@testable import HeybotCommand

/// The registry's own lines, which are in every text.
private let dropped = """
    # HELP heybot_metrics_dropped_series Time series that weren't created because there were too many.
    # TYPE heybot_metrics_dropped_series gauge
    heybot_metrics_dropped_series 0

    """

@Suite struct TextTests {
    let registry = PrometheusRegistry(buckets: [.milliseconds(1), .milliseconds(2_500), .seconds(10)])

    private func isText(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
        #expect(registry.text() == text, sourceLocation: location)
        _ = try ParsedExposition(registry.text())
    }

    @Test func `without metrics the text has only the registry's own lines`() throws {
        try isText(dropped)
        #expect(PrometheusRegistry.contentType == "text/plain; version=0.0.4; charset=utf-8")
    }

    @Test func `counters of both kinds`() throws {
        Counter(label: "a_total", factory: registry).increment(by: 42)
        Counter(label: "a_total", dimensions: [("z", "2"), ("b", "1")], factory: registry).increment()
        FloatingPointCounter(label: "b_total", factory: registry).increment(by: 0.25)
        FloatingPointCounter(label: "c_total", factory: registry).increment(by: 3)
        Counter(label: "both_total", factory: registry).increment(by: 2)
        FloatingPointCounter(label: "both_total", factory: registry).increment(by: 0.5)
        _ = Counter(label: "never_total", factory: registry)
        try isText(
            """
            # TYPE a_total counter
            a_total 42
            a_total{b="1",z="2"} 1
            # TYPE b_total counter
            b_total 0.25
            # TYPE both_total counter
            both_total 2.5
            # TYPE c_total counter
            c_total 3
            \(dropped)# TYPE never_total counter
            never_total 0

            """)
    }

    @Test func `gauges, of meters and of recorders that don't aggregate`() throws {
        let meter = Meter(label: "meter", factory: registry)
        meter.set(5)
        meter.increment(by: 2.5)
        meter.decrement()
        Gauge(label: "gauge", factory: registry).record(-7)
        let recorder = Recorder(label: "recorder", aggregate: false, factory: registry)
        recorder.record(1)
        recorder.record(0.125)
        try isText(
            """
            # TYPE gauge gauge
            gauge -7
            \(dropped)# TYPE meter gauge
            meter 6.5
            # TYPE recorder gauge
            recorder 0.125

            """)
    }

    @Test func `a summary has a sum and a count`() throws {
        let recorder = Recorder(label: "size", dimensions: [("to", "irc")], factory: registry)
        recorder.record(10)
        recorder.record(0.5)
        recorder.record(-1)
        // None of these changes the sum.
        recorder.record(Double.nan)
        recorder.record(Double.infinity)
        try isText(
            """
            \(dropped)# TYPE size summary
            size_sum{to="irc"} 9.5
            size_count{to="irc"} 3

            """)
    }

    @Test func `a timer is a histogram in seconds, a bound belongs to its bucket`() throws {
        let timer = Timer(label: "took_seconds", dimensions: [("store", "redis")], factory: registry)
        timer.recordMilliseconds(1)
        timer.recordNanoseconds(1_000_001)
        timer.recordSeconds(10)
        timer.recordSeconds(60)
        timer.recordNanoseconds(-5)
        _ = Timer(label: "took_seconds", factory: registry)
        try isText(
            """
            \(dropped)# TYPE took_seconds histogram
            took_seconds_bucket{le="0.001"} 0
            took_seconds_bucket{le="2.5"} 0
            took_seconds_bucket{le="10"} 0
            took_seconds_bucket{le="+Inf"} 0
            took_seconds_sum 0
            took_seconds_count 0
            took_seconds_bucket{store="redis",le="0.001"} 2
            took_seconds_bucket{store="redis",le="2.5"} 3
            took_seconds_bucket{store="redis",le="10"} 4
            took_seconds_bucket{store="redis",le="+Inf"} 5
            took_seconds_sum{store="redis"} 70.002000001
            took_seconds_count{store="redis"} 5

            """)
    }

    @Test func `sums of durations don't accumulate rounding errors`() throws {
        let timer = Timer(label: "took", factory: registry)
        for _ in 0..<10 { timer.recordMilliseconds(100) }
        let lines = try ParsedExposition(registry.text())["took"]?.lines
        #expect(lines?.first { $0.name == "took_sum" }?.value == "1")
    }

    @Test func `the help line comes first`() throws {
        registry.describe("jobs.total", "A \\ and \"two\"\r\nlines")
        registry.describe("nobody", "No such metric.")
        Counter(label: "jobs.total", factory: registry).increment()
        try isText(
            #"""
            \#(dropped)# HELP jobs_total A \\ and "two"\#r\nlines
            # TYPE jobs_total counter
            jobs_total 1

            """#.replacing("\\#r", with: "\r"))
    }

    @Test func `callbacks are called each time`() throws {
        registry.gauge("up", labels: [("b", "2"), ("a", "1")], help: "Whether it's up.") { 1 }
        registry.gauge("up", help: "Whether it's up.") { nil }
        registry.gauge("gone", help: "Nothing to tell.") { nil }
        let counter = Counter(label: "inner_total", factory: registry)
        // A callback may record values and create metrics.
        registry.counter("asked_total", help: "How often it was asked.") { [registry] in
            counter.increment()
            Meter(label: "made", factory: registry).set(1)
            return 3
        }
        try isText(
            """
            # HELP asked_total How often it was asked.
            # TYPE asked_total counter
            asked_total 3
            \(dropped)# TYPE inner_total counter
            inner_total 1
            # HELP up Whether it's up.
            # TYPE up gauge
            up{a="1",b="2"} 1

            """)
        #expect(try ParsedExposition(registry.text())["made"]?.lines.first?.value == "1")
    }

    @Test func `a new callback replaces the old one`() throws {
        registry.gauge("size", help: "Old.") { 1 }
        registry.gauge("size", help: "New.") { 2 }
        let metric = try ParsedExposition(registry.text())["size"]
        #expect(metric?.help == "New.")
        #expect(metric?.lines.map(\.value) == ["2"])
        #expect(registry.conflicts.isEmpty)
    }

    @Test(arguments: [
        (0, "0"), (1, "1"), (-3, "-3"), (0.1, "0.1"), (1e15, "1000000000000000"), (1e16, "1e+16"), (1e-5, "1e-05"),
        (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (-.nan, "NaN"), (.leastNonzeroMagnitude, "5e-324"),
        (.greatestFiniteMagnitude, "1.7976931348623157e+308")
    ]) func `numbers have the format`(_ value: Double, _ text: String) throws {
        registry.gauge("value", help: "") { value }
        #expect(try ParsedExposition(registry.text())["value"]?.lines.first?.value == text)
    }

    @Test func `lines are sorted by name, then by labels`() throws {
        for name in ["b", "a_b", "aB", "a", ":a", "B"] {
            for labels in [[("x", "foo bar")], [("x", "foo")], [("w", "z")], [], [("x", "foo"), ("y", "")]] {
                _ = Counter(label: name, dimensions: labels, factory: registry)
            }
        }
        let metrics = try ParsedExposition(registry.text()).metrics.filter { $0.kind == "counter" }
        #expect(metrics.map(\.name) == [":a", "B", "a", "aB", "a_b", "b"])
        for metric in metrics {
            let values = metric.lines.map {
                $0.labels.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }
            }
            #expect(values == [[], ["w=z"], ["x=foo"], ["x=foo", "y="], ["x=foo bar"]])
        }
    }

    @Test func `buckets may be unordered, duplicate or empty`() throws {
        func bounds(_ buckets: [Duration]) throws -> [String] {
            let registry = PrometheusRegistry(buckets: buckets)
            Timer(label: "took", factory: registry).recordSeconds(1)
            return try ParsedExposition(registry.text())["took"]?.lines.compactMap { $0.labels.last?.value }
                .map { String(decoding: $0, as: UTF8.self) } ?? []
        }
        #expect(try bounds([]) == ["+Inf"])
        #expect(try bounds([.seconds(2), .milliseconds(100), .seconds(2), .zero]) == ["0", "0.1", "2", "+Inf"])
        let huge = Duration(secondsComponent: .max, attosecondsComponent: 0)
        #expect(try bounds([huge, huge - .nanoseconds(1)]) == ["9.223372036854776e+18", "+Inf"])
    }

    @Test func `the default buckets go from 0.1 ms to 30 s`() throws {
        let registry = PrometheusRegistry()
        _ = Timer(label: "took", factory: registry)
        let bounds = try ParsedExposition(registry.text())["took"]?.lines.compactMap { $0.labels.last?.value }
            .map { String(decoding: $0, as: UTF8.self) }
        #expect(
            bounds == [
                "0.0001", "0.0005", "0.001", "0.005", "0.01", "0.05", "0.1", "0.5", "1", "5", "10", "30", "+Inf"
            ])
    }
}
