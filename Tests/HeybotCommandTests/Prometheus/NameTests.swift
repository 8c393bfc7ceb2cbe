import CoreMetrics
import Testing

@testable import HeybotCommand

@Suite struct NameTests {
    let registry = PrometheusRegistry()

    /// The names and values of the labels of the only metric.
    private func labels(_ metric: String) throws -> [String] {
        try ParsedExposition(registry.text())[metric]?.lines.first?.labels
            .map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" } ?? []
    }

    @Test(arguments: [
        ("a:b_9", "a:b_9"), ("http.requests", "http_requests"), ("9lives", "_9lives"), ("", "_"), ("__a", "_a"),
        ("..a", "_a"), ("___", "_"), ("é😀", "_"), ("a\r\nb", "a__b"), ("_9", "_9"), ("_a", "_a"), (":", ":"),
        ("a\0", "a_")
    ]) func `names of metrics fit the format`(_ name: String, _ fit: String) throws {
        _ = Counter(label: name, factory: registry)
        #expect(try ParsedExposition(registry.text()).metrics.contains { $0.name == fit && $0.kind == "counter" })
    }

    @Test func `names of labels fit the format`() throws {
        let names = ["a:b", "__name__", "9", "", "ok_9", "Ä"]
        _ = Counter(label: "c", dimensions: names.map { ($0, "x") }, factory: registry)
        #expect(try labels("c") == ["_=x", "_2=x", "_9=x", "_name__=x", "a_b=x", "ok_9=x"])
    }

    @Test func `the later of labels with one name gets _2, regardless of their order`() throws {
        let first = Counter(label: "c", dimensions: [("a.b", "1"), ("a-b", "2"), ("a-b", "0")], factory: registry)
        let second = Counter(label: "c", dimensions: [("a-b", "0"), ("a-b", "2"), ("a.b", "1")], factory: registry)
        first.increment()
        second.increment()
        #expect(try labels("c") == ["a_b=0", "a_b_2=2", "a_b_2_2=1"])
        #expect(try ParsedExposition(registry.text())["c"]?.lines.map(\.value) == ["2"])
    }

    @Test func `which of two labels is renamed doesn't depend on their values`() throws {
        for (dot, dash) in [("1", "2"), ("2", "1")] {
            _ = Counter(label: "c", dimensions: [("a.b", dot), ("a-b", dash)], factory: registry)
        }
        #expect(try ParsedExposition(registry.text())["c"]?.lines.count == 2)
    }

    @Test func `reserved labels are renamed`() throws {
        _ = Timer(label: "t", dimensions: [("le", "x")], factory: registry)
        _ = Recorder(label: "r", dimensions: [("quantile", "x")], factory: registry)
        _ = Counter(label: "c", dimensions: [("le", "x"), ("quantile", "y")], factory: registry)
        #expect(try labels("t") == ["le_2=x", "le=0.0001"])
        #expect(try labels("r") == ["quantile_2=x"])
        #expect(try labels("c") == ["le=x", "quantile=y"])
    }

    @Test func `names that become one are one metric`() throws {
        Counter(label: "a.b", dimensions: [("c.d", "1")], factory: registry).increment()
        Counter(label: "a_b", dimensions: [("c-d", "1")], factory: registry).increment()
        #expect(try ParsedExposition(registry.text())["a_b"]?.lines.map(\.value) == ["2"])
    }

    @Test func `values are compared by bytes`() throws {
        let values = ["\u{e9}", "e\u{301}", "a\r\nb", "a\nb", "\\n", "\"\u{301}", "}", "\0"]
        for value in values { _ = Counter(label: "c", dimensions: [("x", value)], factory: registry) }
        let read = try ParsedExposition(registry.text())["c"]?.lines.compactMap { $0.labels.first?.value }
        #expect(Set(read ?? []) == Set(values.map { Array($0.utf8) }))
        #expect(read?.count == values.count)
        #expect(registry.text().utf8.contains(#"c{x="\\n"} 0"#.utf8))
    }
}
