/// A number that is exact if possible, within size limits.
///
/// The numerator and denominator of an exact number have at most ``mostDigits`` digits. The size of powers, factorials and
/// the like is estimated in advance. A sum or product of two numbers within the limits is at most twice as long, and is
/// checked afterwards.
enum Number: Sendable {
    case exact(Rational)
    /// A finite double.
    case approximate(Double)

    static let mostDigits = 10_000
    static let zero = Number.exact(Rational(0))
    static let one = Number.exact(Rational(1))

    private static let limit = Rational.powerOfTen(mostDigits)
    private static let mostBits = limit.bits

    init(_ numerator: Int, _ denominator: UInt = 1) {
        self = .exact(Rational(numerator, denominator))
    }

    /// Limits an exact result: a whole number that is too long is an error, and a fraction that is too long is approximated.
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

    /// Creates an approximation, if it is finite.
    init(checking value: Double) throws(CalculationError) {
        guard !value.isNaN else { throw .notReal }
        guard value.isFinite else { throw .beyondApproximation }
        self = .approximate(value)
    }

    /// The number as a double; infinite if it is out of range.
    var approximation: Double {
        switch self {
        case .exact(let value): value.approximation
        case .approximate(let value): value
        }
    }

    /// The exact value of the number, or of its approximation.
    var rational: Rational {
        switch self {
        case .exact(let value): value
        case .approximate(let value): Rational(exactly: value)
        }
    }

    /// The number as a whole number; nil if it isn't whole, or its approximation is too coarse.
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

    /// Throws if the result is 0 only because it is too small for a double.
    private func nonzero(if isNonzero: Bool) throws(CalculationError) -> Number {
        guard sign != 0 || !isNonzero else { throw .beyondApproximation }
        return self
    }

    /// The number rounded down.
    var floor: Number {
        guard case .approximate(let value) = self, value.magnitude >= 0x1p53 else { return .exact(rational.floor) }
        return self
    }

    /// Returns the remainder of a division, with the divisor's sign.
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

// Powers and other fast-growing functions, whose size is estimated in advance.

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
        // Each factor adds at least one bit less than it has.
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
        let power = CMathFunctions.power(base, exponent)
        // A result that is too small for a double isn't 0.
        guard power != 0 || base == 0 else { throw .beyondApproximation }
        return try Number(checking: power)
    }

    /// Returns the root of a degree.
    func root(_ degree: UInt) throws(CalculationError) -> Number {
        if case .exact(let value) = self, let root = value.root(degree) { return .exact(root) }
        guard sign >= 0 || !degree.isMultiple(of: 2) else { throw .notReal }
        let value = approximation
        switch degree {
        case 2: return try Number(checking: value.squareRoot())
        case 3: return try Number(checking: CMathFunctions.cubeRoot(value))
        default: return try Self.approximatePower(value, 1 / Double(degree))
        }
    }

    /// The product of all whole numbers from 1 to this one.
    func factorial() throws(CalculationError) -> Number {
        guard let number = whole else { throw .notWhole("!") }
        guard number.sign >= 0 else { throw .outOfRange("A factorial takes a number of at least 0.") }
        // 3,249! has more than 10,000 digits.
        guard let word = number.word, word < 3_300 else { throw .tooLarge }
        return try Number(bounding: .factorial(UInt(word)))
    }

    /// Returns the binomial coefficient.
    static func binomial(_ number: Number, _ chosen: Number) throws(CalculationError) -> Number {
        guard let number = number.whole, let chosen = chosen.whole else { throw .notWhole("choose") }
        guard number.sign >= 0, chosen.sign >= 0 else { throw .outOfRange("choose takes numbers of at least 0.") }
        guard chosen <= number else { return .zero }
        guard let all = number.word, let fewest = min(chosen, number - chosen).word else { throw .tooLarge }
        guard fewest > 0 else { return .one }
        // The result is at least (n ÷ k)^k.
        let bits = Double(fewest) * CMathFunctions.binaryLogarithm(Double(all) / Double(fewest))
        guard bits <= Double(mostBits) else { throw .tooLarge }
        return try Number(bounding: .binomial(UInt(all), UInt(fewest)))
    }
}
