@testable import Heybot

/// Counts the ways to match a text, by trying all of them.
///
/// Counts are limited. An unlimited repetition ends after an empty one.
struct MatchCounter {
    private static let limit = 1 << 40
    let text: [Character]

    init(_ text: String) { self.text = Array(text) }

    /// The number of ways in which one or more nonempty repetitions of a part match the whole text.
    func waysToRepeat(_ part: RegexAST, hasCount: Bool) -> Int {
        var ways = Array(repeating: 0, count: text.count + 1)
        ways[0] = 1
        // Of counted repetitions, an empty one makes a difference, and can come before each.
        let factor = hasCount && part.isNullable ? 2 : 1
        for start in text.indices where ways[start] > 0 {
            for (end, more) in self.ways(part, from: start) where end > start {
                ways[end] = min(ways[end] + ways[start] * more * factor, Self.limit)
            }
        }
        return ways[text.count]
    }

    private func ways(_ tree: RegexAST, from start: Int) -> [Int: Int] {
        switch tree {
        case .empty, .start, .end, .boundary, .lookaround: return [start: 1]
        case .anything: return Dictionary(uniqueKeysWithValues: (start...text.count).map { ($0, 1) })
        case .character(let characters):
            guard start < text.count else { return [:] }
            let isIn = text[start].asciiValue.map { characters.ascii.contains($0) } ?? characters.hasOthers
            return isIn ? [start + 1: 1] : [:]
        case .sequence(let parts):
            return parts.reduce([start: 1]) { ways, part in
                ways.reduce(into: [:]) { sum, way in
                    add(self.ways(part, from: way.key), times: way.value, to: &sum)
                }
            }
        case .alternatives(let parts):
            return parts.reduce(into: [:]) { add(ways($1, from: start), times: 1, to: &$0) }
        case .repetition(let part, let least, let most, _):
            return repeated(part, least: least, most: most, from: start)
        case .atomic(let part):
            return ways(part, from: start).keys.max().map { [$0: 1] } ?? [:]
        }
    }

    private func repeated(_ part: RegexAST, least: Int, most: Int?, from start: Int) -> [Int: Int] {
        var sum: [Int: Int] = least == 0 ? [start: 1] : [:]
        guard most != 0 else { return sum }
        for (end, ways) in ways(part, from: start) {
            if end == start, most == nil, least <= 1 {
                add([end: 1], times: ways, to: &sum)
            } else {
                let next = repeated(part, least: max(least - 1, 0), most: most.map { $0 - 1 }, from: end)
                add(next, times: ways, to: &sum)
            }
        }
        return sum
    }

    private func add(_ more: [Int: Int], times: Int, to sum: inout [Int: Int]) {
        for (end, ways) in more { sum[end] = min(sum[end, default: 0] + ways * times, Self.limit) }
    }
}
