/// One of the places where a domain offers a service, as DNS tells it (RFC 2782).
package struct ServiceRecord: Hashable, Sendable {
    /// Where a record leads.
    package enum Target: Hashable, Sendable {
        /// The name of a host: ASCII, in lower case, without a trailing dot.
        case host(String)
        /// Nowhere: the domain decidedly doesn't offer the service, which DNS writes as `.`.
        case notOffered
    }

    /// Lower ones are tried first.
    package var priority: UInt16
    /// The share of the clients it should get among those of its priority.
    package var weight: UInt16
    /// The port at the target.
    package var port: UInt16
    /// Where it leads.
    package var target: Target

    /// Makes one.
    package init(priority: UInt16, weight: UInt16, port: UInt16, target: Target) {
        self.priority = priority
        self.weight = weight
        self.port = port
        self.target = target
    }
}

extension ServiceRecord {
    /// The order to try records in: by priority, and by chance if that is the same, heavier ones sooner (RFC 2782).
    ///
    /// One of weight 0 comes before heavier ones very seldom. It is drawn again each time, so that the clients of a domain
    /// spread over its servers.
    package static func inOrder(
        _ records: [ServiceRecord], using generator: inout some RandomNumberGenerator
    ) -> [ServiceRecord] {
        var ordered: [ServiceRecord] = []
        for (_, group) in Dictionary(grouping: records, by: \.priority).sorted(by: { $0.key < $1.key }) {
            // Weight 0 goes first in each draw, and only the first of those can be drawn. The RFC leaves their order open:
            // shuffled, they take turns.
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
