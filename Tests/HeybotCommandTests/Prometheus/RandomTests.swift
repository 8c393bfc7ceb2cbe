import CoreMetrics
import HeybotTesting
import Testing

@testable import HeybotCommand

@Suite struct RandomTests {
    @Test func `random metrics can be parsed`() throws {
        var chance = SeededGenerator(seed: 1)
        for _ in 0..<1_500 {
            let (name, help, labels, value) = (chance.text(), chance.text(), chance.labels(), chance.number())
            let registry = PrometheusRegistry()
            registry.gauge(name, labels: labels, help: help) { value }
            let metric = try #require(
                try ParsedExposition(registry.text()).metrics.first { $0.name != "heybot_metrics_dropped_series" })
            let line = try #require(metric.lines.first)
            #expect(metric.kind == "gauge")
            #expect(metric.help.map { Array($0.utf8) } == Array(help.utf8))
            #expect(sorted(line.labels.map(\.value)) == sorted(labels.map { Array($1.utf8) }))
            #expect(line.value == "NaN" ? value.isNaN : Double(line.value) == value)
        }
    }

    @Test func `the order of labels doesn't matter`() {
        var chance = SeededGenerator(seed: 2)
        let registry = PrometheusRegistry()
        for _ in 0..<300 {
            let labels = chance.labels()
            let (first, second) = (labels.shuffled(using: &chance), labels.shuffled(using: &chance))
            let timer = registry.makeTimer(label: "t", dimensions: first)
            #expect(timer === registry.makeTimer(label: "t", dimensions: second))
            #expect(timer !== NOOPMetricsHandler.instance)
        }
    }

    @Test func `random combinations give valid text`() throws {
        var chance = SeededGenerator(seed: 3)
        let alike = ["a", "a_sum", "a_count", "a.bucket", "a_bucket_sum", "b", "heybot_metrics_dropped_series"]
        for _ in 0..<200 {
            let registry = PrometheusRegistry(buckets: [.seconds(1)], limit: 12)
            var handlers: [ObjectIdentifier: any AnyObject & Sendable] = [:]
            for _ in 0..<Int.random(in: 0..<25, using: &chance) {
                let name = alike.randomElement(using: &chance).flatMap { Bool.random(using: &chance) ? $0 : nil }
                let handler = use(registry, name ?? chance.text(), &chance)
                if handler !== NOOPMetricsHandler.instance { handlers[ObjectIdentifier(handler)] = handler }
            }
            let metrics = try ParsedExposition(registry.text()).metrics
            #expect(metrics.reduce(0) { $0 + $1.series.count } == handlers.count + 1)
            #expect(handlers.count <= 12)
        }
    }

    /// Creates a metric of a random kind and records a value.
    private func use(
        _ registry: PrometheusRegistry, _ name: String, _ chance: inout SeededGenerator
    ) -> any AnyObject & Sendable {
        let (labels, number, integer) = (chance.labels(), chance.number(), Int64(bitPattern: chance.next()))
        registry.describe(name, chance.text())
        switch Int.random(in: 0..<5, using: &chance) {
        case 0:
            let counter = registry.makeCounter(label: name, dimensions: labels)
            counter.increment(by: integer)
            return counter
        case 1:
            let counter = registry.makeFloatingPointCounter(label: name, dimensions: labels)
            counter.increment(by: number)
            return counter
        case 2:
            let meter = registry.makeMeter(label: name, dimensions: labels)
            meter.set(number)
            meter.decrement(by: chance.number())
            return meter
        case 3:
            let recorder = registry.makeRecorder(
                label: name, dimensions: labels, aggregate: Bool.random(using: &chance))
            recorder.record(number)
            return recorder
        default:
            let timer = registry.makeTimer(label: name, dimensions: labels)
            timer.recordNanoseconds(integer)
            return timer
        }
    }

    private func sorted(_ values: [[UInt8]]) -> [[UInt8]] {
        values.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
