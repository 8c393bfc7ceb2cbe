extension String {
    /// Whether the text is another one with one slip at most: a letter is missing, added, wrong, or swapped with the next.
    func isSlip(of other: String) -> Bool {
        var (own, others) = (self[...], other[...])
        while let letter = own.first, letter == others.first {
            own.removeFirst()
            others.removeFirst()
        }
        while let letter = own.last, letter == others.last {
            own.removeLast()
            others.removeLast()
        }
        if own.count <= 1, others.count <= 1 { return true }
        return own.count == 2 && others.count == 2 && own.first == others.last && own.last == others.first
    }
}
