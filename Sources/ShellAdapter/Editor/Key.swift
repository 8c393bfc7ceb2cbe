/// A key press or pasted text.
enum Key: Hashable, Sendable {
    case text(String)
    /// Pasted text, with newlines as line breaks.
    case paste(String)
    /// A letter with the control key, such as `a` for ^A.
    case control(Character)
    case alt(Character)
    case enter, tab, escape
    case backspace, delete
    case up, down, left, right, home, end
    case wordLeft, wordRight

    /// The key for a control character.
    static func control(byte: UInt8) -> Key? {
        switch byte {
        case 0x08, 0x7f: .backspace
        case 0x09: .tab
        case 0x0a, 0x0d: .enter
        case 0x1f: .control("_")
        case 0x01...0x1a: .control(Character(UnicodeScalar(byte + 0x60)))
        default: nil
        }
    }

    /// The key for the sequence `ESC [ parameters final`.
    static func sequence(_ parameters: [UInt8], _ final: UInt8) -> Key? {
        let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Int(String(decoding: $0, as: UTF8.self)) }
        // Alt or control with an arrow moves by words.
        let hasModifier = numbers.count > 1 && (3...8).contains(numbers[1] ?? 0)
        switch final {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return hasModifier ? .wordRight : .right
        case UInt8(ascii: "D"): return hasModifier ? .wordLeft : .left
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "~"):
            switch numbers.first ?? nil {
            case 1, 7: return .home
            case 3: return hasModifier ? .alt("d") : .delete
            case 4, 8: return .end
            default: return nil
            }
        default: return nil
        }
    }
}
