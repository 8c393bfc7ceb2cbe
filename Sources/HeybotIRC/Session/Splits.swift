/// Who went with half the network and may come back, where the server doesn't tell by a batch.
struct Splits: Sendable {
    private var gone: Set<String> = []
    private static let most = 10_000

    /// Whether that is how a server words a split, by the names of two servers.
    ///
    /// Then whoever quits so is remembered.
    mutating func takes(_ reason: String, _ key: String) -> Bool {
        let words = reason.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words.allSatisfy(Self.isServer) else { return false }
        if gone.count < Self.most { gone.insert(key) }
        return true
    }

    /// Whether somebody who comes in went that way; then that is over.
    mutating func cameBack(_ key: String) -> Bool { gone.remove(key) != nil }

    private static func isServer(_ word: Substring) -> Bool {
        let labels = word.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1
            && labels.allSatisfy { label in
                !label.isEmpty && label.allSatisfy { $0.isLetter || $0.isNumber || "-*".contains($0) }
            }
    }
}
