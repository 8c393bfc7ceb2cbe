import FoundationEssentials

/// A formatted amount of money: with two decimals, or four significant digits if it is less than one.
struct FormattedAmount: CustomStringConvertible {
    let description: String

    /// - Parameter value: Not negative.
    init(_ value: Decimal) {
        let zeros = Self.fraction("\(value)").prefix { $0 == "0" }.count
        let places = value > 0 && value < 1 ? zeros + 4 : 2
        // Rounds by adding half of the last place and truncating.
        let half = Decimal(sign: .plus, exponent: -places - 1, significand: 5)
        let text = "\(value + half)"
        var fraction = Self.fraction(text).prefix(places)
        while fraction.count > 2, fraction.last == "0" { fraction.removeLast() }
        description =
            "\(text.prefix { $0 != "." }).\(fraction)\(String(repeating: "0", count: 2 - min(fraction.count, 2)))"
    }

    private static func fraction(_ text: String) -> Substring {
        text.drop { $0 != "." }.dropFirst()
    }
}
