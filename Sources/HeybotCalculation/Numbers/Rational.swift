import CGMP

/// A rational number of GMP, in lowest terms.
///
/// It is safe to share: its storage is never written after its creation, and GMP may read a number from several threads.
/// It doesn't limit sizes. ``Number`` does, and the rest of the module calculates with that.
final class Rational: Sendable {
    nonisolated(unsafe) private let value: heybot_rational

    private init(taking value: heybot_rational) {
        self.value = value
    }

    deinit {
        heybot_gmp_free(value)
    }

    /// Creates a fraction of two small numbers; the denominator must be positive.
    convenience init(_ numerator: Int, _ denominator: UInt = 1) {
        precondition(denominator > 0)
        self.init(taking: heybot_gmp_fraction(numerator, denominator))
    }

    /// Converts a finite double exactly.
    convenience init(exactly value: Double) {
        precondition(value.isFinite)
        self.init(taking: heybot_gmp_exactly(value))
    }

    /// Parses ASCII digits in a base from 2 to 36.
    convenience init(digits: String, base: Int = 10) {
        self.init(taking: heybot_gmp_read(digits, Int32(base)))
    }

    /// Returns a power of ten.
    static func powerOfTen(_ exponent: Int) -> Rational {
        let power = Rational(10).power(exponent.magnitude)
        return exponent < 0 ? power.reciprocal ?? power : power
    }

    // The operands must live until GMP has finished with them.
    private func read<Result>(_ body: (heybot_rational) -> Result) -> Result {
        withExtendedLifetime(self) { body(value) }
    }

    private static func made(
        _ left: Rational, _ right: Rational, _ body: (heybot_rational, heybot_rational) -> heybot_rational
    ) -> Rational {
        left.read { left in right.read { right in Rational(taking: body(left, right)) } }
    }

    static func + (left: Rational, right: Rational) -> Rational { made(left, right, heybot_gmp_sum) }
    static func - (left: Rational, right: Rational) -> Rational { made(left, right, heybot_gmp_difference) }
    static func * (left: Rational, right: Rational) -> Rational { made(left, right, heybot_gmp_product) }

    /// Returns the quotient; nil if the divisor is 0.
    static func / (left: Rational, right: Rational) -> Rational? {
        right.sign == 0 ? nil : made(left, right, heybot_gmp_quotient)
    }

    static prefix func - (value: Rational) -> Rational { Rational(0) - value }

    var reciprocal: Rational? { Rational(1) / self }
    var magnitude: Rational { sign < 0 ? -self : self }

    /// Returns a power of the number.
    func power(_ exponent: UInt) -> Rational {
        Rational(taking: read { heybot_gmp_power($0, exponent) })
    }

    /// Returns the exact root; nil if it is irrational or doesn't exist.
    func root(_ degree: UInt) -> Rational? {
        guard degree > 0, sign >= 0 || !degree.isMultiple(of: 2) else { return nil }
        var isExact = false
        let root = Rational(taking: read { heybot_gmp_root($0, degree, &isExact) })
        return isExact ? root : nil
    }

    /// The number rounded down.
    var floor: Rational { Rational(taking: read(heybot_gmp_floor)) }

    var numerator: Rational { Rational(taking: read(heybot_gmp_numerator)) }
    var denominator: Rational { Rational(taking: read(heybot_gmp_denominator)) }

    /// The greatest common divisor of two whole numbers.
    static func commonDivisor(_ left: Rational, _ right: Rational) -> Rational {
        made(left, right, heybot_gmp_common_divisor)
    }

    static func factorial(_ number: UInt) -> Rational {
        Rational(taking: heybot_gmp_factorial(number))
    }

    /// Returns the binomial coefficient.
    static func binomial(_ number: UInt, _ chosen: UInt) -> Rational {
        Rational(taking: heybot_gmp_binomial(number, chosen))
    }

    /// The sign: -1, 0 or 1.
    var sign: Int { Int(read(heybot_gmp_sign).signum()) }
    var isWhole: Bool { read(heybot_gmp_is_whole) }
    /// Whether a whole number is even.
    var isEven: Bool { read(heybot_gmp_is_even) }

    /// The number as an `Int`; nil if it doesn't fit.
    var word: Int? { isWhole && read(heybot_gmp_fits_word) ? read(heybot_gmp_word) : nil }

    /// The nearest double; infinite if it is out of range.
    var approximation: Double { read(heybot_gmp_nearest) }

    /// The binary logarithm of a positive number.
    var binaryLogarithm: Double { read(heybot_gmp_binary_logarithm) }

    /// The number of binary digits of a whole number.
    var bits: Int { read { heybot_gmp_length($0, 2) } }

    /// Formats a whole number in a base from 2 to 36, with lower-case letters.
    func digits(base: Int = 10) -> String {
        let capacity = read { heybot_gmp_length($0, Int32(base)) } + 2
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            read { heybot_gmp_write($0, start, Int32(base)) }
            return String(cString: start)
        }
    }
}

extension Rational: Comparable {
    static func == (left: Rational, right: Rational) -> Bool { order(left, right) == 0 }
    static func < (left: Rational, right: Rational) -> Bool { order(left, right) < 0 }

    private static func order(_ left: Rational, _ right: Rational) -> Int32 {
        left.read { left in right.read { right in heybot_gmp_compare(left, right) } }
    }
}
