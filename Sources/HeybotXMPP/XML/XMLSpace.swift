/// The four characters that XML takes for whitespace (XML 1.0 section 2.3).
enum XMLSpace {
    static func contains(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }
}
