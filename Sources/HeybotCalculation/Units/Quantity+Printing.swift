/// A number format.
enum NumberStyle: Sendable {
    /// Decimals, with the fraction if they don't end.
    case automatic
    case decimal
    case fraction
    case percent
    /// A whole number in a base from 2 to 36.
    case base(Int)
}

extension Quantity: CustomStringConvertible {
    /// The quantity as text: `0.3333333333 (1/3)`, `6.213711922 mi`; at most 600 characters.
    ///
    /// Whole numbers are written in full up to 400 digits, and finite decimals up to 20. Other numbers have 10 digits, or as
    /// many as there are before the point, up to 15.
    package var description: String {
        switch style {
        case .base(let base):
            if let whole = number.whole { return Self.text(whole, base: base) }
        case .percent:
            return (number.rational * Rational(100)).decimal(isApproximate: isApproximate) + "%"
        case .fraction:
            if case .exact(let value) = number, let fraction = value.fraction(longest: 120) { return fraction + symbol }
        case .automatic:
            if isPlain, case .exact(let value) = number, !value.isTerminating,
                let fraction = value.fraction(longest: 16)
            {
                return "\(value.decimal()) (\(fraction))"
            }
        case .decimal: break
        }
        return number.rational.decimal(isApproximate: isApproximate) + symbol
    }

    /// Returns the same number with a format.
    func written(_ style: NumberStyle) throws(CalculationError) -> Quantity {
        if case .base(let base) = style {
            let longest = 200
            guard (2...36).contains(base) else { throw .outOfRange("I know bases from 2 to 36.") }
            guard isPlain, let whole = number.whole, whole.digits(base: base).utf8.count <= longest else {
                throw .notWritten(base: base)
            }
        } else if case .percent = style, !isPlain {
            throw .notPlain(function: "%", kind: unit.dimension.kind)
        }
        var written = self
        written.style = style
        return written
    }

    private var isApproximate: Bool {
        if case .approximate = number { true } else { false }
    }

    private static func text(_ whole: Rational, base: Int) -> String {
        let digits = whole.magnitude.digits(base: base)
        let sign = whole.sign < 0 ? "-" : ""
        switch base {
        case 2: return "\(sign)0b\(digits)"
        case 8: return "\(sign)0o\(digits)"
        case 10: return sign + digits
        case 16: return "\(sign)0x\(digits)"
        default: return "\(sign)\(digits) (base \(base))"
        }
    }

    /// The text after the number.
    private var symbol: String {
        if isPlain { return "" }
        if let single = unit.single {
            let isOne = number.rational == Rational(1)
            return single.symbol == "°" ? "°" : " " + (isOne ? single.symbol : single.plural ?? single.symbol)
        }
        return " \(unit)"
    }
}

extension CompoundUnit: CustomStringConvertible {
    var description: String {
        let above = terms.filter { $0.power > 0 }.map { $0.unit.symbol + Self.superscript($0.power) }
        let below = terms.filter { $0.power < 0 }
        if above.isEmpty {
            return below.map { $0.unit.symbol + Self.superscript($0.power) }.joined(separator: "·")
        }
        let over = above.joined(separator: "·")
        let under = below.map { $0.unit.symbol + Self.superscript(-$0.power) }.joined(separator: "·")
        if below.isEmpty { return over }
        let text = "\(over)/\(below.count > 1 ? "(\(under))" : under)"
        return ["mi/h": "mph", "nmi/h": "kn"][text] ?? text
    }

    private static func superscript(_ power: Int) -> String {
        if power == 1 { return "" }
        let digits = Array("⁰¹²³⁴⁵⁶⁷⁸⁹")
        return (power < 0 ? "⁻" : "")
            + String(String(power.magnitude).compactMap(\.wholeNumberValue).map { digits[$0] })
    }
}
