extension PatternGenerator {
    private static let noise = [
        "a", "b", "k", "S", " ", "7", "-", "\u{e9}", "e\u{301}", "\u{301}", "\r\n", "\n", ";", "`", "_", "\u{1f44d}",
        "x",
        "hello", "me", "the ", "ABC-12 ", "\u{fe0f}", "\u{200d}", "\u{600}"
    ]
    private static let swaps: [Character: [Character]] = [
        "k": ["\u{212a}", "K"], "K": ["\u{212a}", "k"], "s": ["\u{17f}", "S"], "S": ["\u{17f}", "s"], ";": ["\u{37e}"],
        "`": ["\u{1fef}"], "\u{e9}": ["\u{c9}"]
    ]

    /// A text that may match the pattern, or nearly.
    public mutating func message(near pattern: String) -> String {
        switch number(1...12) {
        case 1: return (0..<number(0...5)).map { _ in Self.noise[number(0...Self.noise.count - 1)] }.joined()
        case 2: return Self.unrelated[number(0...Self.unrelated.count - 1)]
        default: break
        }
        var reader = Array(pattern)[...]
        var text = Array(example(of: &reader).prefix(40))
        for _ in 0..<(isOnce(in: 3) ? 0 : number(1...3)) { change(&text) }
        var message = String(text)
        if isOnce(in: 3) { message = Self.noise[number(0...Self.noise.count - 1)] + message }
        if isOnce(in: 3) { message += Self.noise[number(0...Self.noise.count - 1)] }
        return message
    }

    private static let unrelated = [
        "", " ", "hello there", "what is the status?", "please deploy it", "LUNCH", "see ABC-123", "ok", "12345",
        "\u{1f44d}",
        "a longer message that says nothing much at all", "karma++"
    ]

    private mutating func change(_ text: inout [Character]) {
        guard !text.isEmpty else { return }
        let place = number(0...text.count - 1)
        switch number(1...7) {
        case 1: text[place] = Character(text[place].uppercased().prefix(1).description)
        case 2: text[place] = Character(text[place].lowercased().prefix(1).description)
        case 3...4:
            for place in text.indices {
                guard let others = Self.swaps[text[place]], !isOnce(in: 3) else { continue }
                text[place] = others[number(0...others.count - 1)]
            }
        case 5: text.remove(at: place)
        case 6: text = Array(String(text).uppercased())
        default: text.insert(contentsOf: Self.noise[number(0...Self.noise.count - 1)], at: place)
        }
    }

    // MARK: Examples

    /// A text made by going through the pattern, choosing at random; not always one that matches.
    private mutating func example(of pattern: inout ArraySlice<Character>) -> String {
        var branches = [""]
        var last = ""
        while let character = pattern.first, character != ")" {
            pattern.removeFirst()
            switch character {
            case "|":
                branches[branches.count - 1] += last
                branches.append("")
                last = ""
            case "?", "*", "+", "{":
                last = repeated(last, character, &pattern)
            default:
                branches[branches.count - 1] += last
                last = exampleItem(character, &pattern)
            }
        }
        branches[branches.count - 1] += last
        return branches[number(0...branches.count - 1)]
    }

    private mutating func repeated(
        _ text: String, _ character: Character, _ pattern: inout ArraySlice<Character>
    ) -> String {
        var least = character == "+" ? 1 : 0
        if character == "{" {
            let counts = pattern.prefix { $0 != "}" }
            pattern = pattern.dropFirst(counts.count + 1)
            least = Int(String(counts.prefix { $0.isNumber })) ?? 0
        }
        let count = least + (character == "?" ? number(0...1) : character == "{" ? 0 : number(0...2))
        return String(repeating: text, count: min(count, 4))
    }

    private mutating func exampleItem(_ character: Character, _ pattern: inout ArraySlice<Character>) -> String {
        switch character {
        case "(":
            let isNegative = pattern.starts(with: "?!") || pattern.starts(with: "?<!") || pattern.starts(with: "?#")
            if pattern.first == "?" {
                let head = pattern.prefix { !":>=!)#".contains($0) }
                let end = pattern.dropFirst(head.count).first
                pattern = end == ")" ? pattern.dropFirst(head.count) : pattern.dropFirst(head.count + 1)
            }
            let text = example(of: &pattern)
            pattern = pattern.dropFirst()
            return isNegative ? "" : text
        case "[":
            var members: [String] = []
            while let member = pattern.first, member != "]" {
                pattern.removeFirst()
                members.append(member == "\\" ? escaped(&pattern) : String(member))
            }
            pattern = pattern.dropFirst()
            return members.isEmpty ? "" : members[number(0...members.count - 1)]
        case "\\": return escaped(&pattern)
        case ".": return isOnce(in: 2) ? "x" : "\u{e9}"
        case "^", "$": return ""
        default: return String(character)
        }
    }

    private mutating func escaped(_ pattern: inout ArraySlice<Character>) -> String {
        guard let letter = pattern.popFirst() else { return "" }
        switch letter {
        case "d": return String(number(0...9))
        case "w": return isOnce(in: 2) ? "k" : "Z"
        case "s", "h": return " "
        case "n", "v", "R": return isOnce(in: 2) ? "\n" : "\r\n"
        case "r": return "\r"
        case "D", "W", "H": return "-"
        case "S", "V", "X": return "s"
        case "b", "B", "A", "z", "Z", "Q", "E": return ""
        case "p", "P":
            pattern = pattern.drop { $0 != "}" }.dropFirst()
            return isOnce(in: 2) ? "L" : "7"
        case "x": return hexadecimal(&pattern, digits: 2)
        case "u": return hexadecimal(&pattern, digits: 4)
        default: return String(letter)
        }
    }

    private func hexadecimal(_ pattern: inout ArraySlice<Character>, digits: Int) -> String {
        var text = pattern.prefix(digits)
        if pattern.first == "{" {
            text = pattern.dropFirst().prefix { $0 != "}" }
            pattern = pattern.dropFirst(2)
        }
        pattern = pattern.dropFirst(text.count)
        return UInt32(String(text), radix: 16).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
    }
}
