// Its initializers and functions are from the C library, which each system has under another name.
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The functions of doubles that Swift itself doesn't have, by whole words.
enum Mathematics {
    static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
    static func cubeRoot(_ value: Double) -> Double { cbrt(value) }
    static func exponential(_ value: Double) -> Double { exp(value) }
    static func binaryLogarithm(_ value: Double) -> Double { log2(value) }
    static func decimalLogarithm(_ value: Double) -> Double { log10(value) }
    static func naturalLogarithm(_ value: Double) -> Double { log(value) }
    static func arcSine(_ value: Double) -> Double { asin(value) }
    static func arcCosine(_ value: Double) -> Double { acos(value) }
    static func arcTangent(_ value: Double) -> Double { atan(value) }
    static func hyperbolicSine(_ value: Double) -> Double { sinh(value) }
    static func hyperbolicCosine(_ value: Double) -> Double { cosh(value) }
    static func hyperbolicTangent(_ value: Double) -> Double { tanh(value) }

    /// The sine, or 0 if only the rounding of the argument keeps it from 0, as with π.
    static func sine(_ angle: Double) -> Double { rounded(sin(angle), angle) }
    static func cosine(_ angle: Double) -> Double { rounded(cos(angle), angle) }

    private static func rounded(_ value: Double, _ angle: Double) -> Double {
        angle.magnitude >= 1 && value.magnitude < angle.magnitude * 0x1p-52 ? 0 : value
    }
}
