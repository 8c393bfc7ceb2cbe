extension RegexParser {
    /// Parses an escape outside of a class, from after the backslash; returns whether it is a literal character.
    mutating func readEscape() -> (RegexAST, isLiteral: Bool)? {
        guard let byte = next else { return nil }
        switch byte {
        case UInt8(ascii: "b"), UInt8(ascii: "B"):
            position += 1
            return (.boundary, false)
        case UInt8(ascii: "A"), UInt8(ascii: "z"), UInt8(ascii: "Z"), UInt8(ascii: "G"), UInt8(ascii: "y"),
            UInt8(ascii: "Y"), UInt8(ascii: "g"), UInt8(ascii: "R"), UInt8(ascii: "X"):
            isPlain = false
            return isSwift ? readSwiftEscape(byte).map { ($0, false) } : nil
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            position += 1
            isPlain = false
            if isSwift {
                _ = readNumber()
            } else if let digit = next, ByteSet.digits.contains(digit) {
                // It may be a character code.
                return nil
            }
            return (.anything, false)
        case UInt8(ascii: "k"):
            position += 1
            isPlain = false
            return consume("<") && readName(upTo: ">") ? (.anything, false) : nil
        default: break
        }
        if let shorthand = readShorthand() { return (.character(shorthand.characters), false) }
        return readCharacterEscape().map { (literal($0), true) }
    }

    /// Parses an escape that only Swift has.
    private mutating func readSwiftEscape(_ byte: UInt8) -> RegexAST? {
        position += 1
        switch byte {
        case UInt8(ascii: "A"): return .start
        case UInt8(ascii: "z"): return .end
        case UInt8(ascii: "R"): return .character(PossibleCharacters(ascii: Self.lineBreaks, hasOthers: true))
        case UInt8(ascii: "X"): return .character(.any)
        case UInt8(ascii: "g"): return consume("{") && readName(upTo: "}") ? .anything : nil
        default: return .boundary
        }
    }

    private static let lineBreaks = ByteSet(0x0a...0x0d)
    private static let blanks = ByteSet(ascii: "\t ")
    private static let plainShorthands = ByteSet(ascii: "dDwWsS")

    /// Parses a class such as `\d`, from after the backslash.
    ///
    /// - Returns: The characters, and the ASCII characters that it certainly contains; nil, without consuming anything, if it
    ///   isn't such a class.
    mutating func readShorthand() -> (characters: PossibleCharacters, certain: ByteSet)? {
        guard let byte = next else { return nil }
        let shorthand: (PossibleCharacters, ByteSet)
        switch byte {
        case UInt8(ascii: "d"):
            shorthand = positive(.digits, hasOthers: isSwift && !options.hasASCIIDigits)
        case UInt8(ascii: "w"):
            // Swift's may match a character that includes a following mark. JavaScript's contains the long s and the Kelvin
            // sign, which are folded.
            let hasOthers = isSwift && !options.hasASCIIWords
            shorthand = (PossibleCharacters(ascii: .word, hasOthers: hasOthers, hasClusters: hasOthers), .word)
        case UInt8(ascii: "s"):
            // In Swift it contains `\r\n`, even if it is restricted to ASCII.
            shorthand = positive(.space, hasOthers: true)
        case UInt8(ascii: "D"): shorthand = negative(.digits)
        case UInt8(ascii: "W"): shorthand = negative(.word)
        case UInt8(ascii: "S"): shorthand = negative(.space)
        case UInt8(ascii: "h") where isSwift: shorthand = positive(Self.blanks, hasOthers: true)
        case UInt8(ascii: "H") where isSwift: shorthand = negative(Self.blanks)
        case UInt8(ascii: "v") where isSwift: shorthand = positive(Self.lineBreaks, hasOthers: true)
        case UInt8(ascii: "V") where isSwift: shorthand = negative(Self.lineBreaks)
        case UInt8(ascii: "p"), UInt8(ascii: "P"):
            guard isSwift || isUnicode, next(after: 1) == UInt8(ascii: "{") else { return nil }
            let start = position + 2
            guard let end = text[start...].prefix(64).firstIndex(of: UInt8(ascii: "}")) else { return nil }
            shorthand = property(text[start..<end], isNegative: byte == UInt8(ascii: "P"))
            position = end
        default: return nil
        }
        if !Self.plainShorthands.contains(byte) { isPlain = false }
        position += 1
        return shorthand
    }

    private func positive(_ ascii: ByteSet, hasOthers: Bool) -> (PossibleCharacters, ByteSet) {
        (PossibleCharacters(ascii: ascii, hasOthers: hasOthers), ascii)
    }

    private func negative(_ ascii: ByteSet) -> (PossibleCharacters, ByteSet) {
        let rest = ByteSet.ascii.subtracting(ascii)
        // The lookalikes may be in the negation, in either case if case is ignored.
        let folded = options.ignoresCase ? ASCIIFolding.results.inBothCases : ASCIIFolding.results
        return (PossibleCharacters(ascii: rest.union(folded), hasOthers: true, hasClusters: isSwift), rest)
    }

    /// The characters of a Unicode property.
    ///
    /// For most properties, that is every character.
    func property(_ name: ArraySlice<UInt8>, isNegative: Bool) -> (PossibleCharacters, ByteSet) {
        if !isNegative {
            let name = String(decoding: name, as: UTF8.self)
            switch name {
            case "Nd": return (PossibleCharacters(ascii: .digits, hasOthers: true), ByteSet())
            case "White_Space": return (PossibleCharacters(ascii: .space, hasOthers: true), ByteSet())
            case "L", "Lu", "Ll", "Alphabetic", "Uppercase", "Lowercase":
                return (PossibleCharacters(ascii: .letters, hasOthers: true, hasClusters: isSwift), ByteSet())
            default: break
            }
        }
        return (.any, ByteSet())
    }

    /// Parses an escaped character, from after the backslash.
    mutating func readCharacterEscape() -> UInt8? {
        guard let byte = next, byte < 0x80 else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return 0x0a
        case UInt8(ascii: "r"): return 0x0d
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "f") where !isSwift: return 0x0c
        case UInt8(ascii: "v") where !isSwift: return 0x0b
        case UInt8(ascii: "0") where !isSwift:
            // Followed by a digit, it is an octal character code.
            if let digit = next, ByteSet.digits.contains(digit) { return nil }
            return 0
        case UInt8(ascii: "c") where !isSwift:
            guard let letter = next, ByteSet.letters.contains(letter) else { return nil }
            position += 1
            return letter & 0x1f
        case UInt8(ascii: "x") where !isSwift: return readHexadecimal(digits: 2)
        case UInt8(ascii: "u"):
            isPlain = false
            if isUnicode, consume("{") { return readBracedHexadecimal() }
            return readHexadecimal(digits: 4)
        case UInt8(ascii: "U") where isSwift:
            isPlain = false
            return readHexadecimal(digits: 8)
        default: return ByteSet.word.contains(byte) && byte != UInt8(ascii: "_") ? nil : byte
        }
    }

    private mutating func readHexadecimal(digits: Int) -> UInt8? {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = next.flatMap(Self.hexadecimal) else { return nil }
            value = value << 4 | digit
            position += 1
        }
        return PatternByteEncoding.mark(of: value)
    }

    private mutating func readBracedHexadecimal() -> UInt8? {
        var value: UInt32 = 0
        let start = position
        while let digit = next.flatMap(Self.hexadecimal), position - start < 8 {
            value = value << 4 | digit
            position += 1
        }
        return position > start && consume("}") ? PatternByteEncoding.mark(of: value) : nil
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}
