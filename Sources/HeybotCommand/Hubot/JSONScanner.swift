/// Reads JSON (RFC 8259, in UTF-8) a piece at a time, and tells where its names and values begin and end.
///
/// Nothing is kept of what it read but how the objects and arrays around it are nested.
struct JSONScanner {
    /// What stands where the scanner stopped.
    enum Event: Equatable {
        /// The opening quote of a member's name was read.
        case nameBegins
        /// Its closing quote was read.
        case nameEnds
        /// The first byte of a value was read.
        case valueBegins(isObject: Bool)
        /// The last byte of a value was read; of a number, which ends if something else comes, no more than that.
        case valueEnds
    }

    private enum State {
        case value, valueOrEnd, name, nameOrEnd, colon, commaOrEnd, end
        case text, escape, hexDigits, continuation
        case minus, zero, whole, point, fraction, exponent, exponentSign, exponentDigits
        case word
    }

    /// What is expected behind the text.
    static let nothingMore = "expected nothing more"

    /// How many objects and arrays a value may have around its innermost one, that one too: as many as Foundation reads.
    static let deepestValue = 512

    /// What ``depth`` may come to.
    var deepest = deepestValue
    /// How many objects and arrays are open.
    var depth: Int { isObject.count }
    /// Whether each of the open ones is an object, from the outside in.
    private var isObject: [Bool] = []
    private var state = State.value
    /// Whether the text being read is a member's name.
    private var isName = false
    private var hexDigitsLeft = 0
    private var continuationsLeft = 0
    /// What the next byte of a character may be.
    private var continuation: ClosedRange<UInt8> = 0x80...0xbf
    /// The rest of true, false or null, its next byte lowest.
    private var word: UInt32 = 0

    /// What is wrong with a text that should be one value, and the byte it is at, from 0; nil if nothing is.
    static func mistake(in text: [UInt8]) -> (offset: Int, mistake: JSONMistake)? {
        var scanner = JSONScanner()
        var position = 0
        do throws(JSONMistake) {
            while try scanner.next(in: text, at: &position) != nil {}
            try scanner.finish()
            return nil
        } catch {
            return (position, error)
        }
    }

    /// Goes on to the next event; nil if the piece is read to its end, and the next one is wanted.
    ///
    /// `position` comes out just past what was read, or at the byte that is wrong.
    mutating func next(in piece: [UInt8], at position: inout Int) throws(JSONMistake) -> Event? {
        while position < piece.count {
            if state == .text {
                // Most of what there is to read.
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
                guard readWithin(byte) else { throw mistake }
                position += 1
                if state == .word, word == 0 { return endValue() }
            case .minus, .zero, .whole, .point, .fraction, .exponent, .exponentSign, .exponentDigits:
                if let next = Self.number(state, byte) {
                    state = next
                    position += 1
                } else if isWholeNumber {
                    return endValue()
                } else {
                    throw mistake
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

    /// Throws unless the text may end here.
    func finish() throws(JSONMistake) {
        if state == .end || depth == 0 && isWholeNumber { return }
        throw JSONMistake("the text ends, \(mistake.expected)")
    }

    // MARK: Between texts, numbers and words

    /// Takes what begins a name or a value, ends an object or an array, or stands between them.
    private mutating func readToken(_ byte: UInt8) throws(JSONMistake) -> Event? {
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
            throw mistake
        }
    }

    private mutating func beginValue(_ byte: UInt8) throws(JSONMistake) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < deepest else {
                throw JSONMistake("expected objects and arrays no more than \(Self.deepestValue) deep")
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
        default: throw mistake
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

    // MARK: Within texts, numbers and words

    /// Takes a byte of a text that isn't plain.
    private mutating func readSpecial(_ byte: UInt8) throws(JSONMistake) {
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
        case 0x80...0xff: throw JSONMistake("expected UTF-8")
        default: throw JSONMistake("expected control characters in a text to be escaped")
        }
        state = .continuation
    }

    /// Takes a byte of an escape, a character or a word, and tells whether it may be there.
    private mutating func readWithin(_ byte: UInt8) -> Bool {
        switch state {
        case .escape:
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                state = .text
            case UInt8(ascii: "u"): (state, hexDigitsLeft) = (.hexDigits, 4)
            default: return false
            }
        case .hexDigits:
            guard JSONText.hexDigit(byte) != nil else { return false }
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

    /// Where a number goes on to with that byte; nil if it doesn't.
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

    /// Whether it is a number that may end here.
    private var isWholeNumber: Bool {
        switch state {
        case .zero, .whole, .fraction, .exponentDigits: true
        default: false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }

    /// Whether it means itself in a text: all of ASCII but quotes, backslashes and control characters.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private var mistake: JSONMistake {
        switch state {
        case .value: JSONMistake("expected a value")
        case .valueOrEnd: JSONMistake("expected a value or ]")
        case .name: JSONMistake("expected a name in double quotes")
        case .nameOrEnd: JSONMistake("expected a name in double quotes, or }")
        case .colon: JSONMistake("expected a colon")
        case .commaOrEnd: JSONMistake(isObject.last == true ? "expected a comma or }" : "expected a comma or ]")
        case .end: JSONMistake(Self.nothingMore)
        case .text: JSONMistake("expected a closing quote")
        case .escape: JSONMistake(#"expected one of " \ / b f n r t u after a \"#)
        case .hexDigits: JSONMistake(#"expected four hexadecimal digits after \u"#)
        case .continuation: JSONMistake("expected UTF-8")
        case .word: JSONMistake("expected true, false or null")
        case .minus, .zero, .whole, .point, .fraction, .exponent, .exponentSign, .exponentDigits:
            JSONMistake("expected a digit")
        }
    }
}

/// What a text that isn't JSON should have had at some place.
struct JSONMistake: Error, Hashable {
    /// As `expected a colon`.
    let expected: String

    init(_ expected: String) {
        self.expected = expected
    }
}
