import FoundationEssentials

/// A request to convert money, such as `10 usd to eur` or `$10 in eur`.
struct CurrencyConversionRequest {
    /// The amount as it was written: digits, commas and points.
    let writtenAmount: String
    /// The amount; nil if it can't be parsed, or has more than 15 digits.
    let amount: Decimal?
    /// The codes, of three upper-case letters each.
    ///
    /// At least one of them is a currency.
    let from: String
    let to: String

    /// Parses a request; nil if it is about something else, such as `10 cup to oz`.
    init?(_ words: Substring) {
        let pattern = /(?<sign>[$€£¥])?(?<amount>[0-9.,]+) ?(?<from>[a-z]{3})? (?:to|in|into|as) (?<to>[a-z]{3})\??/
            .ignoresCase()
        guard let match = words.wholeMatch(of: pattern) else { return nil }
        let sign = match.sign.flatMap { Self.signs[$0] }
        guard let from = match.from?.uppercased() ?? sign else { return nil }
        let to = match.to.uppercased()
        guard Self.codes.contains(from) || Self.codes.contains(to) else { return nil }
        self.from = from
        self.to = to
        writtenAmount = String(match.amount)
        amount = Self.amount(match.amount)
    }

    private static func amount(_ text: Substring) -> Decimal? {
        let isOne = text.wholeMatch(of: /(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]+)?/) != nil
        let digits = text.utf8.count { $0 >= UInt8(ascii: "0") }
        guard isOne, 1...15 ~= digits else { return nil }
        return Decimal(string: String(text.filter { $0 != "," }))
    }

    private static let signs: [Substring: String] = ["$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"]

    /// The currencies for which the European Central Bank has had rates since 1999.
    private static let codes: Set<String> = [
        "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CYP", "CZK", "DKK", "EEK", "EUR", "GBP", "HKD", "HRK", "HUF", "IDR",
        "ILS", "INR", "ISK", "JPY", "KRW", "LTL", "LVL", "MTL", "MXN", "MYR", "NOK", "NZD", "PHP", "PLN", "ROL", "RON",
        "RUB", "SEK", "SGD", "SIT", "SKK", "THB", "TRL", "TRY", "USD", "ZAR"
    ]
}
