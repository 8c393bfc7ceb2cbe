/// Reads a DNS message from its beginning on; whatever is in there, it ends, and never reads beyond it.
struct MessageReader {
    private let bytes: [UInt8]
    /// What is read next.
    private(set) var position = 0

    /// So many pointers may follow each other; honest names have one or two.
    private static let mostPointers = 32

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func number() throws(AnswerError) -> UInt16 {
        let number = UInt16(try byte(at: position)) << 8 | UInt16(try byte(at: position + 1))
        position += 2
        return number
    }

    mutating func skip(_ count: Int) throws(AnswerError) {
        guard count <= bytes.count - position else { throw .cutOff }
        position += count
    }

    /// A name in lower case, wherever its parts are (RFC 1035 section 4.1.4).
    mutating func name() throws(AnswerError) -> DomainName {
        var wire: [UInt8] = []
        // Each pointer must lead to before the part that it ends: that is never the same part twice.
        var (place, start, pointers) = (position, position, 0)
        var end: Int?
        while true {
            let length = Int(try byte(at: place))
            switch length {
            case 0:
                position = end ?? place + 1
                return DomainName(wire: wire)
            case 1...63:
                guard wire.count + length + 1 < DomainName.longest else { throw .badName }
                guard place + length < bytes.count else { throw .cutOff }
                wire.append(UInt8(length))
                wire += bytes[(place + 1)...(place + length)].lazy.map(Self.lowercased)
                place += length + 1
            case 0xc0...0xff:
                let target = (length & 0x3f) << 8 | Int(try byte(at: place + 1))
                pointers += 1
                guard target < start, pointers <= Self.mostPointers else { throw .badName }
                end = end ?? place + 2
                (place, start) = (target, target)
            default: throw .badName
            }
        }
    }

    private func byte(at index: Int) throws(AnswerError) -> UInt8 {
        guard index < bytes.count else { throw .cutOff }
        return bytes[index]
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
