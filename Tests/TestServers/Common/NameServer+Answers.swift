import Foundation

/// DNS messages (RFC 1035 section 4), as far as the test server needs them.
extension NameServer.Book {
    private static let isTruncated: UInt16 = 0x0200

    /// Returns the response to a query; nil for none.
    func reply(to query: [UInt8], byTCP: Bool) -> [UInt8]? {
        guard let (name, end) = Self.question(query) else { return nil }
        let type = UInt16(query[end - 4]) << 8 | UInt16(query[end - 3])
        questions.withLock { $0.append(NameServer.Question(name: name, type: type, isByTCP: byTCP)) }
        func message(code: UInt16 = 0, _ records: [[UInt8]] = [], flags: UInt16 = 0) -> [UInt8] {
            // A response, with recursion desired and available.
            let numbers = [0x8180 | flags | code, 1, UInt16(records.count), 0, 0]
            return query[..<2] + numbers.flatMap(Self.bytes) + query[12..<end] + records.joined()
        }
        let records: [[UInt8]]
        switch answer(for: name) {
        case .noName: return message(code: 3)
        case .failure: return message(code: 2)
        case .refusal: return message(code: 5)
        case .misunderstanding: return message(code: 1)
        case .silence: return nil
        case .silenceByTCP: return byTCP ? nil : message(flags: Self.isTruncated)
        case .garbage: records = [(0..<60).map { UInt8($0 * 83 % 256) }]
        case .cutOff:
            let record = Self.record(name, .init(port: 5222, target: "host.example.org"))
            records = [record, Array(record.dropLast(9))]
        case .loop:
            // The target's offset: after the question, the owner, ten bytes and three numbers.
            let owner = Self.name(name)
            let pointer = 0xc000 | UInt16(end + owner.count + 16)
            records = [Self.record(name, type: 33, [0, 0, 5222, pointer].flatMap(Self.bytes))]
        case let answer: records = self.records(answer, name, type)
        }
        let whole = message(records)
        return byTCP || whole.count <= 512 ? whole : message(flags: Self.isTruncated)
    }

    private func answer(for name: String) -> NameServer.Answer {
        answers.withLock { $0[name] ?? .noName }
    }

    private func records(_ answer: NameServer.Answer, _ name: String, _ type: UInt16) -> [[UInt8]] {
        switch answer {
        case .services(let services) where type == 33: services.map { Self.record(name, $0) }
        case .addresses(let addresses):
            addresses.compactMap { address in
                Self.packed(address, type).map { Self.record(name, type: type, $0) }
            }
        case .alias(let target):
            [Self.record(name, type: 5, Self.name(target))] + records(self.answer(for: target), target, type)
        default: []
        }
    }

    /// Parses the queried name, and where the question ends.
    private static func question(_ query: [UInt8]) -> (name: String, end: Int)? {
        var (labels, place): ([String], Int) = ([], 12)
        while place < query.count {
            let length = Int(query[place])
            guard place + length + 5 <= query.count, length < 64 else { return nil }
            if length == 0 { return (labels.joined(separator: "."), place + 5) }
            labels.append(String(decoding: query[(place + 1)...(place + length)], as: UTF8.self).lowercased())
            place += length + 1
        }
        return nil
    }

    private static func record(_ owner: String, _ service: NameServer.Service) -> [UInt8] {
        let numbers = [service.priority, service.weight, service.port].flatMap(bytes)
        return record(owner, type: 33, numbers + name(service.target))
    }

    /// Encodes a record of class IN with a time to live of a minute.
    private static func record(_ owner: String, type: UInt16, _ data: [UInt8]) -> [UInt8] {
        name(owner) + [type, 1, 0, 60, UInt16(data.count)].flatMap(bytes) + data
    }

    private static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xff)] }

    private static func packed(_ address: String, _ type: UInt16) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: type == 1 ? 4 : 16)
        guard type == 1 || type == 28 else { return nil }
        return inet_pton(type == 1 ? AF_INET : AF_INET6, address, &bytes) == 1 ? bytes : nil
    }
}
