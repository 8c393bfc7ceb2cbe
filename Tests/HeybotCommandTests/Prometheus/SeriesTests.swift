import CoreMetrics
import Testing

@testable import HeybotCommand

@Suite struct SeriesTests {
    let registry = PrometheusRegistry(limit: 4)

    /// The values of a metric's lines.
    private func values(_ name: String) throws -> [String]? {
        try ParsedExposition(registry.text())[name]?.lines.map(\.value)
    }

    private var counted: [String]? { get throws { try values("heybot_metrics_dropped_series") } }

    // MARK: Counting

    @Test func `the same name and labels are one time series`() throws {
        let first = Counter(label: "c", dimensions: [("a", "1"), ("b", "2")], factory: registry)
        let second = Counter(label: "c", dimensions: [("b", "2"), ("a", "1")], factory: registry)
        first.increment()
        second.increment(by: 2)
        #expect(try values("c") == ["3"])
    }

    @Test func `a counter never goes down, and stays at the largest number`() throws {
        let counter = Counter(label: "c", factory: registry)
        counter.increment(by: 5)
        counter.increment(by: -3)
        #expect(try values("c") == ["5"])
        counter.increment(by: Int64.max)
        #expect(try values("c") == ["9223372036854775807"])
        counter.increment()
        #expect(try values("c") == ["9223372036854775807"])
        counter.reset()
        counter.increment()
        #expect(try values("c") == ["1"])
    }

    @Test func `a floating-point counter ignores invalid amounts`() throws {
        let counter = FloatingPointCounter(label: "c", factory: registry)
        counter.increment(by: 0.5)
        for amount in [-1, 0, Double.nan, .infinity, -.infinity] { counter.increment(by: amount) }
        #expect(try values("c") == ["0.5"])
        counter.reset()
        #expect(try values("c") == ["0"])
    }

    @Test func `a meter can be set to NaN, but not incremented by it`() throws {
        let meter = Meter(label: "m", factory: registry)
        meter.set(1)
        meter.increment(by: Double.infinity)
        meter.decrement(by: Double.nan)
        #expect(try values("m") == ["1"])
        meter.set(Double.nan)
        #expect(try values("m") == ["NaN"])
    }

    // MARK: Destroying

    @Test func `a time series is removed with its last handle, and starts at zero again`() throws {
        let first = Counter(label: "c", factory: registry)
        let second = Counter(label: "c", factory: registry)
        first.increment()
        first.destroy()
        #expect(try values("c") == ["1"])
        second.destroy()
        #expect(try values("c") == nil)
        let third = Counter(label: "c", factory: registry)
        #expect(try values("c") == ["0"])
        // The labels belong to another time series now.
        second.increment()
        second.destroy()
        #expect(try values("c") == ["0"])
        third.destroy()
        #expect(try values("c") == nil)
    }

    @Test func `every kind can be destroyed, and its name is free then`() throws {
        let counter = FloatingPointCounter(label: "x", factory: registry)
        counter.destroy()
        let timer = Timer(label: "x", factory: registry)
        timer.destroy()
        let meter = Meter(label: "x", factory: registry)
        meter.destroy()
        let recorder = Recorder(label: "x", factory: registry)
        #expect(try ParsedExposition(registry.text())["x"]?.kind == "summary")
        recorder.destroy()
        let gauge = Gauge(label: "x_sum", factory: registry)
        gauge.destroy()
        #expect(registry.conflicts.isEmpty)
        #expect(try ParsedExposition(registry.text()).metrics.count == 1)
    }

    @Test func `removing one time series keeps the others`() throws {
        let counters = ["1", "2"].map { Counter(label: "c", dimensions: [("x", $0)], factory: registry) }
        counters[0].destroy()
        #expect(try ParsedExposition(registry.text())["c"]?.lines.map { $0.labels.map(\.value) } == [[Array("2".utf8)]])
        // The counter still has the name.
        _ = Meter(label: "c", factory: registry)
        #expect(registry.conflicts.count == 1)
    }

    // MARK: Conflicts

    @Test func `a name belongs to one kind, and the second is left out`() throws {
        let counter = Counter(label: "x", factory: registry)
        let meter = Meter(label: "x", dimensions: [("a", "b")], factory: registry)
        counter.increment()
        meter.set(7)
        _ = Meter(label: "x", factory: registry)
        registry.gauge("x", help: "Not this one.") { 9 }
        #expect(
            try ParsedExposition(registry.text())["x"]
                == .init(name: "x", kind: "counter", help: nil, lines: [.init(name: "x", labels: [], value: "1")]))
        #expect(
            registry.conflicts == [
                "the gauge x is left out: the counter x already has the name x; rename one of the two"
            ])
        meter.destroy()
        #expect(try values("x") == ["1"])
        #expect(try counted == ["0"])
    }

    @Test(arguments: ["_sum", "_count", "_bucket"]) func `the names of a histogram's lines are reserved`(
        _ suffix: String
    )
        throws
    {
        let first = PrometheusRegistry()
        _ = Timer(label: "x", factory: first)
        _ = Counter(label: "x" + suffix, factory: first)
        #expect(
            first.conflicts == [
                "the counter x\(suffix) is left out: the histogram x already has the name x\(suffix); rename one of the two"
            ])
        #expect(try ParsedExposition(first.text())["x"] != nil)

        let second = PrometheusRegistry()
        _ = Counter(label: "x" + suffix, factory: second)
        _ = Timer(label: "x", factory: second)
        #expect(
            second.conflicts == [
                "the histogram x is left out: the counter x\(suffix) already has the name x\(suffix); rename one of the two"
            ])
        #expect(try ParsedExposition(second.text())["x"] == nil)
    }

    @Test func `a value has one source`() throws {
        Meter(label: "kept", factory: registry).set(1)
        registry.gauge("kept", help: "Asked.") { 2 }
        registry.gauge("asked", help: "Asked.") { 3 }
        Meter(label: "asked", factory: registry).set(4)
        #expect(try values("kept") == ["1"])
        #expect(try values("asked") == ["3"])
        #expect(
            registry.conflicts
                == ["asked", "kept"].map {
                    "the gauge \($0) is left out: its value has two sources; give one of them other labels"
                })
    }

    @Test func `the number of conflicts is limited`() {
        let registry = PrometheusRegistry()
        for index in 0..<300 {
            _ = Counter(label: "x\(index)", factory: registry)
            _ = Meter(label: "x\(index)", factory: registry)
        }
        #expect(registry.conflicts.count == 100)
    }

    // MARK: The limit

    @Test func `beyond the limit time series record nothing and are counted`() throws {
        let counters = (0..<6).map { Counter(label: "c", dimensions: [("x", "\($0)")], factory: registry) }
        for counter in counters { counter.increment() }
        registry.gauge("g", help: "One too many.") { 1 }
        #expect(try values("c") == ["1", "1", "1", "1"])
        #expect(try values("g") == nil)
        #expect(try counted == ["3"])
        // Existing series can be created again, and destroying a dropped one does nothing.
        Counter(label: "c", dimensions: [("x", "0")], factory: registry).increment()
        counters[5].destroy()
        #expect(try values("c") == ["2", "1", "1", "1"])
        // Destroying one makes room for another.
        counters[1].destroy()
        Counter(label: "new", factory: registry).increment()
        #expect(try values("new") == ["1"])
        _ = Counter(label: "newer", factory: registry)
        #expect(try counted == ["4"])
    }

    @Test func `replacing a callback works at the limit`() throws {
        for index in 0..<4 { registry.gauge("g\(index)", help: "") { 0 } }
        registry.gauge("g0", help: "") { 1 }
        #expect(try values("g0") == ["1"])
        #expect(try counted == ["0"])
    }

    @Test func `the number of dropped series can't be changed`() throws {
        let meter = Meter(label: "heybot_metrics_dropped_series", factory: registry)
        meter.set(7)
        meter.destroy()
        _ = Timer(label: "heybot_metrics_dropped", factory: registry)
        #expect(try counted == ["0"])
    }

    @Test(arguments: [0, -1]) func `with a limit of 0 nothing is recorded`(_ limit: Int) throws {
        let registry = PrometheusRegistry(limit: limit)
        Counter(label: "c", factory: registry).increment()
        #expect(try ParsedExposition(registry.text()).metrics.map(\.name) == ["heybot_metrics_dropped_series"])
    }
}
