/// Parses SRV records from a DNS response (RFC 1035 section 4, RFC 2782).
enum SRVResponseParser {
    /// The most records that are used: those of the highest priority.
    static let maxRecords = 64

    /// Returns the records of a name, or of the one that it is an alias for.
    ///
    /// Either all lead to hosts, or there is one for a service that isn't offered, or there are none. Targets that aren't host
    /// names are skipped.
    static func records(in message: [UInt8], for name: DNSName) throws(SRVResponseError) -> [SRVRecord] {
        var reader = DNSMessageReader(message)
        try reader.skip(2)
        let flags = try reader.number()
        let (questions, answers) = (try reader.number(), try reader.number())
        try reader.skip(4)
        guard flags & 0x8000 != 0 else { throw .noAnswer }
        guard flags & 0x0200 == 0 else { throw .incomplete }
        switch flags & 0xf {
        case 0: break
        case 3: return []
        case let code: throw .code(Int(code))
        }
        for _ in 0..<questions {
            _ = try reader.name()
            try reader.skip(4)
        }
        var aliases: [DNSName: DNSName] = [:]
        var services: [SRVResourceRecord] = []
        for _ in 0..<answers { try read(&reader, &aliases, &services) }

        var owners: Set = [name]
        var last = name
        while let next = aliases[last], owners.insert(next).inserted { last = next }
        return try usable(services.filter { owners.contains($0.owner) })
    }

    private struct SRVResourceRecord {
        let owner: DNSName
        let target: DNSName
        let numbers: (priority: UInt16, weight: UInt16, port: UInt16)

        func record(_ target: SRVRecord.Target) -> SRVRecord {
            SRVRecord(priority: numbers.priority, weight: numbers.weight, port: numbers.port, target: target)
        }
    }

    private static func read(
        _ reader: inout DNSMessageReader, _ aliases: inout [DNSName: DNSName], _ services: inout [SRVResourceRecord]
    ) throws(SRVResponseError) {
        let owner = try reader.name()
        let (type, `class`) = (try reader.number(), try reader.number())
        try reader.skip(4)
        let length = Int(try reader.number())
        let start = reader.position
        switch (type, `class`) {
        case (5, 1): aliases[owner] = try reader.name()
        case (33, 1):
            let numbers = (try reader.number(), try reader.number(), try reader.number())
            services.append(SRVResourceRecord(owner: owner, target: try reader.name(), numbers: numbers))
        default: return try reader.skip(length)
        }
        guard reader.position - start == length else { throw .badLength }
    }

    private static func usable(_ services: [SRVResourceRecord]) throws(SRVResponseError) -> [SRVRecord] {
        let hosts = services.compactMap { service in
            service.target.hostName.map { service.record(.host($0)) }
        }
        if !hosts.isEmpty { return Array(hosts.sorted { $0.priority < $1.priority }.prefix(maxRecords)) }
        if let service = services.first(where: { $0.target.wire.isEmpty }) { return [service.record(.notOffered)] }
        guard services.isEmpty else { throw .noHost }
        return []
    }
}
