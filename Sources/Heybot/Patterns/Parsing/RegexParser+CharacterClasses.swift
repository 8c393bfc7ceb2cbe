extension RegexParser {
    /// The members of a class that is being parsed.
    private struct ClassMembers {
        /// The characters that it may contain.
        var possible = PossibleCharacters(ascii: ByteSet(), hasOthers: false)
        /// The ASCII characters that it certainly contains, which its negation excludes.
        var certain = ByteSet()
        var isCertain = true

        mutating func insert(_ characters: PossibleCharacters, certain: ByteSet) {
            possible.formUnion(characters)
            self.certain.formUnion(certain)
        }
    }

    /// Parses a class, from after the opening bracket to its end.
    mutating func readClass() -> PossibleCharacters? { readMembers()?.possible }

    private mutating func readMembers() -> ClassMembers? {
        guard depth < Self.maxDepth else { return nil }
        depth += 1
        defer { depth -= 1 }
        // `[:name:]`, which may be longer than the parser reads.
        if next == UInt8(ascii: ":") { isPlain = false }
        if isSwift, let property = readNamedProperty() {
            var members = ClassMembers()
            members.insert(property, certain: ByteSet())
            return members
        }
        let isNegative = consume("^")
        // Swift rejects an empty class, or takes the bracket as a member.
        if next == UInt8(ascii: "]") { isPlain = false }
        var members = ClassMembers()
        while let byte = next {
            if byte == UInt8(ascii: "]") {
                position += 1
                return isNegative ? opposite(of: members) : members
            }
            guard readMember(byte, into: &members) else { return nil }
        }
        return nil
    }

    /// Parses `:name:]`, from after the bracket.
    private mutating func readNamedProperty() -> PossibleCharacters? {
        guard next == UInt8(ascii: ":") else { return nil }
        let start = position + 1
        guard let end = text[start...].prefix(64).firstIndex(of: UInt8(ascii: ":")), end + 1 < text.count,
            text[end + 1] == UInt8(ascii: "]")
        else { return nil }
        position = end + 2
        return .any
    }

    private func opposite(of members: ClassMembers) -> ClassMembers {
        var opposite = ClassMembers()
        let certain = members.isCertain ? members.certain : ByteSet()
        var ascii = ByteSet.ascii.subtracting(certain)
        // The lookalikes that are folded may be in the negation, and so may Swift's `\r\n`.
        ascii.formUnion(options.ignoresCase ? ASCIIFolding.results.inBothCases : ASCIIFolding.results)
        if isSwift { ascii.formUnion(ByteSet(ascii: "\r\n")) }
        opposite.possible = PossibleCharacters(ascii: ascii, hasOthers: true, hasClusters: isSwift)
        opposite.isCertain = false
        return opposite
    }

    /// Parses one member, a range, or a nested class.
    private mutating func readMember(_ byte: UInt8, into members: inout ClassMembers) -> Bool {
        if isSwift || hasSets {
            if byte == UInt8(ascii: "[") {
                isPlain = false
                position += 1
                guard isSwift, let inner = readMembers() else { return false }
                members.insert(inner.possible, certain: inner.isCertain ? inner.certain : ByteSet())
                return true
            }
            if isSwift, byte == UInt8(ascii: "\\"), consume("\\Q") {
                isPlain = false
                return readQuote(into: &members)
            }
            // A set operation yields a subset of the union. If the two characters are literals, they are printed alike.
            if byte == next(after: 1), byte < 0x80, !ByteSet.word.contains(byte), byte != UInt8(ascii: "\\") {
                guard isSwift else { return false }
                isPlain = false
                members.isCertain = false
            }
            if isSwift, byte == UInt8(ascii: "-") {
                isPlain = false
                insert(byte, into: &members)
                guard !consume("--") else { return true }
                position += 1
                return next == UInt8(ascii: "]")
            }
            if options.isExtended, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "#") { return false }
        }
        guard let low = readBound(into: &members) else { return false }
        // A hyphen at the end, or next to a class such as `\d`, is a literal in JavaScript.
        guard let low, next == UInt8(ascii: "-"), let behind = next(after: 1), behind != UInt8(ascii: "]") else {
            if let low {
                insert(low, into: &members)
            } else if next == UInt8(ascii: "-") {
                members.isCertain = false
            }
            return true
        }
        if isSwift, behind == UInt8(ascii: "-") {
            isPlain = false
            insert(low, into: &members)
            return true
        }
        position += 1
        guard let high = readBound(into: &members) else { return false }
        guard let high else {
            insert(low, into: &members)
            insert(UInt8(ascii: "-"), into: &members)
            return !isSwift
        }
        if !ByteSet.word.contains(low) || !ByteSet.word.contains(high) { isPlain = false }
        return insert(from: low, through: high, into: &members)
    }

    /// Parses a character in a class.
    ///
    /// Returns `.some(nil)` for a class such as `\d`, which it adds to the members.
    private mutating func readBound(into members: inout ClassMembers) -> UInt8?? {
        guard let byte = next else { return .none }
        position += 1
        guard byte == UInt8(ascii: "\\") else { return .some(byte) }
        if consume("b") {
            isPlain = false
            return .some(0x08)
        }
        if !isSwift, next == UInt8(ascii: "c") { return .none }
        if let shorthand = readShorthand() {
            members.insert(shorthand.characters, certain: shorthand.certain)
            return .some(nil)
        }
        if isSwift && (consume("R") || consume("X")) {
            isPlain = false
            members.insert(.any, certain: ByteSet())
            return .some(nil)
        }
        return readCharacterEscape().map { .some($0) } ?? .none
    }

    private func insert(_ mark: UInt8, into members: inout ClassMembers) {
        let certain = mark < 0x80 ? ByteSet(CollectionOfOne(mark)) : ByteSet()
        members.insert(PatternByteEncoding.characters(mark, ignoresCase: options.ignoresCase), certain: certain)
    }

    private func insert(from low: UInt8, through high: UInt8, into members: inout ClassMembers) -> Bool {
        if high < 0x80 {
            guard low <= high else { return false }
            let range = ByteSet(low...high)
            let ascii = options.ignoresCase ? range.inBothCases : range
            members.insert(PossibleCharacters(ascii: ascii, hasOthers: false), certain: range)
        } else {
            let range = low < 0x80 ? ByteSet(low...0x7f) : ByteSet()
            let ascii = range.union(ASCIIFolding.results).inBothCases
            members.insert(PossibleCharacters(ascii: ascii, hasOthers: true, hasClusters: isSwift), certain: range)
        }
        return true
    }

    /// Parses quoted text, up to `\E`.
    private mutating func readQuote(into members: inout ClassMembers) -> Bool {
        while let byte = next {
            if consume("\\E") { return true }
            position += 1
            insert(byte, into: &members)
        }
        return false
    }
}
