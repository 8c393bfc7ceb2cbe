extension PhraseParser {
    /// Takes a whole number in digits or words, such as `20`, `twenty` or `twenty-five`.
    mutating func cardinal() -> Int? {
        if let number = self.number(0...999_999_999) { return number }
        return numberWord()
    }

    /// Takes a number from 1 to 99 in words.
    mutating func numberWord() -> Int? {
        guard let word = next, word.kind == .word else { return nil }
        if let index = Self.ones.firstIndex(of: word.text) {
            position += 1
            return index + 1
        }
        guard let index = Self.tens.firstIndex(of: word.text) else { return nil }
        position += 1
        let tens = (index + 2) * 10
        let ones: Int? = attempt { parser in
            _ = parser.takeGlued("-")
            guard let word = parser.next?.text, let index = Self.ones.prefix(9).firstIndex(of: word) else { return nil }
            parser.position += 1
            return index + 1
        }
        return tens + (ones ?? 0)
    }

    /// Takes an ordinal from 1 to 31, such as `3rd`, `third` or `twenty-first`.
    mutating func ordinal() -> Int? {
        attempt { parser in
            if let number = parser.number(1...31) {
                guard let suffix = parser.next, suffix.isGlued, ["st", "nd", "rd", "th"].contains(suffix.text) else {
                    return nil
                }
                parser.position += 1
                return number
            }
            guard let word = parser.next?.text else { return nil }
            if let index = Self.ordinals.firstIndex(of: word) {
                parser.position += 1
                return index + 1
            }
            guard word == "twenty" || word == "thirty" else { return nil }
            parser.position += 1
            _ = parser.takeGlued("-")
            guard let last = parser.next?.text, let index = Self.ordinals.prefix(9).firstIndex(of: last) else {
                return nil
            }
            parser.position += 1
            let number = (word == "twenty" ? 20 : 30) + index + 1
            return number <= 31 ? number : nil
        }
    }

    private static let ones = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
        "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"
    ]
    private static let tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    private static let ordinals = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
        "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
        "twentieth"
    ]
}
