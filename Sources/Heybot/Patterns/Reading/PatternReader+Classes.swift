extension PatternReader {
    /// A class being put together.
    private struct Members {
        /// What it may have.
        var possible = CharacterClass(ascii: ByteSet(), hasOthers: false)
        /// The ASCII characters that it has for sure: those aren't in its opposite.
        var certain = ByteSet()
        var isCertain = true

        mutating func insert(_ characters: CharacterClass, certain: ByteSet) {
            possible.formUnion(characters)
            self.certain.formUnion(certain)
        }
    }

    /// From behind an opening bracket to its end.
    mutating func readClass() -> CharacterClass? { readMembers()?.possible }

    private mutating func readMembers() -> Members? {
        guard depth < Self.deepest else { return nil }
        depth += 1
        defer { depth -= 1 }
        if isSwift, let property = readNamedProperty() {
            var members = Members()
            members.insert(property, certain: ByteSet())
            return members
        }
        let isNegative = take("^")
        var members = Members()
        while let byte = next {
            if byte == UInt8(ascii: "]") {
                position += 1
                return isNegative ? opposite(of: members) : members
            }
            guard readMember(byte, into: &members) else { return nil }
        }
        return nil
    }

    /// `:name:]`, from behind the bracket.
    private mutating func readNamedProperty() -> CharacterClass? {
        guard next == UInt8(ascii: ":") else { return nil }
        let start = position + 1
        guard let end = text[start...].prefix(64).firstIndex(of: UInt8(ascii: ":")), end + 1 < text.count,
            text[end + 1] == UInt8(ascii: "]")
        else { return nil }
        position = end + 2
        return .any
    }

    private func opposite(of members: Members) -> Members {
        var opposite = Members()
        let certain = members.isCertain ? members.certain : ByteSet()
        var ascii = ByteSet.ascii.subtracting(certain)
        // Those that are folded may be among the others, and so may Swift's line break of two.
        ascii.formUnion(options.ignoresCase ? Folding.results.inBothCases : Folding.results)
        if isSwift { ascii.formUnion(ByteSet(ascii: "\r\n")) }
        opposite.possible = CharacterClass(ascii: ascii, hasOthers: true, hasClusters: isSwift)
        opposite.isCertain = false
        return opposite
    }

    /// One member, a range, or a class in the class.
    private mutating func readMember(_ byte: UInt8, into members: inout Members) -> Bool {
        if isSwift || hasSets {
            if byte == UInt8(ascii: "[") {
                position += 1
                guard isSwift, let inner = readMembers() else { return false }
                members.insert(inner.possible, certain: inner.isCertain ? inner.certain : ByteSet())
                return true
            }
            if isSwift, take("\\Q") { return readQuote(into: &members) }
            // A set of two sets is part of both together. The two signs are printed alike if they mean themselves.
            if byte == next(after: 1), byte < 0x80, !ByteSet.word.contains(byte), byte != UInt8(ascii: "\\") {
                guard isSwift else { return false }
                members.isCertain = false
            }
            if isSwift, byte == UInt8(ascii: "-") {
                insert(byte, into: &members)
                guard !take("--") else { return true }
                position += 1
                return next == UInt8(ascii: "]")
            }
            if options.isExtended, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "#") { return false }
        }
        guard let low = readBound(into: &members) else { return false }
        // A hyphen at the end, or behind or before a class such as `\d`, means itself in JavaScript.
        guard let low, next == UInt8(ascii: "-"), let behind = next(after: 1), behind != UInt8(ascii: "]") else {
            if let low {
                insert(low, into: &members)
            } else if next == UInt8(ascii: "-") {
                members.isCertain = false
            }
            return true
        }
        if isSwift, behind == UInt8(ascii: "-") {
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
        return insert(from: low, through: high, into: &members)
    }

    /// A character in a class: `.some(nil)` if it is a class such as `\d`, which is put among the members.
    private mutating func readBound(into members: inout Members) -> UInt8?? {
        guard let byte = next else { return .none }
        position += 1
        guard byte == UInt8(ascii: "\\") else { return .some(byte) }
        if take("b") { return .some(0x08) }
        if !isSwift, next == UInt8(ascii: "c") { return .none }
        if let shorthand = readShorthand() {
            members.insert(shorthand.characters, certain: shorthand.certain)
            return .some(nil)
        }
        if isSwift && (take("R") || take("X")) {
            members.insert(.any, certain: ByteSet())
            return .some(nil)
        }
        return readCharacterEscape().map { .some($0) } ?? .none
    }

    private func insert(_ mark: UInt8, into members: inout Members) {
        let certain = mark < 0x80 ? ByteSet(CollectionOfOne(mark)) : ByteSet()
        members.insert(PatternText.characters(mark, ignoresCase: options.ignoresCase), certain: certain)
    }

    private func insert(from low: UInt8, through high: UInt8, into members: inout Members) -> Bool {
        if high < 0x80 {
            guard low <= high else { return false }
            let range = ByteSet(low...high)
            let ascii = options.ignoresCase ? range.inBothCases : range
            members.insert(CharacterClass(ascii: ascii, hasOthers: false), certain: range)
        } else {
            let range = low < 0x80 ? ByteSet(low...0x7f) : ByteSet()
            let ascii = range.union(Folding.results).inBothCases
            members.insert(CharacterClass(ascii: ascii, hasOthers: true, hasClusters: isSwift), certain: range)
        }
        return true
    }

    /// What stands for itself up to `\E`.
    private mutating func readQuote(into members: inout Members) -> Bool {
        while let byte = next {
            if take("\\E") { return true }
            position += 1
            insert(byte, into: &members)
        }
        return false
    }
}
