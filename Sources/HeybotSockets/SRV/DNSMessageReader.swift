/// Parses a DNS message.
///
/// Terminates on any input, and never reads out of bounds.
struct DNSMessageReader {
    private let bytes: [UInt8]
    /// The offset of the next byte.
    private(set) var position = 0

    /// The limit of chained compression pointers; valid names have one or two.
    private static let maxPointers = 32

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func number() throws(SRVResponseError) -> UInt16 {
        let number = UInt16(try byte(at: position)) << 8 | UInt16(try byte(at: position + 1))
        position += 2
        return number
    }

    mutating func skip(_ count: Int) throws(SRVResponseError) {
        guard count <= bytes.count - position else { throw .cutOff }
        position += count
    }

    /// Reads a name in lower case, following compression pointers (RFC 1035 section 4.1.4).
    mutating func name() throws(SRVResponseError) -> DNSName {
        var wire: [UInt8] = []
        // Each pointer must lead backwards, so that no part is read twice.
        var (place, start, pointers) = (position, position, 0)
        var end: Int?
        while true {
            let length = Int(try byte(at: place))
            switch length {
            case 0:
                position = end ?? place + 1
                return DNSName(wire: wire)
            case 1...63:
                guard wire.count + length + 1 < DNSName.longest else { throw .badName }
                guard place + length < bytes.count else { throw .cutOff }
                wire.append(UInt8(length))
                wire += bytes[(place + 1)...(place + length)].lazy.map(Self.lowercased)
                place += length + 1
            case 0xc0...0xff:
                let target = (length & 0x3f) << 8 | Int(try byte(at: place + 1))
                pointers += 1
                guard target < start, pointers <= Self.maxPointers else { throw .badName }
                end = end ?? place + 2
                (place, start) = (target, target)
            default: throw .badName
            }
        }
    }

    private func byte(at index: Int) throws(SRVResponseError) -> UInt8 {
        guard index < bytes.count else { throw .cutOff }
        return bytes[index]
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
