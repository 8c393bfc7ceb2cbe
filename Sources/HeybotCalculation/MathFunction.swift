/// The functions, by name.
enum MathFunction: String {
    case abs, acos, asin, atan, cbrt, ceil, choose, cos, cosh, exp, factorial, floor, gcd, hypot, lcm, ln, log, log2
    case max, min, mod, round, sin, sinh, sqrt, tan, tanh

    /// Looks up a function by name, ignoring case.
    init?(named name: String) {
        let folded = name.lowercased()
        let others: [String: MathFunction] = [
            "ceiling": .ceil, "log10": .log, "arcsin": .asin, "arccos": .acos, "arctan": .atan
        ]
        guard let function = MathFunction(rawValue: folded) ?? others[folded] else { return nil }
        self = function
    }

    /// The number of arguments, as a range and in words.
    private var takes: (counts: ClosedRange<Int>, text: String) {
        switch self {
        case .max, .min, .gcd, .lcm: (1...500, "one number or more")
        case .choose, .mod, .hypot: (2...2, "two numbers")
        case .round: (1...2, "a number, and how many decimals to keep")
        default: (1...1, "one number")
        }
    }

    /// Returns the function's value for arguments.
    func value(of arguments: [Quantity]) throws(CalculationError) -> Quantity {
        guard let first = arguments.first, takes.counts.contains(arguments.count) else {
            throw .wrongCount(function: rawValue, takes: takes.text)
        }
        let second = arguments.count > 1 ? arguments[1] : first
        switch self {
        case .abs: return first.number.sign < 0 ? -first : first
        case .floor: return try first.mapped { (number) in number.floor }
        case .ceil: return try first.mapped { (number) in -(-number).floor }
        case .round: return try Self.rounded(first, arguments.count > 1 ? second : Quantity(.zero))
        case .min, .max: return try extreme(arguments)
        case .sqrt: return try first.root(2)
        case .cbrt: return try first.root(3)
        case .mod: return try .remainder(first, second)
        case .hypot: return try Self.hypotenuse(first, second)
        case .sin, .cos, .tan: return Quantity(try trigonometric(first))
        case .choose: return Quantity(try .binomial(plain(first), plain(second)))
        case .factorial: return Quantity(try plain(first).factorial())
        case .gcd, .lcm: return Quantity(try common(arguments))
        case .ln, .log, .log2: return Quantity(try logarithm(plain(first)))
        default:
            let value = approximate(try plain(first).approximation)
            // The exact value isn't 0, but too small for a double.
            guard self != .exp || value > 0 else { throw .beyondApproximation }
            return Quantity(try Number(checking: value))
        }
    }

    private func plain(_ quantity: Quantity) throws(CalculationError) -> Number {
        guard quantity.isPlain else { throw .notPlain(function: rawValue, kind: quantity.unit.dimension.kind) }
        return quantity.number
    }

    private func approximate(_ value: Double) -> Double {
        switch self {
        case .exp: CMathFunctions.exponential(value)
        case .asin: CMathFunctions.arcSine(value)
        case .acos: CMathFunctions.arcCosine(value)
        case .atan: CMathFunctions.arcTangent(value)
        case .sinh: CMathFunctions.hyperbolicSine(value)
        case .cosh: CMathFunctions.hyperbolicCosine(value)
        case .tanh: CMathFunctions.hyperbolicTangent(value)
        default: .nan
        }
    }

    /// Evaluates a trigonometric function of an angle, or of a plain number in radians.
    private func trigonometric(_ angle: Quantity) throws(CalculationError) -> Number {
        let radians: Double
        if angle.unit.dimension == .angle {
            let degrees = try angle.number * angle.unit.factor()
            radians = try Number.remainder(degrees, Number(360)).approximation * .pi / 180
        } else {
            radians = try plain(angle).approximation
        }
        // Beyond that, the distance between doubles is too large for angles.
        guard radians.magnitude <= 1e15 else { throw .outOfRange("\(rawValue) takes at most 10^15 radians.") }
        switch self {
        case .sin: return .approximate(CMathFunctions.sine(radians))
        case .cos: return .approximate(CMathFunctions.cosine(radians))
        default:
            let cosine = CMathFunctions.cosine(radians)
            guard cosine != 0 else { throw .notReal }
            return try Number(checking: CMathFunctions.sine(radians) / cosine)
        }
    }

    private func logarithm(_ number: Number) throws(CalculationError) -> Number {
        guard number.sign > 0 else { throw .outOfRange("\(rawValue) takes numbers above 0.") }
        let value = number.approximation
        if value.isFinite, value > 0 {
            switch self {
            case .ln: return .approximate(CMathFunctions.naturalLogarithm(value))
            case .log: return .approximate(CMathFunctions.decimalLogarithm(value))
            default: return .approximate(CMathFunctions.binaryLogarithm(value))
            }
        }
        let binary = number.rational.binaryLogarithm
        switch self {
        case .ln: return .approximate(binary / CMathFunctions.binaryLogarithm(CMathFunctions.exponential(1)))
        case .log: return .approximate(binary / CMathFunctions.binaryLogarithm(10))
        default: return .approximate(binary)
        }
    }

    /// The greatest common divisor, or the least common multiple.
    private func common(_ arguments: [Quantity]) throws(CalculationError) -> Number {
        var result: Rational?
        for argument in arguments {
            guard let next = try plain(argument).whole?.magnitude else { throw .notWhole(rawValue) }
            guard let last = result else {
                result = next
                continue
            }
            let divisor = Rational.commonDivisor(last, next)
            let multiple = (last * next / divisor) ?? Rational(0)
            guard case .exact(let bounded) = try Number(bounding: self == .gcd ? divisor : multiple) else { continue }
            result = bounded
        }
        return .exact(result ?? Rational(0))
    }

    private func extreme(_ arguments: [Quantity]) throws(CalculationError) -> Quantity {
        guard var found = arguments.first else { throw .wrongCount(function: rawValue, takes: takes.text) }
        for argument in arguments.dropFirst() {
            let isLess = self == .min ? try Quantity.isLess(argument, found) : try Quantity.isLess(found, argument)
            if isLess { found = argument }
        }
        return found
    }

    /// Rounds to a number of decimals, halves away from zero.
    private static func rounded(_ quantity: Quantity, _ decimals: Quantity) throws(CalculationError) -> Quantity {
        let most = 1_000
        guard decimals.isPlain, let count = decimals.number.whole?.word, (-most...most).contains(count) else {
            throw .outOfRange("round takes a whole number of decimals, at most 1,000.")
        }
        return try quantity.mapped { (number) throws(CalculationError) in
            let scaled = number.rational * .powerOfTen(count)
            let rounded = (scaled.magnitude + Rational(1, 2)).floor * .powerOfTen(-count)
            let result = try Number(bounding: scaled.sign < 0 ? -rounded : rounded)
            guard case .approximate = number, !rounded.isWhole else { return result }
            return try Number(checking: result.approximation)
        }
    }

    private static func hypotenuse(_ one: Quantity, _ other: Quantity) throws(CalculationError) -> Quantity {
        try (one * one + other * other).root(2)
    }
}
