import FoundationEssentials
import Heybot
import HeybotDates
import Synchronization

extension Currency {
    /// The exchange rates of the euro on a day.
    struct ExchangeRates: Sendable {
        /// The day, as in `2026-11-20`.
        let date: String
        private let rates: [String: Decimal]

        /// The day in words, as in `20 November 2026`.
        var displayDate: String {
            let parts = date.split(separator: "-").compactMap { Int($0) }
            guard parts.count == 3, 1...12 ~= parts[1] else { return date }
            return "\(parts[2]) \(CivilDate.monthNames[parts[1] - 1]) \(parts[0])"
        }

        /// Parses the bank's file; nil if it is invalid.
        ///
        /// The file is XML with a simple, fixed format: the day, and a code and a rate in each line. A rate in another format is
        /// skipped, and reported as missing when it is needed.
        init?(xml: String) {
            guard let day = xml.firstMatch(of: /\btime=['"]([0-9]{4}-[0-9]{2}-[0-9]{2})['"]/) else { return nil }
            var rates: [String: Decimal] = ["EUR": 1]
            let pattern = /\bcurrency=['"]([A-Z]{3})['"] rate=['"]([0-9]{1,9}(?:\.[0-9]{1,9})?)['"]/
            for match in xml.matches(of: pattern) {
                if let rate = Decimal(string: String(match.2)), rate > 0 { rates[String(match.1)] = rate }
            }
            guard rates.count > 1 else { return nil }
            date = String(day.1)
            self.rates = rates
        }

        /// - Throws: ``Refusal`` if there is no rate for one of them.
        func convert(_ amount: Decimal, from: String, to: String) throws(Refusal) -> Decimal {
            // Multiply first: the product is exact, and the division rounds once, in the 38th digit.
            try amount * rate(of: to) / rate(of: from)
        }

        private func rate(of code: String) throws(Refusal) -> Decimal {
            guard let rate = rates[code] else {
                let some = ["EUR", "USD", "GBP", "JPY", "CHF"].filter { rates[$0] != nil }.joined(separator: ", ")
                throw Refusal("I have no rate for \(code). I know \(rates.count) currencies, such as \(some).")
            }
            return rate
        }
    }

    /// The current rates, cached for up to an hour.
    ///
    /// The bank publishes new ones once a day.
    final class ExchangeRateCache: Sendable {
        private let url: String
        private let kept = Mutex<(hour: Double, rates: ExchangeRates)?>(nil)

        init(url: String) {
            self.url = url
        }

        func rates(at date: Date, _ http: any HTTPClient) async throws -> ExchangeRates {
            let hour = (date.timeIntervalSinceReferenceDate / 3_600).rounded(.down)
            if let kept = kept.withLock({ $0 }), kept.hour == hour { return kept.rates }
            let answer = try await http.get(url).checked()
            guard let rates = ExchangeRates(xml: answer.text) else {
                throw HTTPError(.unreadable, host: HTTPRequest(.get, url).host, "there are no rates in it")
            }
            kept.withLock { $0 = (hour, rates) }
            return rates
        }
    }
}
