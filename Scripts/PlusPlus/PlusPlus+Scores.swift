import Heybot

extension PlusPlus.ScoreChange {
    /// Stores the change, and returns a sentence with the new score.
    func counted(in brain: Brain) async throws -> String {
        let score = try await brain.update(PlusPlus.scores, name, default: 0) { score in
            score = PlusPlus.sum(score, points)
            return score
        }
        guard let reason else { return "\(PlusPlus.has(name, "now ")) \(score)." }
        let part = try await brain.update(PlusPlus.reasons, name, default: [:]) { reasons in
            let known = PlusPlus.known(reason, in: reasons) ?? reason
            if reasons[known] == nil, reasons.count >= PlusPlus.mostReasons,
                let least = reasons.min(by: { ($0.value.magnitude, $0.key) < ($1.value.magnitude, $1.key) })
            {
                reasons[least.key] = nil
            }
            let part = PlusPlus.sum(reasons[known] ?? 0, points)
            reasons[known] = part == 0 ? nil : part
            return part
        }
        return "\(PlusPlus.has(name, "now ")) \(score)\(part == 0 ? "" : " (\(part) for \(reason))")."
    }
}

extension PlusPlus {
    private static let mostShown = 3
    /// The maximum number of reasons of a name.
    static let mostReasons = 50

    /// Adds points, without overflow.
    static func sum(_ score: Int, _ points: Int) -> Int {
        let (sum, overflows) = score.addingReportingOverflow(points)
        return overflows ? score : sum
    }

    /// Returns the beginning of a sentence about points: `swift now has`, `bob and ada now have`.
    static func has(_ name: String, _ when: String = "") -> String {
        "\(name) \(when)\(name.contains(" and ") ? "have" : "has")"
    }

    /// Finds a known reason, ignoring case, and returns its first spelling.
    static func known(_ reason: String, in reasons: [String: Int]) -> String? {
        let folded = reason.lowercased()
        return reasons.keys.first { $0.lowercased() == folded }
    }

    /// Returns a name's top reasons: `2 for being fast, 1 for the tests`.
    static func topReasons(_ name: String, _ brain: Brain) async throws -> String {
        let reasons = try await brain.recall(reasons, name) ?? [:]
        return reasons.sorted { ($1.value.magnitude, $0.key) < ($0.value.magnitude, $1.key) }.prefix(mostShown)
            .map { "\($0.value) for \($0.key)" }.joined(separator: ", ")
    }

    /// Returns the names with the most or the fewest points; names with equal points are sorted alphabetically.
    static func ranking(_ number: Int, isTop: Bool, _ brain: Brain) async throws -> [(key: String, value: Int)] {
        var ranking: [(key: String, value: Int)] = []
        // An entry may occur twice.
        for try await entry in brain.entries(scores) where !ranking.contains(where: { $0.key == entry.key }) {
            let place = ranking.firstIndex {
                $0.value == entry.value ? entry.key < $0.key : isTop == (entry.value > $0.value)
            }
            ranking.insert(entry, at: place ?? ranking.endIndex)
            if ranking.count > number { ranking.removeLast() }
        }
        return ranking
    }

    /// Deletes a name, and returns a sentence about it.
    static func erase(_ name: String, _ brain: Brain) async throws -> String {
        guard let score = try await brain.recall(scores, name) else { throw Refusal("\(name) has no points.") }
        try await brain.forget(reasons, name)
        try await brain.forget(scores, name)
        return "I've erased the score of \(name), which was \(score)."
    }

    /// Deletes a reason, and returns a sentence about it.
    static func erase(_ reason: Substring, of name: String, _ brain: Brain) async throws -> String {
        let reason = ScoreChange.reason(typed: reason)
        let isErased = try await brain.update(reasons, name) { reasons in
            guard let known = known(reason, in: reasons ?? [:]) else { return false }
            reasons?[known] = nil
            if reasons?.isEmpty == true { reasons = nil }
            return true
        }
        guard isErased else { throw Refusal("\(name) has no points for \(reason).") }
        return "I've forgotten the reason \"\(reason)\"; \(name) keeps the points."
    }
}
