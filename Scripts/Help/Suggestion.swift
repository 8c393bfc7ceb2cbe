/// What somebody may have meant who said something to the robot that it doesn't know.
enum Suggestion {
    private static let most = 3

    /// The usages of commands that begin nearly like these words, nearest ones only, at most three.
    ///
    /// A command whose own words are all there lacks the rest, or has something else there.
    static func usages(nearTo words: String, among usages: [String]) -> [String] {
        let typed = words.prefix(200).lowercased().split(whereSeparator: \.isWhitespace)
        var nearest: [String] = []
        var least = Int.max
        for usage in usages {
            let head = HelpText.head(of: usage)
            let count = head.split(separator: " ").count
            guard count > 0 else { continue }
            let distance = distance(Array(typed.prefix(count).joined(separator: " ")), Array(head))
            guard distance <= mostMistakes(head), distance <= least else { continue }
            if distance < least { nearest = [] }
            least = distance
            if !nearest.contains(usage) { nearest.append(usage) }
        }
        return Array(nearest.prefix(most))
    }

    private static func mostMistakes(_ head: String) -> Int { head.count < 4 ? 0 : max(1, head.count / 5) }

    /// How many letters have to be put in, left out, changed, or swapped with the next one, to make one of the other.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var next = [row + 1]
            for (column, otherLetter) in other.enumerated() {
                var least = min(last[column] + (letter == otherLetter ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == otherLetter {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, last) = (last, next)
        }
        return last[other.count]
    }
}
