import Foundation
import HeybotCalculation
import HeybotTesting
import TestServers
import Testing

/// Whatever is typed, it is answered soon and shortly, or refused in a sentence.
///
/// 20,000 expressions, and 1,000,000 with `bin/test --soak`.
@Suite(.timeLimit(.minutes(10))) struct CalculationFuzzTests {
    private static let rounds = Soak.rounds(5_000, soak: 250_000)

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `any text`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var answered = 0
        var last = "1"
        for round in 0..<Self.rounds {
            if round.isMultiple(of: 1000) { await Task.yield() }
            let text = Self.text(&random, last)
            do {
                let value = try Calculator().evaluate(text)
                let said = value.description
                answered += 1
                last = text
                try #require(!said.isEmpty && said.unicodeScalars.count <= 600, "\(text)")
                try #require(said != "-0" && !said.contains("nan") && !said.contains("\n"), "\(text)")
            } catch let error as CalculationError {
                try #require(error.description.unicodeScalars.count <= 300, "\(text)")
                try #require(error.description.hasSuffix("."), "\(text)")
            }
        }
        // Enough of them are expressions for this to mean something.
        #expect(answered > Self.rounds / 8)
    }

    private static let pieces = [
        "1", "2", "0", "7.5", "1/3", "1e9", "1e9999", "10^9999", "3000", "0xff", "1,234", ".5", "3248", "33000", "pi",
        "e",
        "tau", "+", "-", "*", "/", "^", "**", "!", "%", "(", ")", ",", "²", "⁻¹", "√", "×", "°", "'", "\"", " ", " ",
        " ",
        " mod ", " of ", " per ", " in ", " to ", " as ", " x ", "sqrt(", "cbrt(", "abs(", "round(", "floor(", "ceil(",
        "min(", "max(", "gcd(", "lcm(", "ln(", "log(", "log2(", "exp(", "sin(", "cos(", "tan(", "asin(", "sinh(",
        "hypot(",
        "choose(", "factorial(", "km", "m", "ft", "in", "min", "h", "s", "kg", "lb", "C", "°F", "K", "mph", "MB",
        "Gbit",
        "L", "imperial gallon", "acres", "deg", "rad", "W", "J", "Pa", "V", "hex", "binary", "base 7", "fraction",
        "percent"
    ]

    private static let odd = Array(
        "\u{0}\u{7}\u{a0}\u{301}\u{202e}\u{2028}\u{feff}٣½∞漢😀ßİ$€=?[]{}|&<>;:_.#@\\~`'\"".unicodeScalars)

    private static func text(_ random: inout SeededGenerator, _ last: String) -> String {
        switch random.below(8) {
        case 0: return noise(&random)
        case 1: return (0..<random.below(24)).map { _ in random.pick(pieces) }.joined()
        case 2, 3: return mutated(&random, last)
        default: return expression(&random, 1 + random.below(4))
        }
    }

    private static func noise(_ random: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        let count = random.below(50) == 0 ? random.below(600) : random.below(30)
        for _ in 0..<count {
            let isOdd = random.below(3) == 0
            scalars.append(isOdd ? random.pick(odd) : Unicode.Scalar(0x20 + UInt8(random.below(0x5f))))
        }
        return String(scalars)
    }

    /// One that worked, changed a little.
    private static func mutated(_ random: inout SeededGenerator, _ last: String) -> String {
        var scalars = Array(last.unicodeScalars)
        for _ in 0...random.below(3) {
            let index = random.below(scalars.count)
            switch random.below(4) {
            case 0 where !scalars.isEmpty: scalars.remove(at: index)
            case 1: scalars.insert(contentsOf: random.pick(pieces).unicodeScalars, at: index)
            case 2 where !scalars.isEmpty: scalars[index] = Unicode.Scalar(0x20 + UInt8(random.below(0x5f)))
            default: scalars.insert(contentsOf: scalars.prefix(random.below(80)), at: index)
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// One that makes sense, or nearly.
    private static func expression(_ random: inout SeededGenerator, _ depth: Int) -> String {
        let inner = { (random: inout SeededGenerator) in expression(&random, depth - 1) }
        if depth == 0 {
            let number = random.pick([
                "\(random.below(100))", "\(random.below(10_000))", "0.\(random.below(1000))",
                "1e\(random.below(12_000))", "pi"
            ])
            return random.below(4) == 0
                ? number + " " + random.pick(["km", "m", "ft", "s", "h", "kg", "C", "F", "MB", "L", "N", "W", "deg"])
                : number
        }
        switch random.below(12) {
        case 0...5:
            return inner(&random) + random.pick([" + ", " - ", " * ", " / ", "^", " mod ", " of "]) + inner(&random)
        case 6: return "(" + inner(&random) + ")" + random.pick(["", "!", "%", "²", "^2", "^-1", "^0.5", "^1000"])
        case 7: return "-" + inner(&random)
        case 8, 9:
            let name = random.pick([
                "sqrt", "cbrt", "abs", "round", "floor", "ceil", "ln", "log2", "exp", "sin", "tan", "acos", "cosh"
            ])
            return name + "(" + inner(&random) + ")"
        case 10:
            let name = random.pick(["min", "max", "gcd", "lcm", "choose", "hypot", "mod", "round"])
            return "\(name)(\(inner(&random)), \(inner(&random)))"
        default:
            return inner(&random) + " in "
                + random.pick(["miles", "hex", "binary", "base 3", "%", "F", "K", "mph", "GiB", "kWh", "fraction"])
        }
    }
}
