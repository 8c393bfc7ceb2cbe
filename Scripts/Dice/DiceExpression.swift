import Heybot

/// Dice to roll and numbers to add, such as `3d6+2`.
///
/// The terms are separated by `+` or `-`. Each is a number, or dice such as `3d6`, `d20`, or `d%`, which has 100 sides.
struct DiceExpression: Hashable {
    struct Term: Hashable {
        let isSubtracted: Bool
        /// The number of dice, or the number itself if there are no sides.
        let amount: Int
        /// The number of sides of each die; nil for a number.
        let sides: Int?
    }

    private static let mostBytes = 200
    private static let amounts = 0...10_000
    private static let sides = 2...1_000
    private static let dice = 1...100

    let terms: [Term]

    /// Parses an expression.
    ///
    /// - Throws: A refusal if it is invalid, or has too many dice.
    init(_ typed: Substring) throws(Refusal) {
        let refusal = Refusal(
            "I can't roll \(String(oneLine: typed, limit: 60)). Try: roll 3d6+2, roll d20 or roll d%.")
        guard typed.utf8.count <= Self.mostBytes else { throw refusal }
        var rest = typed.lowercased()[...]
        var terms: [Term] = []
        let term = /\s*(?<sign>[+\-]?)\s*(?:(?<count>[0-9]*)d(?<sides>[0-9]+|%)|(?<number>[0-9]+))\s*/
        while !rest.isEmpty {
            guard let match = rest.prefixMatch(of: term), match.sign.isEmpty == terms.isEmpty else { throw refusal }
            terms.append(
                try Self.term(
                    isSubtracted: match.sign == "-", count: match.count, sides: match.sides, number: match.number))
            rest = rest[match.range.upperBound...]
        }
        let count = terms.reduce(0) { $0 + ($1.sides == nil ? 0 : $1.amount) }
        guard count > 0 else { throw refusal }
        guard Self.dice ~= count else { throw Refusal("I can roll 1 to 100 dice.") }
        self.terms = terms
    }

    private static func term(
        isSubtracted: Bool, count: Substring?, sides: Substring?, number: Substring?
    ) throws(Refusal) -> Term {
        guard let sides else {
            guard let number = number.flatMap({ Int($0) }), amounts ~= number else {
                throw Refusal("I can add or subtract at most 10,000.")
            }
            return Term(isSubtracted: isSubtracted, amount: number, sides: nil)
        }
        guard let sides = sides == "%" ? 100 : Int(sides), Self.sides ~= sides else {
            throw Refusal("My dice have 2 to 1,000 sides.")
        }
        let count = count.flatMap { $0.isEmpty ? 1 : Int($0) }
        guard let count, dice ~= count else { throw Refusal("I can roll 1 to 100 dice.") }
        return Term(isSubtracted: isSubtracted, amount: count, sides: sides)
    }

    /// Rolls the dice, and formats the result: `(2 + 6 + 1) + 2 = 11`, or just the number if there is only one.
    func roll(_ die: (_ sides: Int) -> Int) -> String {
        var line = ""
        var sum = 0
        for term in terms {
            let values = term.sides.map { sides in (0..<term.amount).map { _ in die(sides) } } ?? [term.amount]
            let total = values.reduce(0, +)
            sum += term.isSubtracted ? -total : total
            // Parentheses separate dice from added numbers.
            let text = values.map(String.init).joined(separator: " + ")
            let shown = values.count > 1 && terms.count > 1 ? "(\(text))" : text
            line += line.isEmpty ? shown : " \(term.isSubtracted ? "-" : "+") \(shown)"
        }
        return line == "\(sum)" ? line : "\(line) = \(sum)"
    }
}
