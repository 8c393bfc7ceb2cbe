/// Parses and evaluates an expression.
///
/// Precedence from lowest to highest: conversions (`in`, `to`), sums, products, signs, adjacent operands (`2 pi`,
/// `5 ft 11 in`), powers, and postfix operators (`!`, `%`, `²`).
struct Parser {
    /// The maximum nesting of parentheses, powers and functions.
    static let deepest = 100

    private let tokens: [Token]
    private var position = 0
    private var depth = 0

    init(_ tokens: [Token]) {
        self.tokens = tokens
    }

    /// Evaluates the whole text.
    mutating func result() throws(CalculationError) -> Quantity {
        guard !tokens.isEmpty else { throw .nothing }
        let result = try expression()
        if let next { throw next.isSign(")") ? .unopened : .notUnderstood(next.text) }
        return result.quantity
    }

    // MARK: Tokens

    private var next: Token? { token(0) }

    private func token(_ offset: Int) -> Token? {
        let index = position + offset
        return tokens.indices.contains(index) ? tokens[index] : nil
    }

    private func word(_ offset: Int = 0) -> String? {
        guard case .name(let name) = token(offset) else { return nil }
        return name.lowercased()
    }

    private func isNumber(_ offset: Int = 0) -> Bool {
        if case .number = token(offset) { true } else { false }
    }

    @inline(never)
    private mutating func take(_ sign: Character) -> Bool {
        guard next?.isSign(sign) == true else { return false }
        position += 1
        return true
    }

    @inline(never)
    private mutating func take(_ words: [String]) -> Bool {
        guard let word = word(), words.contains(word) else { return false }
        position += 1
        return true
    }

    private mutating func takeNumber() -> Operand? {
        guard case .number(let number, _) = next else { return nil }
        position += 1
        return Operand(Quantity(number), .number)
    }

    private func missing() -> CalculationError {
        token(-1).map { .missing(after: $0.text) } ?? .nothing
    }

    /// Parses a nested part, and counts its level.
    private mutating func nested(
        _ read: (inout Parser) throws(CalculationError) -> Operand
    ) throws(CalculationError) -> Operand {
        guard depth < Self.deepest else { throw .tooDeep }
        depth += 1
        defer { depth -= 1 }
        return try read(&self)
    }

    // MARK: Conversions

    /// The words between operands, which aren't units.
    private static let joints: Set = [
        "to", "into", "as", "of", "per", "mod", "plus", "minus", "times", "x", "squared", "cubed", "over"
    ]

    private mutating func expression() throws(CalculationError) -> Operand {
        var value = try sum()
        while isConversion {
            position += 1
            if let style = style() {
                value = try value.written(style)
            } else {
                guard let text = next?.text else { throw missing() }
                value = try value.converted(to: product(), text)
            }
        }
        return value
    }

    /// Whether the next word begins a conversion.
    ///
    /// `in` does, unless it means inch: at the end, or before another `in`.
    @inline(never)
    private var isConversion: Bool {
        switch word() {
        case "to", "into", "as": true
        case "in": token(1)?.isSign("%") == true || isTarget(1) && !(word(1) == "in" && isTarget(2))
        default: false
        }
    }

    private func isTarget(_ offset: Int) -> Bool {
        guard let word = word(offset) else { return false }
        return !Self.joints.contains(word)
    }

    private static let styles: [String: NumberStyle] = [
        "hex": .base(16), "hexadecimal": .base(16), "binary": .base(2), "bin": .base(2), "octal": .base(8),
        "oct": .base(8), "decimal": .decimal, "dec": .decimal, "decimals": .decimal, "percent": .percent,
        "fraction": .fraction
    ]

    /// Parses a number format, if the next word is one.
    @inline(never)
    private mutating func style() -> NumberStyle? {
        if take("%") { return .percent }
        if word() == "a", let style = word(1).flatMap({ Self.styles[$0] }) {
            position += 2
            return style
        }
        if word() == "base", case .number(let base, _) = token(1) {
            position += 2
            return .base(base.whole?.word ?? 0)
        }
        guard let style = word().flatMap({ Self.styles[$0] }) else { return nil }
        position += 1
        return style
    }

    // MARK: Sums and products

    private mutating func sum() throws(CalculationError) -> Operand {
        var left = try product()
        while true {
            let isSum = take("+") || take(["plus"])
            guard isSum || take("-") || take(["minus"]) else { return left }
            left = try left.adding(product(), isSum: isSum)
        }
    }

    private mutating func product() throws(CalculationError) -> Operand {
        var left = try signed()
        while true {
            if take("*") || take(["times", "x", "of"]) {
                left = try left.times(signed())
            } else if take("/") || take(["per", "over"]) {
                left = try divided(left)
            } else if take(["mod"]) {
                left = try left.remainder(by: signed())
            } else {
                return left
            }
        }
    }

    /// Parses a divisor: adjacent operands belong together, as in 100 km / 2 h, but not after a fraction, as in 1/2 cup.
    private mutating func divided(_ left: Operand) throws(CalculationError) -> Operand {
        guard left.form == .number, !isRaised(1), !isNumber(1), let number = takeNumber() else {
            return try left.divided(by: signed())
        }
        let fraction = try left.divided(by: number)
        return startsFactor ? try run(from: fraction) : fraction
    }

    /// Whether an operator with a higher precedence than division follows.
    private func isRaised(_ offset: Int) -> Bool {
        switch token(offset) {
        case .power, .sign("^"), .sign("!"), .sign("%"): true
        default: false
        }
    }

    private mutating func signed() throws(CalculationError) -> Operand {
        let isNegative = takeSigns()
        let value = try together()
        return isNegative ? value.negated() : value
    }

    /// Parses signs, and returns whether the number of minus signs is odd.
    @inline(never)
    private mutating func takeSigns() -> Bool {
        var isNegative = false
        while true {
            if take("-") || take(["minus"]) { isNegative.toggle() } else if !take("+") { return isNegative }
        }
    }

    // MARK: Adjacent operands

    /// Parses quantities that are added because a number follows a unit: 5 ft 11 in.
    private mutating func together() throws(CalculationError) -> Operand {
        var value = try run(from: power())
        while value.form == .unit, isNumber() {
            value = try value.followed(by: run(from: power()))
        }
        return value
    }

    /// Parses factors without an operator: 2 pi, 3(4+1), 2 km.
    private mutating func run(from first: Operand) throws(CalculationError) -> Operand {
        var value = first
        while startsFactor {
            guard value.form != .percent else { throw .percentFollowed }
            let factor = try power()
            value = try value.times(factor, factor.form)
        }
        guard value.form != .percent || !isNumber() else { throw .percentFollowed }
        return value
    }

    @inline(never)
    private var startsFactor: Bool {
        switch next {
        case .name: !isConversion && word().map { $0 != "percent" && !Self.joints.contains($0) } == true
        case .sign("("), .sign("√"): true
        default: false
        }
    }

    // MARK: Powers and postfix operators

    private mutating func power() throws(CalculationError) -> Operand {
        let base = try postfixed()
        guard take("^") else { return base }
        return try base.power(nested { (parser) throws(CalculationError) in try parser.exponent() })
    }

    private mutating func exponent() throws(CalculationError) -> Operand {
        let isNegative = takeSigns()
        let value = try power()
        return isNegative ? value.negated() : value
    }

    private mutating func postfixed() throws(CalculationError) -> Operand {
        var value = try primary()
        while true {
            if take("!") {
                value = try value.factorial()
            } else if take("%") || take(["percent"]) {
                value = try value.percent()
            } else if let power = raised() {
                value = try value.power(power)
            } else {
                return value
            }
        }
    }

    @inline(never)
    private mutating func raised() -> Operand? {
        if case .power(let power, _) = next {
            position += 1
            return Operand(Quantity(Number(power)))
        }
        if take(["squared"]) { return Operand(Quantity(Number(2))) }
        return take(["cubed"]) ? Operand(Quantity(Number(3))) : nil
    }

    private mutating func primary() throws(CalculationError) -> Operand {
        if let literal = try literal() { return literal }
        if take("(") {
            let inside = try nested { (parser) throws(CalculationError) in try parser.expression() }
            try close()
            return Operand(inside.quantity)
        }
        if take("√") {
            return try nested { (parser) throws(CalculationError) in try parser.postfixed() }.squareRoot()
        }
        return try named()
    }

    @inline(never)
    private mutating func close() throws(CalculationError) {
        guard let next else { throw .unclosed }
        guard take(")") else { throw .notUnderstood(next.text) }
    }

    /// Parses a number with an optional fraction: 1 1/2.
    @inline(never)
    private mutating func literal() throws(CalculationError) -> Operand? {
        guard let number = takeNumber() else { return nil }
        guard case .number(let above, _) = token(0), token(1)?.isSign("/") == true,
            case .number(let below, _) = token(2), number.quantity.number.whole != nil
        else { return number }
        position += 3
        return Operand(Quantity(try number.quantity.number + above / below), .number)
    }

    // MARK: Names

    private static let constants: [String: Number] = [
        "pi": .approximate(.pi), "e": .approximate(CMathFunctions.exponential(1)), "tau": .approximate(2 * .pi),
        "phi": .approximate((1 + 5.0.squareRoot()) / 2)
    ]

    private mutating func named() throws(CalculationError) -> Operand {
        guard let function = function() else { return try constantOrUnit() }
        return try Operand.value(of: function, take("(") ? arguments() : [argument()])
    }

    /// Parses a function's name.
    ///
    /// A name that may be a unit too, such as min, is a function only before a parenthesis.
    @inline(never)
    private mutating func function() -> MathFunction? {
        guard case .name(let name) = next, let function = MathFunction(named: name) else { return nil }
        guard token(1)?.isSign("(") == true || UnitTable.unit(named: name) == nil else { return nil }
        position += 1
        return function
    }

    @inline(never)
    private mutating func constantOrUnit() throws(CalculationError) -> Operand {
        guard let next else { throw missing() }
        guard case .name(let name) = next else {
            if next.isSign(")"), depth == 0 { throw .unopened }
            throw position == 0 ? .notUnderstood(next.text) : missing()
        }
        if let constant = Self.constants[name.lowercased()] {
            position += 1
            return Operand(Quantity(constant))
        }
        // Names of units have up to three words: imperial fluid ounce.
        for count in [3, 2, 1] {
            let words = (0..<count).compactMap { offset in
                if case .name(let word) = token(offset) { word } else { nil }
            }
            guard words.count == count, let unit = UnitTable.unit(named: words.joined(separator: " ")) else { continue }
            position += count
            return Operand(Quantity(.one, unit), .unit)
        }
        if token(1)?.isSign("(") == true { throw .unknownFunction(name) }
        if Self.joints.contains(name.lowercased()) { throw position == 0 ? .notUnderstood(name) : missing() }
        let followsNumber = isNumber(-1) || ["in", "to", "into", "as"].contains(word(-1) ?? "")
        throw followsNumber ? .unknownUnit(name) : .unknownName(name)
    }

    /// Parses a function's arguments in parentheses.
    private mutating func arguments() throws(CalculationError) -> [Operand] {
        if take(")") { return [] }
        var arguments: [Operand] = []
        repeat {
            arguments.append(try nested { (parser) throws(CalculationError) in try parser.expression() })
        } while take(",")
        try close()
        return arguments
    }

    /// Parses a function's argument without parentheses: sqrt 16, and sin 30°.
    private mutating func argument() throws(CalculationError) -> Operand {
        let value = try nested { (parser) throws(CalculationError) in try parser.power() }
        guard value.form == .number, case .name(let name) = next, MathFunction(named: name) == nil else { return value }
        return try run(from: value)
    }
}
