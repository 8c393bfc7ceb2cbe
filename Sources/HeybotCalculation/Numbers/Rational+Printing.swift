// Formats numbers in decimal.

extension Rational {
    private static let mostWholeDigits = 400
    private static let mostDecimals = 20
    private static let significant = 10

    /// Whether the decimal expansion is finite and short enough to be written.
    var isTerminating: Bool { (self * .powerOfTen(Self.mostDecimals)).isWhole }

    /// Formats a fraction; nil if it is too long.
    func fraction(longest: Int) -> String? {
        // A number with more than four bits per digit is longer.
        guard numerator.bits + denominator.bits <= longest * 4 else { return nil }
        let text = isWhole ? digits() : "\(numerator.digits())/\(denominator.digits())"
        return text.utf8.count <= longest ? text : nil
    }

    /// Formats decimals: in full if they end, rounded otherwise, and with a power of ten if the number is very large or small.
    func decimal(isApproximate: Bool = false) -> String {
        if sign == 0 { return "0" }
        let size = magnitude
        let minus = sign < 0 ? "-" : ""
        if !isApproximate, size.isWhole {
            let digits = size.digits()
            if digits.utf8.count <= Self.mostWholeDigits { return minus + digits }
            return "\(minus)\(Self.scientific(size.rounded(Self.significant))) (\(digits.utf8.count) digits)"
        }
        if !isApproximate, isTerminating {
            let scaled = (size * .powerOfTen(Self.mostDecimals)).digits()
            if scaled.utf8.count <= Self.mostDecimals * 2 {
                return minus + Self.text(Self.stripped(scaled), scaled.utf8.count - 1 - Self.mostDecimals)
            }
        }
        var (digits, exponent) = size.rounded(Self.significant)
        let mostDigits = 15
        if (Self.significant..<mostDigits).contains(exponent) {
            (digits, exponent) = size.rounded(exponent + 1)
        }
        return minus + Self.text(digits, exponent)
    }

    /// Returns the first digits of a positive number, rounded and without trailing zeros, and the exponent of the first digit.
    private func rounded(_ count: Int) -> (digits: String, exponent: Int) {
        let half = Rational(1, 2)
        var exponent = Int((binaryLogarithm / 3.321928094887362).rounded(.down))
        // The logarithm may be inexact, and rounding up may add a digit.
        for _ in 0..<3 {
            let digits = (self * .powerOfTen(count - 1 - exponent) + half).floor.digits()
            if digits.utf8.count == count { return (Self.stripped(digits), exponent) }
            exponent += digits.utf8.count < count ? -1 : 1
        }
        return ("0", 0)
    }

    private static func stripped(_ digits: String) -> String {
        var digits = digits
        while digits.last == "0" { digits.removeLast() }
        return digits
    }

    private static func text(_ digits: String, _ exponent: Int) -> String {
        let count = digits.utf8.count
        let isShort = (-6..<15).contains(exponent) || (0..<count).contains(exponent)
        guard isShort else { return scientific((digits, exponent)) }
        if exponent < 0 { return "0." + String(repeating: "0", count: -1 - exponent) + digits }
        if count <= exponent + 1 { return digits + String(repeating: "0", count: exponent + 1 - count) }
        return "\(digits.prefix(exponent + 1)).\(digits.dropFirst(exponent + 1))"
    }

    private static func scientific(_ number: (digits: String, exponent: Int)) -> String {
        let decimals = number.digits.dropFirst()
        return "\(number.digits.prefix(1))\(decimals.isEmpty ? "" : ".")\(decimals) × 10^\(number.exponent)"
    }
}
