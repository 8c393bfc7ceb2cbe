/// The value of a part of an expression, with the properties of its form that matter to its context.
///
/// The parser is recursive up to 100 levels, and threads have stacks of half a megabyte. To keep its stack frames small,
/// this is a class, and the arithmetic is in functions that aren't inlined into the parser's.
final class Operand: Sendable {
    enum SyntacticForm {
        case other
        /// Only digits.
        case number
        case percent
        /// An operand that ends with a unit.
        case unit
    }

    let quantity: Quantity
    let form: SyntacticForm

    init(_ quantity: Quantity, _ form: SyntacticForm = .other) {
        self.quantity = quantity
        self.form = form
    }

    /// Adds or subtracts; 50 + 10% is 55, but 10% + 10% is 20%.
    @inline(never)
    func adding(_ right: Operand, isSum: Bool) throws(CalculationError) -> Operand {
        let arePercent = form == .percent && right.form == .percent
        let isPart = right.form == .percent && !arePercent
        let amount = isPart ? try quantity * right.quantity : right.quantity
        return Operand(isSum ? try quantity + amount : try quantity - amount, arePercent ? .percent : .other)
    }

    @inline(never)
    func times(_ right: Operand, _ form: SyntacticForm = .other) throws(CalculationError) -> Operand {
        Operand(try quantity * right.quantity, form)
    }

    /// Adds adjacent quantities: 5 ft 11 in.
    @inline(never)
    func followed(by right: Operand) throws(CalculationError) -> Operand {
        Operand(try quantity + right.quantity, right.form)
    }

    @inline(never)
    func divided(by right: Operand) throws(CalculationError) -> Operand {
        Operand(try quantity / right.quantity)
    }

    @inline(never)
    func remainder(by right: Operand) throws(CalculationError) -> Operand {
        Operand(try .remainder(quantity, right.quantity))
    }

    @inline(never)
    func negated() -> Operand {
        Operand(-quantity, form)
    }

    @inline(never)
    func power(_ exponent: Operand) throws(CalculationError) -> Operand {
        Operand(try quantity.power(exponent.quantity), form == .unit ? .unit : .other)
    }

    @inline(never)
    func squareRoot() throws(CalculationError) -> Operand {
        Operand(try quantity.root(2))
    }

    @inline(never)
    func factorial() throws(CalculationError) -> Operand {
        guard quantity.isPlain else { throw .notPlain(function: "!", kind: quantity.unit.dimension.kind) }
        return Operand(Quantity(try quantity.number.factorial()))
    }

    @inline(never)
    func percent() throws(CalculationError) -> Operand {
        Operand(try quantity * Quantity(Number(1, 100)), .percent)
    }

    /// Converts to the unit of another quantity.
    ///
    /// The text is that quantity's spelling.
    @inline(never)
    func converted(to target: Operand, _ text: String) throws(CalculationError) -> Operand {
        guard !target.quantity.isPlain, target.quantity.number.rational == Rational(1) else { throw .notTarget(text) }
        return Operand(try quantity.converted(to: target.quantity.unit))
    }

    @inline(never)
    func written(_ style: NumberStyle) throws(CalculationError) -> Operand {
        Operand(try quantity.written(style))
    }

    @inline(never)
    static func value(of function: MathFunction, _ arguments: [Operand]) throws(CalculationError) -> Operand {
        Operand(try function.value(of: arguments.map(\.quantity)))
    }
}
