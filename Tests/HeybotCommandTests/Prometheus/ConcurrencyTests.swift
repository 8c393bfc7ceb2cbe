import CoreMetrics
import Dispatch
import Testing

@testable import HeybotCommand

@Suite struct ConcurrencyTests {
    let registry = PrometheusRegistry()

    /// Runs the work `count` times in each of 8 threads.
    ///
    /// Tasks would run one after another if other tests use the shared threads.
    private func often(_ count: Int, _ work: @escaping @Sendable () -> Void) async {
        await withTaskGroup { group in
            for index in 0..<8 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        DispatchQueue(label: "thread \(index)").async {
                            for _ in 0..<count { work() }
                            continuation.resume()
                        }
                    }
                }
            }
        }
    }

    private func values(_ name: String) throws -> [String: String] {
        let lines = try ParsedExposition(registry.text())[name]?.lines ?? []
        return Dictionary(lines.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    @Test func `no increment of a counter is lost`() async throws {
        let (counter, floating) = (
            Counter(label: "c", factory: registry), FloatingPointCounter(label: "f", factory: registry)
        )
        await often(300_000) {
            counter.increment(by: 3)
            floating.increment(by: 0.5)
        }
        #expect(try values("c") == ["c": "7200000"])
        #expect(try values("f") == ["f": "1200000"])
    }

    @Test func `concurrent increments stay at the maximum`() async throws {
        let counter = Counter(label: "c", factory: registry)
        await often(300_000) { counter.increment(by: Int64.max / 600_000) }
        #expect(try values("c") == ["c": "9223372036854775807"])
    }

    @Test func `concurrent changes of a meter cancel out`() async throws {
        let meter = Meter(label: "m", factory: registry)
        await often(300_000) {
            meter.increment(by: 2)
            meter.decrement()
        }
        #expect(try values("m") == ["m": "2400000"])
    }

    @Test func `a histogram's and a summary's numbers are consistent under concurrency`() async throws {
        let (timer, recorder) = (Timer(label: "t", factory: registry), Recorder(label: "r", factory: registry))
        async let _ = often(1_000) {
            timer.recordSeconds(1)
            recorder.record(1)
        }
        for _ in 0..<200 {
            // The parser compares the buckets with the count.
            let (timer, recorder) = (try values("t"), try values("r"))
            #expect(timer["t_sum"] == timer["t_count"])
            #expect(recorder["r_sum"] == recorder["r_count"])
        }
    }

    @Test func `a histogram and a summary lose no values`() async throws {
        let (timer, recorder) = (Timer(label: "t", factory: registry), Recorder(label: "r", factory: registry))
        await often(3_000) {
            timer.recordMilliseconds(1)
            recorder.record(2)
        }
        #expect(try values("t") == ["t_bucket": "24000", "t_sum": "24", "t_count": "24000"])
        #expect(try values("r") == ["r_sum": "48000", "r_count": "24000"])
    }

    @Test func `concurrent creation and destruction leaves nothing`() async throws {
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { [registry] in
                    for index in 0..<1_000 {
                        let counter = Counter(label: "c", dimensions: [("x", "\(index % 7)")], factory: registry)
                        counter.increment()
                        if index % 100 == 0 { _ = registry.text() }
                        counter.destroy()
                    }
                }
            }
        }
        #expect(try ParsedExposition(registry.text()).metrics.count == 1)
    }
}
