/// The last ids that were heard, so that nothing is heard twice.
struct SeenIDs: Sendable {
    private let limit: Int
    private var known: Set<String> = []
    /// In the order they came, as a ring.
    private var order: [String] = []
    private var oldest = 0

    /// - Parameter limit: How many are kept.
    init(limit: Int = 1_000) {
        self.limit = max(limit, 1)
    }

    /// Notes the id, and forgets the oldest where there is no room; false where it was known.
    mutating func insert(_ id: String) -> Bool {
        guard known.insert(id).inserted else { return false }
        if order.count < limit {
            order.append(id)
        } else {
            known.remove(order[oldest])
            order[oldest] = id
            oldest = (oldest + 1) % limit
        }
        return true
    }
}
