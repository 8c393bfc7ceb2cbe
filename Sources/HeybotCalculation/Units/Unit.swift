/// A unit, such as the kilometer.
struct Unit: Sendable {
    /// The prefixes that a unit allows.
    enum Prefixes {
        case none, decimal, decimalAndBinary
    }

    /// The symbol that is printed, unique among units.
    let symbol: String
    /// The plural that is printed after a number that isn't 1, if it differs.
    var plural: String?
    let dimension: Dimension
    /// The factor to the base unit: meters, kilograms, seconds, kelvins, degrees, bits and amperes.
    let factor: Number
    /// The offset of its zero point from 0 K, in this unit.
    var zero = Number.zero
    var prefixes = Prefixes.none

    /// Whether its scale has an offset, as with °C.
    var hasZero: Bool { zero.sign != 0 }
}
