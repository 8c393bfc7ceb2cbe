import Synchronization

/// How a robot is: whether every adapter is up, or has ended as it should, and its brain answers.
public struct Health: Codable, Hashable, Sendable {
    /// Whether all is well.
    public let isGood: Bool
    /// How each adapter is, by name.
    public let adapters: [String: String]
    /// How the brain is.
    public let brain: String
    /// What isn't well, a line each.
    public let reasons: [String]

    private enum CodingKeys: String, CodingKey {
        case isGood = "ok"
        case adapters, brain, reasons
    }
}

extension Robot {
    /// How it is just now.
    ///
    /// The brain counts as away if it doesn't answer within three seconds.
    public func health() async -> Health {
        let down = adapters.filter {
            switch $0.status {
            case .up, .ended: false
            case .starting, .down: true
            }
        }
        let trouble = await brainTrouble()
        return Health(
            isGood: down.isEmpty && trouble == nil,
            adapters: Dictionary(adapters.map { ($0.name, "\($0.status)") }, uniquingKeysWith: { first, _ in first }),
            brain: trouble ?? "ok",
            reasons: down.map { "\($0.name) is \($0.status)" } + (trouble.map { ["the brain is away: \($0)"] } ?? []))
    }

    private func brainTrouble() async -> String? {
        let trouble = Mutex<String?>("it doesn't answer")
        await wait(atMost: .seconds(3)) { [brain] in
            do {
                try await brain.check()
                trouble.withLock { $0 = nil }
            } catch {
                trouble.withLock { $0 = "\(error)" }
            }
        }
        return trouble.withLock { $0 }
    }
}
