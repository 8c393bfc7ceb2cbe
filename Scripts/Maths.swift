public import Heybot
import HeybotCalculation

/// Calculates: arithmetic, units and number bases.
public struct Maths: Script {
    public init() {}

    public var topic: ScriptTopic { .lookup }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /(?:calc|calculate|convert|math)(?: me)? (.+)$/,
            help: """
                calc me <expression> - Calculate, for example 2^10, 20% of 50, sqrt(2) or 255 in hex
                convert me <quantity> to <unit> - Convert units, for example 10 km in miles or 20 °C in F
                math me <expression> - Calculate
                """,
            example: "calc me (2 + 3) * 4"
        ) { res in
            let words = res.match.1
            // Currencies are left to the script that knows the rates.
            let knowsRates =
                res.robot.scripts.contains("Currency")
                && res.robot.switches.isOn("Currency", in: res.message.room)
            guard !knowsRates || CurrencyConversionRequest(words) == nil else { throw SkipListener() }
            // "a mile to km"
            let sum = words.replacing(/^an? (?=[a-z])/.ignoresCase(), with: "1 ")
            try await res.send(Self.answer(String(sum)))
        }

        // Most questions aren't calculations, so these are passed on if they can't be calculated.
        robot.respond(/(?:what(?:'s|’s| is) (?!now playing|playing|next|deployed)|how much is )(?<sum>[^?]+)\?*$/) {
            res in
            let sum = res.match.sum
            let isShort = sum.utf8.count <= 200 && sum.utf8.contains { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            guard isShort, let answer = try? Self.answer(String(sum)) else { throw SkipListener() }
            try await res.send(answer)
        }
    }

    private static func answer(_ expression: String) throws(Refusal) -> String {
        do { return try Calculator().evaluate(expression).description } catch { throw Refusal(error.description) }
    }
}
