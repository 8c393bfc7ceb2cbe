import Testing

/// Tests of the parser that the other tests use.
@Suite struct ParsedExpositionTests {
    @Test func `parses names, labels, values and help`() throws {
        let text = #"""
            # HELP a:b Two\\lines\nof "text"
            # TYPE a:b counter
            a:b 1
            a:b{x="\\\n\"",y_1=""} 1.5e-07
            # TYPE c gauge
            c -Inf

            """#
        let exposed = try ParsedExposition(text)
        #expect(exposed.metrics.map(\.name) == ["a:b", "c"])
        #expect(exposed["a:b"]?.help == "Two\\lines\nof \"text\"")
        #expect(
            exposed["a:b"]?.lines == [
                ParsedExposition.Line(name: "a:b", labels: [], value: "1"),
                ParsedExposition.Line(
                    name: "a:b",
                    labels: [
                        ParsedExposition.Label(name: "x", value: Array("\\\n\"".utf8)),
                        ParsedExposition.Label(name: "y_1", value: [])
                    ], value: "1.5e-07")
            ])
        #expect(
            exposed["c"]
                == .init(name: "c", kind: "gauge", help: nil, lines: [.init(name: "c", labels: [], value: "-Inf")]))
        #expect(try ParsedExposition("").metrics.isEmpty)
    }

    @Test(arguments: [
        "# TYPE a gauge\na 1", "# TYPE a gauge\n", "a 1\n", "# HELP a b\n", "# HELP a b\na 1\n",
        "# HELP a b\n# TYPE c gauge\nc 1\n", "# HELP a b\n# HELP a b\n# TYPE a gauge\na 1\n",
        "# HELP a \\x\n# TYPE a gauge\na 1\n", "# HELP a \\\"\n# TYPE a gauge\na 1\n", "# TYPE a thing\na 1\n",
        "# TYPE a gauge\na 1\n\n", "# TYPE a gauge\na  1\n", "# TYPE a gauge\na 1 \n", "# TYPE a gauge\nb 1\n",
        "# TYPE a gauge\na 1\na 2\n", "# TYPE a gauge\na{x=\"1\",y=\"2\"} 1\na{y=\"2\",x=\"1\"} 1\n",
        "# TYPE b gauge\nb 1\n# TYPE a gauge\na 1\n", "# TYPE a gauge\na 1\n# TYPE a gauge\na{x=\"1\"} 1\n",
        "# TYPE 1a gauge\n1a 1\n", "# TYPE __a gauge\n__a 1\n", "# TYPE a gauge\na{__x=\"1\"} 1\n",
        "# TYPE a gauge\na{x:y=\"1\"} 1\n", "# TYPE a gauge\na{x=\"1\",x=\"1\"} 1\n", "# TYPE a gauge\na{} 1\n",
        "# TYPE a gauge\na{x=\"1\",} 1\n", "# TYPE a gauge\na{x=\"1} 1\n", "# TYPE a gauge\na{x=\"\\t\"} 1\n",
        "# TYPE a gauge\na{x=\"\"\"} 1\n", "# TYPE a gauge\na 1.0\n", "# TYPE a gauge\na inf\n",
        "# TYPE a gauge\na nan\n", "# TYPE a gauge\na 0x10\n", "# TYPE a gauge\na \n",
        "# TYPE a summary\na_sum 1\n", "# TYPE a summary\na 1\n", "# TYPE a summary\na_sum 1\na_count 1.5\n",
        "# TYPE a summary\na_sum 1\na_count 1\n# TYPE a_sum gauge\na_sum 1\n",
        "# TYPE a histogram\na_sum 1\na_count 1\n",
        "# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum 1\na_count 1\n",
        "# TYPE a histogram\na_bucket{le=\"+Inf\"} 2\na_sum 1\na_count 1\n",
        "# TYPE a histogram\na_bucket{le=\"2\"} 1\na_bucket{le=\"1\"} 1\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n",
        "# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n"
    ]) func `rejects invalid text`(_ text: String) {
        #expect(throws: ParsedExposition.Wrong.self) { try ParsedExposition(text) }
    }
}
