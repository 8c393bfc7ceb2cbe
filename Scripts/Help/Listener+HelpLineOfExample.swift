import Heybot

extension Listener {
    /// The help line that the example belongs to: the one with the most literal text that matches the example.
    var helpLineOfExample: HelpLine? {
        guard let example = example?.lowercased() else { return nil }
        var best: (line: HelpLine, length: Int)?
        for line in help {
            let parts = line.usage.lowercased().split(separator: /<[^<>]*>/, omittingEmptySubsequences: false)
            var rest = example[...]
            let isShown = parts.enumerated().allSatisfy { index, part in
                // The first part must begin the example, and the last one must end it.
                if part.isEmpty { return true }
                guard let range = rest.firstRange(of: part), index > 0 || range.lowerBound == rest.startIndex else {
                    return false
                }
                rest = rest[range.upperBound...]
                return true
            }
            let length = parts.reduce(0) { $0 + $1.count }
            guard isShown, parts.last?.isEmpty == true || rest.isEmpty, length > best?.length ?? -1 else { continue }
            best = (line, length)
        }
        return best?.line ?? help.first
    }
}
