package enum Folding {
    package static func special(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> (UInt8, length: Int)? {
        switch text[position] {
        case 0xc5 where position + 1 < text.count && text[position + 1] == 0xbf: (UInt8(ascii: "s"), 2)
        default: nil
        }
    }
    package static func lowercase(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
