/// Decodes keys from a terminal's bytes, which may be split anywhere.
struct KeyDecoder {
    private enum State: Equatable {
        case ground
        case escape
        /// After `ESC [`, with the parameters so far.
        case sequence([UInt8])
        /// After `ESC O`.
        case keypad
        /// After `ESC [ [`, the prefix of the Linux console's function keys.
        case function
        /// Within a string from the terminal, up to BEL or `ESC \`.
        case string
        case stringEscape
        /// Within pasted text, with the number of matched bytes of its end sequence.
        case paste(Int)
    }

    private static let escape: UInt8 = 0x1b
    private static let pasteEnd = Array("\u{1b}[201~".utf8)

    private var state = State.ground
    /// Text that wasn't returned yet.
    ///
    /// Between calls it is an incomplete character.
    private var text: [UInt8] = []
    private var pasted: [UInt8] = []

    /// Whether the last bytes may be a key or the beginning of a longer sequence.
    ///
    /// After a timeout call ``flush()``.
    var isWaiting: Bool {
        switch state {
        case .ground, .paste: false
        default: true
        }
    }

    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { decode(byte, &keys) }
        emitText(&keys, isWhole: false)
        return keys
    }

    /// Ends a sequence after a timeout: a single ESC is the Escape key; an incomplete sequence is dropped.
    mutating func flush() -> [Key] {
        guard isWaiting else { return [] }
        defer { state = .ground }
        return state == .escape ? [.escape] : []
    }

    private mutating func decode(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .ground: decodePlain(byte, &keys)
        case .escape: decodeAfterEscape(byte, &keys)
        case .sequence(let parameters): decode(byte, in: parameters, &keys)
        case .keypad:
            state = .ground
            if byte == UInt8(ascii: "M") { return keys.append(.enter) }
            if byte < 0x20 || byte > 0x7e { return decodePlain(byte, &keys) }
            if let key = Key.sequence([], byte) { keys.append(key) }
        case .function: state = .ground
        case .string:
            if byte == 0x07 { state = .ground } else if byte == Self.escape { state = .stringEscape }
            // The user pressed ^C or Enter, so this wasn't a string from the terminal.
            if byte == 0x03 || byte == 0x0d {
                state = .ground
                decodePlain(byte, &keys)
            }
        case .stringEscape: state = byte == UInt8(ascii: "\\") ? .ground : .string
        case .paste(let matched): decodePasted(byte, matched, &keys)
        }
    }

    private mutating func decodePlain(_ byte: UInt8, _ keys: inout [Key]) {
        if byte >= 0x20, byte != 0x7f { return text.append(byte) }
        emitText(&keys, isWhole: true)
        if byte == Self.escape { state = .escape } else if let key = Key.control(byte: byte) { keys.append(key) }
    }

    private mutating func decodeAfterEscape(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case Self.escape: break
        case UInt8(ascii: "["): state = .sequence([])
        case UInt8(ascii: "O"): state = .keypad
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            state = .string
        case 0x20...0x7f:
            state = .ground
            keys.append(.alt(Character(UnicodeScalar(byte))))
        case 0x08:
            state = .ground
            keys.append(.alt("\u{7f}"))
        default:
            state = .ground
            decodePlain(byte, &keys)
        }
    }

    private mutating func decode(_ byte: UInt8, in parameters: [UInt8], _ keys: inout [Key]) {
        switch byte {
        case 0x20...0x3f:
            // No key has a longer sequence; further bytes are ignored.
            if parameters.count < 32 { state = .sequence(parameters + [byte]) }
        case UInt8(ascii: "[") where parameters.isEmpty: state = .function
        case 0x40...0x7e:
            state = .ground
            if byte == UInt8(ascii: "~"), parameters == Array("200".utf8) {
                state = .paste(0)
            } else if let key = Key.sequence(parameters, byte) {
                keys.append(key)
            }
        default:
            state = .ground
            decodePlain(byte, &keys)
        }
    }

    private mutating func decodePasted(_ byte: UInt8, _ matched: Int, _ keys: inout [Key]) {
        if byte == Self.pasteEnd[matched] {
            guard matched + 1 == Self.pasteEnd.count else { return state = .paste(matched + 1) }
            state = .ground
            keys.append(.paste(Self.cleaned(pasted, keepingBreaks: true)))
            pasted = []
            return
        }
        add(pasted: Self.pasteEnd[..<matched])
        if byte == Self.escape { return state = .paste(1) }
        state = .paste(0)
        add(pasted: CollectionOfOne(byte))
    }

    private mutating func add(pasted bytes: some Collection<UInt8>) {
        // One byte more than the buffer's limit is enough for the text to be refused.
        if pasted.count <= EditBuffer.limit { pasted.append(contentsOf: bytes) }
    }

    private mutating func emitText(_ keys: inout [Key], isWhole: Bool) {
        let end = isWhole ? text.count : text.count - Self.incompleteSuffix(of: text)
        guard end > 0 else { return }
        let words = Self.cleaned(Array(text[..<end]), keepingBreaks: false)
        text.removeFirst(end)
        if !words.isEmpty { keys.append(.text(words)) }
    }

    /// The bytes as text, without control characters.
    private static func cleaned(_ bytes: [UInt8], keepingBreaks: Bool) -> String {
        var scalars = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\r" where keepingBreaks: scalars.append("\n")
            case "\n" where keepingBreaks: if !isAfterReturn { scalars.append("\n") }
            case "\t" where keepingBreaks: scalars.append(scalar)
            default: if scalar.properties.generalCategory != .control { scalars.append(scalar) }
            }
            isAfterReturn = scalar == "\r"
        }
        return String(scalars)
    }

    /// The number of bytes at the end that belong to an incomplete character.
    private static func incompleteSuffix(of bytes: [UInt8]) -> Int {
        for length in 1...3 where length <= bytes.count {
            let byte = bytes[bytes.count - length]
            if byte & 0xc0 == 0x80 { continue }
            let whole = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 ? 2 : 1
            return byte < 0xf8 && length < whole ? length : 0
        }
        return 0
    }
}
