extension String {
    /// Returns the number of slips of the pen by which a text differs from another one: letters that are missing, added, wrong, or
    /// swapped with the next.
    ///
    /// This is the edit distance with transpositions (optimal string alignment).
    ///
    /// - Parameter most: The maximum number.
    /// - Returns: Nil if there are more.
    package func slips(from other: String, atMost most: Int) -> Int? {
        var (one, two) = (Array(unicodeScalars)[...], Array(other.unicodeScalars)[...])
        guard abs(one.count - two.count) <= most else { return nil }
        // What both begin and end with costs nothing.
        while let letter = one.first, letter == two.first {
            one.removeFirst()
            two.removeFirst()
        }
        while let letter = one.last, letter == two.last {
            one.removeLast()
            two.removeLast()
        }
        let (own, others) = (Array(one), Array(two))
        var before: [Int] = []
        var last = Array(0...others.count)
        for (row, letter) in own.enumerated() {
            var next = [row + 1]
            for (column, otherLetter) in others.enumerated() {
                let changed = last[column] + (letter == otherLetter ? 0 : 1)
                var least = Swift.min(changed, last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, letter == others[column - 1], own[row - 1] == otherLetter {
                    least = Swift.min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            // The next rows have no less.
            if (next.min() ?? 0) > most, (last.min() ?? 0) >= most { return nil }
            (before, last) = (last, next)
        }
        let slips = last[others.count]
        return slips <= most ? slips : nil
    }
}
