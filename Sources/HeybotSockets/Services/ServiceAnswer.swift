/// Reads the service records out of a name server's answer (RFC 1035 section 4, RFC 2782).
enum ServiceAnswer {
    /// More than that aren't used: those with the lowest priority numbers are.
    static let mostRecords = 64

    /// The records of that name, or of the one that it is an alias for.
    ///
    /// Either they all lead to hosts, or there is one that says that the service isn't offered, or there are none.
    /// Targets that are no names of hosts are left out.
    static func records(in message: [UInt8], for name: DomainName) throws(AnswerError) -> [ServiceRecord] {
        var reader = MessageReader(message)
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
        var aliases: [DomainName: DomainName] = [:]
        var services: [Service] = []
        for _ in 0..<answers { try read(&reader, &aliases, &services) }

        var owners: Set = [name]
        var last = name
        while let next = aliases[last], owners.insert(next).inserted { last = next }
        return try usable(services.filter { owners.contains($0.owner) })
    }

    private struct Service {
        let owner: DomainName
        let target: DomainName
        let numbers: (priority: UInt16, weight: UInt16, port: UInt16)

        func record(_ target: ServiceRecord.Target) -> ServiceRecord {
            ServiceRecord(priority: numbers.priority, weight: numbers.weight, port: numbers.port, target: target)
        }
    }

    private static func read(
        _ reader: inout MessageReader, _ aliases: inout [DomainName: DomainName], _ services: inout [Service]
    ) throws(AnswerError) {
        let owner = try reader.name()
        let (type, `class`) = (try reader.number(), try reader.number())
        try reader.skip(4)
        let length = Int(try reader.number())
        let start = reader.position
        switch (type, `class`) {
        case (5, 1): aliases[owner] = try reader.name()
        case (33, 1):
            let numbers = (try reader.number(), try reader.number(), try reader.number())
            services.append(Service(owner: owner, target: try reader.name(), numbers: numbers))
        default: return try reader.skip(length)
        }
        guard reader.position - start == length else { throw .badLength }
    }

    private static func usable(_ services: [Service]) throws(AnswerError) -> [ServiceRecord] {
        let hosts = services.compactMap { service in
            service.target.hostName.map { service.record(.host($0)) }
        }
        if !hosts.isEmpty { return Array(hosts.sorted { $0.priority < $1.priority }.prefix(mostRecords)) }
        if let service = services.first(where: { $0.target.wire.isEmpty }) { return [service.record(.notOffered)] }
        guard services.isEmpty else { throw .noHost }
        return []
    }
}
