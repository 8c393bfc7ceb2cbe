/// A unit such as the kilometre.
struct Unit: Sendable {
    /// Which prefixes may stand before it.
    enum Prefixes {
        case none, decimal, decimalAndBinary
    }

    /// As it is printed, and what tells it from others.
    let symbol: String
    /// As it is printed after a number that isn't 1, if that differs.
    var plural: String?
    let dimension: Dimension
    /// How many of the basic unit it is: of metres, kilograms, seconds, kelvins, degrees, bits and amperes.
    let factor: Number
    /// How much higher its zero is than that of kelvins, in this unit.
    var zero = Number.zero
    var prefixes = Prefixes.none

    /// Whether what is measured in it begins elsewhere than at nothing, as with °C.
    var hasZero: Bool { zero.sign != 0 }
}

/// Units multiplied by each other, such as km/h; none at all for plain numbers.
struct CompoundUnit: Sendable {
    struct Term: Sendable {
        let unit: Unit
        /// Never 0.
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

    /// Units that are known to be few.
    init(known terms: [Term]) {
        self.terms = terms
    }

    var isNone: Bool { terms.isEmpty }

    /// The only unit there is, if it isn't raised to a power.
    var single: Unit? { terms.count == 1 && terms[0].power == 1 ? terms[0].unit : nil }

    var dimension: Dimension {
        terms.reduce(.none) { $0 * $1.unit.dimension.power($1.power) }
    }

    /// How many of the basic units it is.
    func factor() throws(CalculationError) -> Number {
        var factor = Number.one
        for term in terms { factor = try factor * term.unit.factor.power(Number(term.power)) }
        return factor
    }

    /// The product, with units of one dimension brought together in the first of them; and by what its number is
    /// multiplied for that.
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

    /// The unit with each power multiplied by that; nil if one of them isn't whole then.
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
