import Heybot
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Delivers the same message many times, and measures the CPU time until all were handled.
final class FloodAdapter: Adapter {
    private static let rounds = 5

    let name = "flood"
    private let text: String
    private let count: Int
    private let figures = Mutex<[Double]>([])

    init(text: String, count: Int) {
        self.text = text
        self.count = count
    }

    var status: AdapterStatus { .starting }

    /// The CPU time per message, the median of all rounds.
    var microseconds: Double { median(figures.withLock { $0 }) }

    func run(_ inbox: Inbox) async throws {
        let message = Message(
            id: .init(adapter: name, value: "1"), user: User(id: .init(adapter: name, value: "al"), name: "al"),
            room: Room(id: .init(adapter: name, value: "#room")), content: .text(text))
        for round in 0...Self.rounds {
            let start = cpuTime()
            for _ in 1..<count { await inbox.receive(message) }
            await inbox.handle(message)
            let cost = (cpuTime() - start) / Double(count) * 1e6
            // The first round warms up.
            if round > 0 { figures.withLock { $0.append(cost) } }
        }
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}

    private func cpuTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
