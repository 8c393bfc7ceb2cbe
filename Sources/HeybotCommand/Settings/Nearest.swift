/// The name that differs least from what was typed, where that may well be what was meant.
func nearest(_ typed: String, of names: some Sequence<String>) -> String? {
    names.map { (distance($0.lowercased(), typed.lowercased()), $0) }.min { $0 < $1 }
        .flatMap { $0.0 <= min(3, typed.count / 2) ? $0.1 : nil }
}

/// How many letters must be put in, left out or changed to make one of the other (Levenshtein).
private func distance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count)
    for (i, letter) in one.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, otherLetter) in other.enumerated() {
            let above = row[j + 1]
            row[j + 1] = min(above + 1, row[j] + 1, diagonal + (letter == otherLetter ? 0 : 1))
            diagonal = above
        }
    }
    return row[other.count]
}
