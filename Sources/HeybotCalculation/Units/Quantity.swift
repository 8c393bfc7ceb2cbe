/// A number with a unit.
package struct Quantity: Sendable {
    /// The number.
    let number: Number
    let unit: CompoundUnit
    /// Whether it is a temperature difference, which has no zero point.
    var isDifference = false
    var style = NumberStyle.automatic

    init(_ number: Number, _ unit: CompoundUnit = .none) {
        self.number = number
        self.unit = unit
    }

    /// The number as a double; infinite if it is out of range.
    package var approximation: Double { number.approximation }

    /// The exact number, such as `1/3` or `-4`, of up to 20,000 digits; nil if it is an approximation.
    package var fraction: String? {
        guard case .exact(let value) = number else { return nil }
        return value.isWhole ? value.digits() : "\(value.numerator.digits())/\(value.denominator.digits())"
    }

    var isPlain: Bool { unit.isNone }

    /// Whether it is a temperature on a scale with an offset, such as °C.
    private var isPoint: Bool { !isDifference && unit.single?.hasZero == true }

    private func with(_ number: Number) -> Quantity {
        var changed = Quantity(number, unit)
        changed.isDifference = isDifference
        return changed
    }

    /// Returns the transformed number with the same unit.
    func mapped(
        _ change: (Number) throws(CalculationError) -> Number
    ) throws(CalculationError) -> Quantity {
        with(try change(number))
    }
}

// Arithmetic.

extension Quantity {
    static prefix func - (quantity: Quantity) -> Quantity {
        quantity.with(-quantity.number)
    }

    /// Returns the sum in the first quantity's unit.
    ///
    /// A temperature that is added to another is treated as a difference: 20 °C + 5 °C is 25 °C.
    static func + (left: Quantity, right: Quantity) throws(CalculationError) -> Quantity {
        if left.isDifference, right.isPoint { return try right + left }
        return try left.mapped { number throws(CalculationError) in
            try number + right.amount(in: left.unit, of: left, to: "added")
        }
    }

    /// Returns the difference in the first quantity's unit.
    static func - (left: Quantity, right: Quantity) throws(CalculationError) -> Quantity {
        guard right.isPoint, !left.isDifference, let unit = left.unit.single, unit.dimension == .temperature else {
            return try left.mapped { number throws(CalculationError) in
                try number - right.amount(in: left.unit, of: left, to: "subtracted")
            }
        }
        var difference = Quantity(try left.number - right.converted(to: left.unit).number, left.unit)
        difference.isDifference = true
        return difference
    }

    static func * (left: Quantity, right: Quantity) throws(CalculationError) -> Quantity {
        let number = try left.number * right.number
        if right.isPlain { return left.with(number) }
        if left.isPlain { return right.with(number) }
        let (unit, factor) = try CompoundUnit.product(left.unit, right.unit)
        return try Quantity(number * factor, unit).simplified()
    }

    static func / (left: Quantity, right: Quantity) throws(CalculationError) -> Quantity {
        let number = try left.number / right.number
        if right.isPlain { return left.with(number) }
        guard let inverse = try right.unit.power(-1) else { return left }
        let (unit, factor) = try CompoundUnit.product(left.unit, inverse)
        return try Quantity(number * factor, unit).simplified()
    }

    /// Returns the remainder of a division in the first quantity's unit.
    static func remainder(_ left: Quantity, _ right: Quantity) throws(CalculationError) -> Quantity {
        try left.mapped { number throws(CalculationError) in
            try Number.remainder(number, right.amount(in: left.unit, of: left, to: "divided with a remainder"))
        }
    }

    func power(_ exponent: Quantity) throws(CalculationError) -> Quantity {
        guard exponent.isPlain else { throw .unitInPower(exponent.unit.description) }
        if isPlain { return Quantity(try number.power(exponent.number)) }
        guard case .exact(let exact) = exponent.number, let times = exact.numerator.word,
            let root = exact.denominator.word, root > 0
        else { throw .unitInPower(unit.description) }
        return try raised(times, root) { (number) throws(CalculationError) in try number.power(exponent.number) }
    }

    /// Returns the root of a degree.
    func root(_ degree: Int) throws(CalculationError) -> Quantity {
        try raised(1, degree) { (number) throws(CalculationError) in try number.root(UInt(degree)) }
    }

    private func raised(
        _ times: Int, _ root: Int, _ change: (Number) throws(CalculationError) -> Number
    ) throws(CalculationError) -> Quantity {
        if let unit = try unit.power(times, root: root) { return Quantity(try change(number), unit) }
        // An acre isn't the square of a unit, but it can be converted to square meters.
        guard let length = UnitTable.coherent(.length) else { throw .unitInPower(unit.description) }
        for power in [2, 3] where unit.dimension == Dimension.length.power(power) {
            let metres = CompoundUnit(known: [.init(unit: length, power: power)])
            guard let unit = try metres.power(times, root: root) else { break }
            return Quantity(try change(converted(to: metres).number), unit)
        }
        throw .unitInPower(unit.description)
    }

    /// Compares two quantities of the same kind.
    static func isLess(_ left: Quantity, _ right: Quantity) throws(CalculationError) -> Bool {
        try left.number < right.converted(to: left.unit, verb: "compared").number
    }

    /// Converts a product of units that cancel out, or that equal a known unit.
    private func simplified() throws(CalculationError) -> Quantity {
        let dimension = unit.dimension
        if dimension == .none { return Quantity(try number * unit.factor()) }
        guard unit.terms.count > 1, let known = UnitTable.coherent(dimension) else { return self }
        return Quantity(try number * unit.factor(), CompoundUnit(known))
    }
}

// Conversion.

extension Quantity {
    /// Converts to another unit.
    ///
    /// A plain number is converted to an angle as radians.
    func converted(to target: CompoundUnit, verb: String = "converted into each other") throws(CalculationError)
        -> Quantity
    {
        if isPlain, target.dimension == .angle {
            let degrees = try number * .approximate(180 / Double.pi)
            return Quantity(try degrees / target.factor(), target)
        }
        if !isDifference, let from = unit.single, let to = target.single, from.symbol != to.symbol,
            from.dimension == .temperature, to.dimension == .temperature
        {
            let kelvins = try (number + from.zero) * from.factor
            return Quantity(try kelvins / to.factor - to.zero, target)
        }
        let asked = Quantity(.one, target)
        guard unit.dimension == target.dimension else { throw Self.mismatch(self, asked, verb) }
        var converted = Quantity(try amount(in: target, of: asked, to: verb), target)
        converted.isDifference = isDifference
        return converted
    }

    /// Returns the number in another unit, ignoring the zero points of scales.
    private func amount(
        in target: CompoundUnit, of other: Quantity, to verb: String
    ) throws(CalculationError) -> Number {
        guard unit.dimension == target.dimension else { throw Self.mismatch(other, self, verb) }
        if unit.description == target.description { return number }
        return try number * (unit.factor() / target.factor())
    }

    private static func mismatch(_ left: Quantity, _ right: Quantity, _ verb: String) -> CalculationError {
        .mismatch(
            left: left.shortName, leftKind: left.unit.dimension.kind, right: right.shortName,
            rightKind: right.unit.dimension.kind, verb: verb)
    }

    /// The name for errors: the unit, or else the number.
    private var shortName: String { isPlain ? description : unit.description }
}
