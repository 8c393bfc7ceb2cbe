/// The most recent ids, to detect duplicates.
struct DeduplicationSet: Sendable {
    private let limit: Int
    private var known: Set<String> = []
    /// In order of insertion, as a ring buffer.
    private var order: [String] = []
    private var oldest = 0

    /// - Parameter limit: How many ids are kept.
    init(limit: Int = 1_000) {
        self.limit = max(limit, 1)
    }

    /// Inserts an id, in place of the oldest if the set is full.
    ///
    /// - Returns: False if the id is in the set already.
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
