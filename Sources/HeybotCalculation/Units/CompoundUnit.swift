/// A product of units, such as km/h; empty for plain numbers.
struct CompoundUnit: Sendable {
    struct Term: Sendable {
        let unit: Unit
        /// The exponent; never 0.
        let power: Int
    }

    private(set) var terms: [Term] = []

    static let none = CompoundUnit()
    private static let mostTerms = 8
    private static let highestPower = 60

    init() {}

    init(_ unit: Unit) {
        terms = [Term(unit: unit, power: 1)]
    }

    /// Creates a product without checking the number of units.
    init(known terms: [Term]) {
        self.terms = terms
    }

    var isNone: Bool { terms.isEmpty }

    /// The single unit, if there is only one, with the exponent 1.
    var single: Unit? { terms.count == 1 && terms[0].power == 1 ? terms[0].unit : nil }

    var dimension: Dimension {
        terms.reduce(.none) { $0 * $1.unit.dimension.power($1.power) }
    }

    /// The factor to the base units.
    func factor() throws(CalculationError) -> Number {
        var factor = Number.one
        for term in terms { factor = try factor * term.unit.factor.power(Number(term.power)) }
        return factor
    }

    /// Returns the product, with units of the same dimension converted to the first of them, and the factor for its number.
    static func product(
        _ left: CompoundUnit, _ right: CompoundUnit
    ) throws(CalculationError) -> (CompoundUnit, factor: Number) {
        var terms = left.terms
        var factor = Number.one
        for term in right.terms {
            guard let index = terms.firstIndex(where: { $0.unit.dimension == term.unit.dimension }) else {
                terms.append(term)
                continue
            }
            let there = terms[index]
            if there.unit.symbol != term.unit.symbol {
                factor = try factor * (term.unit.factor / there.unit.factor).power(Number(term.power))
            }
            let power = there.power + term.power
            guard power.magnitude <= highestPower else { throw .tooManyUnits }
            terms[index] = Term(unit: there.unit, power: power)
        }
        terms.removeAll { $0.power == 0 }
        guard terms.count <= mostTerms else { throw .tooManyUnits }
        return (CompoundUnit(known: terms), factor)
    }

    /// Multiplies each exponent; nil if one of them isn't whole afterwards.
    func power(_ numerator: Int, root: Int = 1) throws(CalculationError) -> CompoundUnit? {
        guard numerator != 0 else { return CompoundUnit.none }
        var raised: [Term] = []
        for term in terms {
            let (power, isOver) = term.power.multipliedReportingOverflow(by: numerator)
            guard !isOver else { throw .tooManyUnits }
            guard power.isMultiple(of: root) else { return nil }
            guard (power / root).magnitude <= Self.highestPower else { throw .tooManyUnits }
            raised.append(Term(unit: term.unit, power: power / root))
        }
        return CompoundUnit(known: raised)
    }
}
