extension PossibleCharacters {
    /// The class as written in a pattern: in its usual short form if it has one, else by its ASCII characters.
    var patternText: String {
        if let known = Self.shortForms.first(where: { $0.value == self }) { return known.name }
        let isMost = hasOthers && ascii.count > 64
        let listed = (UInt8(0)..<0x80).filter { ascii.contains($0) != isMost }
        if listed.count == 1, !isMost, !hasOthers { return Self.text(of: listed[0], isInSet: false) }
        let others = hasOthers && !isMost ? "é" : ""
        return (isMost ? "[^" : "[") + Self.ranges(of: listed) + others + "]"
    }

    private static let shortForms: [(name: String, value: Self)] = {
        let digits = Array(UInt8(ascii: "0")...UInt8(ascii: "9"))
        let word =
            digits + Array(UInt8(ascii: "a")...UInt8(ascii: "z")) + Array(UInt8(ascii: "A")...UInt8(ascii: "Z"))
            + [UInt8(ascii: "_")]
        let space: [UInt8] = [9, 10, 11, 12, 13, 32]
        let all = UInt8(0)..<0x80
        return [(#"\d"#, digits), (#"\w"#, word), (#"\s"#, space)].flatMap { name, bytes in
            [
                (name, Self(ascii: ByteSet(bytes), hasOthers: true)),
                (name.uppercased(), Self(ascii: ByteSet(all.filter { !bytes.contains($0) }), hasOthers: true))
            ]
        } + [
            (".", .all), (".", Self(ascii: ByteSet(all.filter { $0 != 10 }), hasOthers: true)),
            (".", Self(ascii: ByteSet(all.filter { !(10...13).contains($0) }), hasOthers: true))
        ]
    }()

    /// The bytes, with adjacent ones written as ranges if that is shorter.
    private static func ranges(of bytes: [UInt8]) -> String {
        var (result, index) = ("", 0)
        while index < bytes.count {
            var end = index
            while end + 1 < bytes.count, bytes[end + 1] == bytes[end] + 1 { end += 1 }
            if end - index > 1 {
                result += text(of: bytes[index], isInSet: true) + "-" + text(of: bytes[end], isInSet: true)
                index = end + 1
            } else {
                result += text(of: bytes[index], isInSet: true)
                index += 1
            }
        }
        return result
    }

    private static func text(of byte: UInt8, isInSet: Bool) -> String {
        switch byte {
        case 9: return #"\t"#
        case 10: return #"\n"#
        case 13: return #"\r"#
        case 0..<32, 127: return #"\u{"# + String(byte, radix: 16) + "}"
        default:
            let signs: [UInt8] = Array((isInSet ? #"\]^-["# : #"\^$.|?*+()[]{}"#).utf8)
            return (signs.contains(byte) ? #"\"# : "") + String(UnicodeScalar(byte))
        }
    }
}
