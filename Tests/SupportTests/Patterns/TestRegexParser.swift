@testable import Heybot

/// A simple parser of patterns for tests: no names, no options except `(?i)` at the beginning, and no errors.
struct TestRegexParser {
    private var rest: Substring
    private var ignoresCase = false

    static func tree(_ text: String) -> RegexAST {
        var reader = Self(rest: text[...])
        if text.hasPrefix("(?i)") { (reader.rest, reader.ignoresCase) = (text.dropFirst(4), true) }
        return reader.alternatives()
    }

    private mutating func take(_ prefix: String) -> Bool {
        guard rest.hasPrefix(prefix) else { return false }
        rest = rest.dropFirst(prefix.count)
        return true
    }

    private mutating func alternatives() -> RegexAST {
        var all = [sequence()]
        while take("|") { all.append(sequence()) }
        return all.count == 1 ? all[0] : .alternatives(all)
    }

    private mutating func sequence() -> RegexAST {
        var all: [RegexAST] = []
        while let next = rest.first, next != "|", next != ")" { all.append(repetition()) }
        return all.isEmpty ? .empty : all.count == 1 ? all[0] : .sequence(all)
    }

    private mutating func repetition() -> RegexAST {
        let part = piece()
        var least = 0
        var most: Int?
        if take("*") {
        } else if take("+") {
            least = 1
        } else if take("?") {
            most = 1
        } else if take("{") {
            let numbers = rest.prefix { $0 != "}" }
            rest = rest.dropFirst(numbers.count + 1)
            let ends = numbers.split(separator: ",", omittingEmptySubsequences: false)
            least = Int(ends[0]) ?? 0
            most = ends.count == 1 ? least : Int(ends[1])
        } else {
            return part
        }
        let kind: RegexAST.RepetitionBehavior = take("+") ? .possessive : take("?") ? .reluctant : .eager
        return .repetition(part, least: least, most: most, kind)
    }

    private mutating func piece() -> RegexAST {
        let groups: [(String, (RegexAST) -> RegexAST)] = [
            ("(?:", { $0 }), ("(?>", { .atomic($0) }), ("(?=", { .lookaround($0, isNegative: false) }),
            ("(?!", { .lookaround($0, isNegative: true) }), ("(", { $0 })
        ]
        for (opening, make) in groups where take(opening) {
            if opening == "(", take("?<") { rest = rest.drop { $0 != ">" }.dropFirst() }
            let inside = alternatives()
            _ = take(")")
            return make(inside)
        }
        if take("[") { return .character(set()) }
        let next = rest.removeFirst()
        switch next {
        case "^": return .start
        case "$": return .end
        case ".": return .character(Self.shortForm("N"))
        case "\\":
            switch rest.first ?? "\\" {
            case "b", "B":
                rest.removeFirst()
                return .boundary
            case "1"..."9":
                rest.removeFirst()
                return .anything
            default: return .character(escape())
            }
        default: return .character(single(next))
        }
    }

    private func single(_ character: Character) -> PossibleCharacters {
        let cases = ignoresCase ? character.lowercased() + character.uppercased() : String(character)
        let ascii = cases.utf8.filter { $0 < 0x80 }
        return PossibleCharacters(ascii: ByteSet(ascii), hasOthers: ascii.isEmpty)
    }

    private mutating func escape() -> PossibleCharacters {
        let next = rest.removeFirst()
        switch next {
        case "d", "w", "s", "D", "W", "S": return Self.shortForm(next)
        case "n": return single("\n")
        case "t": return single("\t")
        case "r": return single("\r")
        default: return single(next)
        }
    }

    private mutating func set() -> PossibleCharacters {
        var all = PossibleCharacters(ascii: ByteSet(), hasOthers: false)
        let isNegated = take("^")
        while let next = rest.first, next != "]" {
            rest.removeFirst()
            let one = next == "\\" ? escape() : single(next)
            if rest.hasPrefix("-"), !rest.hasPrefix("-]"), let low = next.asciiValue {
                rest.removeFirst()
                let high = rest.removeFirst().asciiValue ?? low
                for byte in low...high { all.ascii.formUnion(single(Character(UnicodeScalar(byte))).ascii) }
            } else {
                all.ascii.formUnion(one.ascii)
                all.hasOthers = all.hasOthers || one.hasOthers
            }
        }
        _ = take("]")
        guard isNegated else { return all }
        return PossibleCharacters(ascii: ByteSet((0..<0x80).filter { !all.ascii.contains($0) }), hasOthers: true)
    }

    private static func shortForm(_ name: Character) -> PossibleCharacters {
        let isIn: (UInt8) -> Bool =
            switch name {
            case "d", "D": { (0x30...0x39).contains($0) }
            case "w", "W": { (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) || $0 == 0x5f }
            case "s", "S": { $0 == 0x20 || (9...13).contains($0) }
            default: { $0 == 10 }
            }
        let isNegated = name.isUppercase
        return PossibleCharacters(ascii: ByteSet((0..<0x80).filter { isIn($0) != isNegated }), hasOthers: true)
    }
}
