/// What was read of an expression and worked out, and what of its form matters to what is around it.
///
/// The parser goes in circles if an expression is nested, up to 100 times, and threads have stacks of half a
/// megabyte. So this is a reference, and the work is done in functions of its own that aren't made part of the
/// parser's.
final class Operand: Sendable {
    enum Form {
        case other
        /// Digits and nothing else.
        case number
        case percent
        /// Something that ends in a unit.
        case unit
    }

    let quantity: Quantity
    let form: Form

    init(_ quantity: Quantity, _ form: Form = .other) {
        self.quantity = quantity
        self.form = form
    }

    /// The sum or the difference; 50 + 10% is 55, but 10% + 10% is 20%.
    @inline(never)
    func adding(_ right: Operand, isSum: Bool) throws(CalculationError) -> Operand {
        let arePercent = form == .percent && right.form == .percent
        let isPart = right.form == .percent && !arePercent
        let amount = isPart ? try quantity * right.quantity : right.quantity
        return Operand(isSum ? try quantity + amount : try quantity - amount, arePercent ? .percent : .other)
    }

    @inline(never)
    func times(_ right: Operand, _ form: Form = .other) throws(CalculationError) -> Operand {
        Operand(try quantity * right.quantity, form)
    }

    /// The sum of what stands side by side: 5 ft 11 in.
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

    /// The same in the unit that another is one of; the text is what that was called.
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
    static func value(of function: Function, _ arguments: [Operand]) throws(CalculationError) -> Operand {
        Operand(try function.value(of: arguments.map(\.quantity)))
    }
}
