public import Heybot

/// Converts money, by the European Central Bank's rates of the day
/// (https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/html/index.en.html).
public struct Currency: Script {
    static let service = ScriptSetting(
        url: "CURRENCY_URL", "base URL of the European Central Bank", default: "https://www.ecb.europa.eu")

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.service] }

    public func register(on robot: inout RobotBuilder) {
        let daily = ExchangeRateCache(url: "\(robot.value(of: Self.service))/stats/eurofxref/eurofxref-daily.xml")

        // The same words as for calculations, which are passed on to the script Maths.
        robot.respond(
            /(?:convert|(?<exchange>exchange)|calc|calculate|math)(?: me)? (?<words>.+)$/,
            help: """
                convert <amount> <code> to <code> - Convert money, for example 10 USD to EUR
                exchange <amount> <code> to <code> - Convert money
                """,
            example: "convert 10 USD to EUR"
        ) { res in
            guard let question = CurrencyConversionRequest(res.match.words) else {
                if res.match.exchange == nil { throw SkipListener() }
                throw Refusal("Use currency codes, for example: exchange 10 USD to EUR.")
            }
            guard let amount = question.amount else {
                throw Refusal("I can't read that amount. Write it like 1234.50 or 1,234.50, with at most 15 digits.")
            }
            let rates = try await daily.rates(at: res.robot.date, res.http)
            let value = try rates.convert(amount, from: question.from, to: question.to)
            try await res.reply(
                """
                \(question.writtenAmount) \(question.from) is \(FormattedAmount(value)) \(question.to) \
                (rate of \(rates.displayDate)).
                """)
        }
    }
}
