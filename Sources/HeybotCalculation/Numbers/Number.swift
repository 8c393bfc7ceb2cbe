/// A number that is exact as long as it can be, within bounds.
///
/// What is exact has at most ``mostDigits`` digits above and below the line. Powers, factorials and the like are
/// measured before they are worked out; a sum or product of two that are within the bounds is at most twice as long
/// and is measured after.
enum Number: Sendable {
    case exact(Rational)
    /// A finite one.
    case approximate(Double)

    static let mostDigits = 10_000
    static let zero = Number.exact(Rational(0))
    static let one = Number.exact(Rational(1))

    private static let limit = Rational.powerOfTen(mostDigits)
    private static let mostBits = limit.bits

    init(_ numerator: Int, _ denominator: UInt = 1) {
        self = .exact(Rational(numerator, denominator))
    }

    /// Takes what was worked out exactly: a whole number too long is refused, a fraction too long approximated.
    init(bounding value: Rational) throws(CalculationError) {
        if value.isWhole {
            guard value.magnitude < Self.limit else { throw .tooLarge }
        } else if value.numerator.magnitude >= Self.limit || value.denominator >= Self.limit {
            let value = value.approximation
            guard value != 0 else { throw .beyondApproximation }
            try self.init(checking: value)
            return
        }
        self = .exact(value)
    }

    /// Takes an approximation, if there is one.
    init(checking value: Double) throws(CalculationError) {
        guard !value.isNaN else { throw .notReal }
        guard value.isFinite else { throw .beyondApproximation }
        self = .approximate(value)
    }

    /// As a double: infinite if an exact one is beyond those.
    var approximation: Double {
        switch self {
        case .exact(let value): value.approximation
        case .approximate(let value): value
        }
    }

    /// Exactly what it holds, also if that is an approximation.
    var rational: Rational {
        switch self {
        case .exact(let value): value
        case .approximate(let value): Rational(exactly: value)
        }
    }

    /// The whole number it is; nil if it is none, or an approximation too rough to tell.
    var whole: Rational? {
        switch self {
        case .exact(let value): value.isWhole ? value : nil
        case .approximate(let value):
            value.magnitude < 0x1p53 && value == value.rounded() ? Rational(exactly: value) : nil
        }
    }

    var sign: Int {
        switch self {
        case .exact(let value): value.sign
        case .approximate(let value): value > 0 ? 1 : value < 0 ? -1 : 0
        }
    }

    static func + (left: Number, right: Number) throws(CalculationError) -> Number {
        try combined(left, right, { $0 + $1 }, { $0 + $1 })
    }

    static func - (left: Number, right: Number) throws(CalculationError) -> Number {
        try combined(left, right, { $0 - $1 }, { $0 - $1 })
    }

    static func * (left: Number, right: Number) throws(CalculationError) -> Number {
        try combined(left, right, { $0 * $1 }, { $0 * $1 }).nonzero(if: left.sign != 0 && right.sign != 0)
    }

    static func / (left: Number, right: Number) throws(CalculationError) -> Number {
        guard right.sign != 0 else { throw .divisionByZero }
        return try combined(left, right, { $0 / $1 }, { $0 / $1 }).nonzero(if: left.sign != 0)
    }

    static prefix func - (value: Number) -> Number {
        switch value {
        case .exact(let value): .exact(-value)
        case .approximate(let value): .approximate(-value)
        }
    }

    static func < (left: Number, right: Number) -> Bool {
        left.rational < right.rational
    }

    private static func combined(
        _ left: Number, _ right: Number, _ exactly: (Rational, Rational) -> Rational?,
        _ roughly: (Double, Double) -> Double
    ) throws(CalculationError) -> Number {
        if case .exact(let left) = left, case .exact(let right) = right, let result = exactly(left, right) {
            return try Number(bounding: result)
        }
        let (left, right) = (left.approximation, right.approximation)
        guard left.isFinite, right.isFinite else { throw .beyondApproximation }
        return try Number(checking: roughly(left, right))
    }

    /// Refuses what only looks like 0, being too small for a double.
    private func nonzero(if isNonzero: Bool) throws(CalculationError) -> Number {
        guard sign != 0 || !isNonzero else { throw .beyondApproximation }
        return self
    }

    /// The greatest whole number that is not above it.
    var floor: Number {
        guard case .approximate(let value) = self, value.magnitude >= 0x1p53 else { return .exact(rational.floor) }
        return self
    }

    /// What is left over by division, with the sign of what is divided by.
    static func remainder(_ left: Number, _ right: Number) throws(CalculationError) -> Number {
        guard right.sign != 0 else { throw .divisionByZero }
        if case .exact(let left) = left, case .exact(let right) = right, let times = (left / right)?.floor {
            return try Number(bounding: left - times * right)
        }
        let divisor = right.approximation
        guard left.approximation.isFinite, divisor.isFinite else { throw .tooLarge }
        let rest = left.approximation.truncatingRemainder(dividingBy: divisor)
        return try Number(checking: rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest)
    }
}

// Powers, and what else grows beyond bounds: measured first.

extension Number {
    func power(_ exponent: Number) throws(CalculationError) -> Number {
        if case .exact(let base) = self, case .exact(let exponent) = exponent {
            if exponent.isWhole { return try Self.power(base, exponent) }
            if base.sign == 0 {
                guard exponent.sign > 0 else { throw .divisionByZero }
                return .zero
            }
            let degree = exponent.denominator
            if let word = degree.word, word <= Self.mostBits, let root = base.root(UInt(word)) {
                return try Self.power(root, exponent.numerator)
            }
        }
        guard sign != 0 || exponent.sign >= 0 else { throw .divisionByZero }
        return try Self.approximatePower(approximation, exponent.approximation)
    }

    private static func power(_ base: Rational, _ exponent: Rational) throws(CalculationError) -> Number {
        if base.magnitude == Rational(1) { return .exact(exponent.isEven ? Rational(1) : base) }
        if base.sign == 0 {
            guard exponent.sign >= 0 else { throw .divisionByZero }
            return exponent.sign == 0 ? .one : .zero
        }
        // Each factor adds a bit less than it has at the least.
        let bits = max(base.numerator.bits, base.denominator.bits) - 1
        guard let times = exponent.word, times.magnitude <= UInt(mostBits / max(bits, 1)) else {
            guard !base.isWhole else { throw .tooLarge }
            return try approximatePower(base.approximation, exponent.approximation)
        }
        let power = base.power(times.magnitude)
        return try Number(bounding: times < 0 ? power.reciprocal ?? power : power)
    }

    private static func approximatePower(_ base: Double, _ exponent: Double) throws(CalculationError) -> Number {
        guard base.isFinite, exponent.isFinite else { throw .beyondApproximation }
        let power = Mathematics.power(base, exponent)
        // What is too small to be told from 0 isn't 0 all the same.
        guard power != 0 || base == 0 else { throw .beyondApproximation }
        return try Number(checking: power)
    }

    /// The square root, the cube root and so on.
    func root(_ degree: UInt) throws(CalculationError) -> Number {
        if case .exact(let value) = self, let root = value.root(degree) { return .exact(root) }
        guard sign >= 0 || !degree.isMultiple(of: 2) else { throw .notReal }
        let value = approximation
        switch degree {
        case 2: return try Number(checking: value.squareRoot())
        case 3: return try Number(checking: Mathematics.cubeRoot(value))
        default: return try Self.approximatePower(value, 1 / Double(degree))
        }
    }

    /// The product of all whole numbers from 1 to this one.
    func factorial() throws(CalculationError) -> Number {
        guard let number = whole else { throw .notWhole("!") }
        guard number.sign >= 0 else { throw .outOfRange("A factorial is of a number from 0 on.") }
        // 3,249! has more than 10,000 digits.
        guard let word = number.word, word < 3_300 else { throw .tooLarge }
        return try Number(bounding: .factorial(UInt(word)))
    }

    /// In how many ways so many can be chosen of a number.
    static func binomial(_ number: Number, _ chosen: Number) throws(CalculationError) -> Number {
        guard let number = number.whole, let chosen = chosen.whole else { throw .notWhole("choose") }
        guard number.sign >= 0, chosen.sign >= 0 else { throw .outOfRange("choose takes numbers from 0 on.") }
        guard chosen <= number else { return .zero }
        guard let all = number.word, let fewest = min(chosen, number - chosen).word else { throw .tooLarge }
        guard fewest > 0 else { return .one }
        // It is at least (all ÷ fewest) to the power of the fewest.
        let bits = Double(fewest) * Mathematics.binaryLogarithm(Double(all) / Double(fewest))
        guard bits <= Double(mostBits) else { throw .tooLarge }
        return try Number(bounding: .binomial(UInt(all), UInt(fewest)))
    }
}
