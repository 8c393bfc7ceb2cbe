/// Remembers the users who quit in a netsplit, for servers that don't mark it by a batch.
struct NetsplitTracker: Sendable {
    private var quitters: Set<String> = []
    private static let maxTracked = 10_000

    /// Records a user's quit if its reason is that of a netsplit, which is the names of two servers.
    ///
    /// - Returns: False if it is an ordinary quit.
    mutating func recordQuit(_ reason: String, _ key: String) -> Bool {
        let words = reason.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words.allSatisfy(Self.isServer) else { return false }
        if quitters.count < Self.maxTracked { quitters.insert(key) }
        return true
    }

    /// Whether a joining user had quit in a netsplit; they are forgotten after that.
    mutating func didReturn(_ key: String) -> Bool { quitters.remove(key) != nil }

    private static func isServer(_ word: Substring) -> Bool {
        let labels = word.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1
            && labels.allSatisfy { label in
                !label.isEmpty && label.allSatisfy { $0.isLetter || $0.isNumber || "-*".contains($0) }
            }
    }
}
