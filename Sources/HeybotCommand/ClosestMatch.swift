import HeybotSupport

/// Returns the name that is most similar to the typed one, if the similarity is high enough for a suggestion.
func closestMatch(_ typed: String, of names: some Sequence<String>) -> String? {
    let most = min(3, typed.count / 2)
    let near = names.compactMap { name in
        name.lowercased().slips(from: typed.lowercased(), atMost: most).map { (slips: $0, name: name) }
    }
    return near.min { ($0.slips, $0.name) < ($1.slips, $1.name) }?.name
}
