/// Returns the name that is most similar to the typed one, if the similarity is high enough for a suggestion.
func closestMatch(_ typed: String, of names: some Sequence<String>) -> String? {
    names.map { (editDistance($0.lowercased(), typed.lowercased()), $0) }.min { $0 < $1 }
        .flatMap { $0.0 <= min(3, typed.count / 2) ? $0.1 : nil }
}

/// The Levenshtein distance: the number of letters to insert, remove or change to turn one word into the other.
private func editDistance(_ one: String, _ other: String) -> Int {
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
