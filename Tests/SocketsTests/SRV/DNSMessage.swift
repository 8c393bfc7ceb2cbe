/// Builds DNS messages.
enum DNSMessage {
    static let asked = name("_s._tcp.a.org")
    /// The offset of the answer section.
    static let head = 12 + asked.count + 4

    static func answer(_ records: [[UInt8]], flags: UInt16 = 0x8180) -> [UInt8] {
        [0x12, 0x34] + [flags, 1, UInt16(records.count), 0, 0].flatMap(bytes) + asked + [0, 33, 0, 1] + records.joined()
    }

    static func service(
        _ owner: [UInt8], _ priority: UInt16, _ weight: UInt16, _ port: UInt16, _ target: [UInt8]
    ) -> [UInt8] {
        record(owner, type: 33, [priority, weight, port].flatMap(bytes) + target)
    }

    static func record(_ owner: [UInt8], type: UInt16, class: UInt16 = 1, _ data: [UInt8]) -> [UInt8] {
        owner + [type, `class`, 0, 60, UInt16(data.count)].flatMap(bytes) + data
    }

    static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xff)] }
}
