// The C library, which has another module name on each system.
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The C library's functions for doubles, under full names.
enum CMathFunctions {
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

    /// The sine; 0 if it differs from 0 only because the argument is rounded, as with π.
    static func sine(_ angle: Double) -> Double { rounded(sin(angle), angle) }
    static func cosine(_ angle: Double) -> Double { rounded(cos(angle), angle) }

    private static func rounded(_ value: Double, _ angle: Double) -> Double {
        angle.magnitude >= 1 && value.magnitude < angle.magnitude * 0x1p-52 ? 0 : value
    }
}
