import HeybotSupport

/// Scans JSON (RFC 8259, in UTF-8) in chunks, and reports where names and values begin and end.
///
/// It keeps only the nesting of open objects and arrays in memory.
struct JSONScanner {
    /// The event at which the scanner stopped.
    enum Event: Equatable {
        /// The opening quote of a member's name was read.
        case nameBegins
        /// The closing quote of a member's name was read.
        case nameEnds
        /// The first byte of a value was read.
        case valueBegins(isObject: Bool)
        /// The last byte of a value was read. A number ends before the byte that follows it, which isn't read yet.
        case valueEnds
    }

    private enum State {
        case value, valueOrEnd, name, nameOrEnd, colon, commaOrEnd, end
        case text, escape, hexDigits, continuation
        case minus, zero, whole, point, fraction, exponent, exponentSign, exponentDigits
        case word
    }

    /// The error if something follows the text.
    static let nothingMore = "expected the end of the text"

    /// The maximum nesting of a value, the same as Foundation's.
    static let maxValueDepth = 512

    /// The maximum of ``depth``.
    var maxDepth = maxValueDepth
    /// The number of open objects and arrays.
    var depth: Int { isObject.count }
    /// Whether each open one is an object, from the outside in.
    private var isObject: [Bool] = []
    private var state = State.value
    /// Whether the current string is a member's name.
    private var isName = false
    private var hexDigitsLeft = 0
    private var continuationsLeft = 0
    /// The valid range of the next byte of a character.
    private var continuation: ClosedRange<UInt8> = 0x80...0xbf
    /// The rest of true, false or null.
    ///
    /// The next byte is the lowest.
    private var word: UInt32 = 0

    /// Returns the syntax error of a text that should be one value, and its offset in bytes; nil if it is valid.
    static func syntaxError(in text: [UInt8]) -> (offset: Int, syntaxError: JSONSyntaxError)? {
        var scanner = JSONScanner()
        var position = 0
        do throws(JSONSyntaxError) {
            while try scanner.next(in: text, at: &position) != nil {}
            try scanner.finish()
            return nil
        } catch {
            return (position, error)
        }
    }

    /// Scans to the next event; returns nil at the end of the chunk.
    ///
    /// Afterwards `position` is after the last scanned byte, or at the invalid byte.
    mutating func next(in piece: [UInt8], at position: inout Int) throws(JSONSyntaxError) -> Event? {
        while position < piece.count {
            if state == .text {
                // Most bytes are plain text.
                while position < piece.count, Self.isPlain(piece[position]) { position += 1 }
                if position == piece.count { break }
            }
            let byte = piece[position]
            switch state {
            case .text:
                if byte == UInt8(ascii: "\"") {
                    position += 1
                    return endText()
                }
                try readSpecial(byte)
                position += 1
            case .escape, .hexDigits, .continuation, .word:
                guard readWithin(byte) else { throw syntaxError }
                position += 1
                if state == .word, word == 0 { return endValue() }
            case .minus, .zero, .whole, .point, .fraction, .exponent, .exponentSign, .exponentDigits:
                if let next = Self.number(state, byte) {
                    state = next
                    position += 1
                } else if isWholeNumber {
                    return endValue()
                } else {
                    throw syntaxError
                }
            case .value, .valueOrEnd, .name, .nameOrEnd, .colon, .commaOrEnd, .end:
                if Self.isSpace(byte) {
                    position += 1
                    continue
                }
                let event = try readToken(byte)
                position += 1
                if let event { return event }
            }
        }
        return nil
    }

    /// Ends the text.
    ///
    /// - Throws: An error if the text is incomplete.
    func finish() throws(JSONSyntaxError) {
        if state == .end || depth == 0 && isWholeNumber { return }
        throw JSONSyntaxError("the text ends too soon; \(syntaxError.expected)")
    }

    // MARK: Tokens

    /// Reads a byte that begins a name or value, ends an object or array, or separates them.
    private mutating func readToken(_ byte: UInt8) throws(JSONSyntaxError) -> Event? {
        switch (state, byte) {
        case (.nameOrEnd, UInt8(ascii: "}")), (.valueOrEnd, UInt8(ascii: "]")),
            (.commaOrEnd, UInt8(ascii: "}")) where isObject.last == true,
            (.commaOrEnd, UInt8(ascii: "]")) where isObject.last == false:
            isObject.removeLast()
            return endValue()
        case (.value, _), (.valueOrEnd, _):
            try beginValue(byte)
            return .valueBegins(isObject: byte == UInt8(ascii: "{"))
        case (.name, UInt8(ascii: "\"")), (.nameOrEnd, UInt8(ascii: "\"")):
            (state, isName) = (.text, true)
            return .nameBegins
        case (.colon, UInt8(ascii: ":")):
            state = .value
            return nil
        case (.commaOrEnd, UInt8(ascii: ",")):
            state = isObject.last == true ? .name : .value
            return nil
        default:
            throw syntaxError
        }
    }

    private mutating func beginValue(_ byte: UInt8) throws(JSONSyntaxError) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < maxDepth else {
                throw JSONSyntaxError("expected at most \(Self.maxValueDepth) levels of nested objects and arrays")
            }
            isObject.append(byte == UInt8(ascii: "{"))
            state = byte == UInt8(ascii: "{") ? .nameOrEnd : .valueOrEnd
        case UInt8(ascii: "\""): (state, isName) = (.text, false)
        case UInt8(ascii: "-"): state = .minus
        case UInt8(ascii: "0"): state = .zero
        case UInt8(ascii: "1")...UInt8(ascii: "9"): state = .whole
        case UInt8(ascii: "t"): (state, word) = (.word, 0x65_7572)
        case UInt8(ascii: "f"): (state, word) = (.word, 0x6573_6c61)
        case UInt8(ascii: "n"): (state, word) = (.word, 0x6c_6c75)
        default: throw syntaxError
        }
    }

    private mutating func endValue() -> Event {
        state = isObject.isEmpty ? .end : .commaOrEnd
        return .valueEnds
    }

    private mutating func endText() -> Event {
        guard isName else { return endValue() }
        state = .colon
        return .nameEnds
    }

    // MARK: Strings, numbers and literals

    /// Reads a byte of a string that isn't plain.
    private mutating func readSpecial(_ byte: UInt8) throws(JSONSyntaxError) {
        switch byte {
        case UInt8(ascii: "\\"):
            state = .escape
            return
        case 0xc2...0xdf: (continuationsLeft, continuation) = (1, 0x80...0xbf)
        case 0xe0: (continuationsLeft, continuation) = (2, 0xa0...0xbf)
        case 0xed: (continuationsLeft, continuation) = (2, 0x80...0x9f)
        case 0xe1...0xef: (continuationsLeft, continuation) = (2, 0x80...0xbf)
        case 0xf0: (continuationsLeft, continuation) = (3, 0x90...0xbf)
        case 0xf1...0xf3: (continuationsLeft, continuation) = (3, 0x80...0xbf)
        case 0xf4: (continuationsLeft, continuation) = (3, 0x80...0x8f)
        case 0x80...0xff: throw JSONSyntaxError("expected UTF-8")
        default: throw JSONSyntaxError("expected control characters in a text to be escaped")
        }
        state = .continuation
    }

    /// Reads a byte of an escape, a character or a literal; returns whether it is valid.
    private mutating func readWithin(_ byte: UInt8) -> Bool {
        switch state {
        case .escape:
            switch byte {
            case UInt8(ascii: "u"): (state, hexDigitsLeft) = (.hexDigits, 4)
            case _ where JSONEscape.scalar(byte) != nil: state = .text
            default: return false
            }
        case .hexDigits:
            guard JSONStringEscaping.hexDigit(byte) != nil else { return false }
            hexDigitsLeft -= 1
            if hexDigitsLeft == 0 { state = .text }
        case .continuation:
            guard continuation.contains(byte) else { return false }
            continuationsLeft -= 1
            continuation = 0x80...0xbf
            if continuationsLeft == 0 { state = .text }
        default:
            guard word & 0xff == byte else { return false }
            word >>= 8
        }
        return true
    }

    /// The state of a number after the byte; nil if the byte doesn't belong to the number.
    private static func number(_ state: State, _ byte: UInt8) -> State? {
        let isDigit = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        let isExponent = byte | 0x20 == UInt8(ascii: "e")
        return switch state {
        case .minus: byte == UInt8(ascii: "0") ? .zero : isDigit ? .whole : nil
        case .whole where isDigit: .whole
        case .zero, .whole: byte == UInt8(ascii: ".") ? .point : isExponent ? .exponent : nil
        case .point: isDigit ? .fraction : nil
        case .fraction: isDigit ? .fraction : isExponent ? .exponent : nil
        case .exponent where byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"): .exponentSign
        case .exponent, .exponentSign, .exponentDigits: isDigit ? .exponentDigits : nil
        default: nil
        }
    }

    /// Whether the current number may end here.
    private var isWholeNumber: Bool {
        switch state {
        case .zero, .whole, .fraction, .exponentDigits: true
        default: false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }

    /// Whether the byte is ASCII, and not a quote, backslash or control character.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private var syntaxError: JSONSyntaxError {
        switch state {
        case .value: JSONSyntaxError("expected a value")
        case .valueOrEnd: JSONSyntaxError("expected a value or ]")
        case .name: JSONSyntaxError("expected a name in double quotes")
        case .nameOrEnd: JSONSyntaxError("expected a name in double quotes, or }")
        case .colon: JSONSyntaxError("expected a colon")
        case .commaOrEnd: JSONSyntaxError(isObject.last == true ? "expected a comma or }" : "expected a comma or ]")
        case .end: JSONSyntaxError(Self.nothingMore)
        case .text: JSONSyntaxError("expected a closing quote")
        case .escape: JSONSyntaxError(#"expected one of " \ / b f n r t u after a \"#)
        case .hexDigits: JSONSyntaxError(#"expected four hexadecimal digits after \u"#)
        case .continuation: JSONSyntaxError("expected UTF-8")
        case .word: JSONSyntaxError("expected true, false or null")
        case .minus, .zero, .whole, .point, .fraction, .exponent, .exponentSign, .exponentDigits:
            JSONSyntaxError("expected a digit")
        }
    }
}

/// What was expected at the position of a syntax error.
struct JSONSyntaxError: Error, Hashable {
    /// The text, such as `expected a colon`.
    let expected: String

    init(_ expected: String) {
        self.expected = expected
    }
}
