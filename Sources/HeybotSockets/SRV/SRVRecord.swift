/// An SRV record (RFC 2782).
package struct SRVRecord: Hashable, Sendable {
    /// The record's target.
    package enum Target: Hashable, Sendable {
        /// A host name: ASCII, in lower case, without a trailing dot.
        case host(String)
        /// The service is decidedly not offered; DNS writes this as `.`.
        case notOffered
    }

    /// Records with a lower number are tried first.
    package var priority: UInt16
    /// The relative share of clients among records of the same priority.
    package var weight: UInt16
    /// The port at the target.
    package var port: UInt16
    /// The target.
    package var target: Target

    /// Creates a record.
    package init(priority: UInt16, weight: UInt16, port: UInt16, target: Target) {
        self.priority = priority
        self.weight = weight
        self.port = port
        self.target = target
    }
}

extension SRVRecord {
    /// Sorts records in the order to try them: by priority, and randomly by weight within a priority (RFC 2782).
    ///
    /// A record of weight 0 rarely precedes heavier ones. The order is drawn for each call, which spreads clients over the
    /// servers.
    package static func inOrder(
        _ records: [SRVRecord], using generator: inout some RandomNumberGenerator
    ) -> [SRVRecord] {
        var ordered: [SRVRecord] = []
        for (_, group) in Dictionary(grouping: records, by: \.priority).sorted(by: { $0.key < $1.key }) {
            // Records of weight 0 go first in each draw, and only the first of them can be drawn. The RFC leaves their order
            // open; shuffling gives each a chance.
            let shuffled = group.shuffled(using: &generator)
            var rest = shuffled.filter { $0.weight == 0 } + shuffled.filter { $0.weight > 0 }
            var sum = rest.reduce(0) { $0 + Int($1.weight) }
            while !rest.isEmpty {
                var draw = Int.random(in: 0...sum, using: &generator)
                let index = rest.firstIndex { record in
                    draw -= Int(record.weight)
                    return draw <= 0
                }
                let record = rest.remove(at: index ?? 0)
                sum -= Int(record.weight)
                ordered.append(record)
            }
        }
        return ordered
    }
}
